import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'
import type { Stamp } from '../../../platform/database/epoch.ts'
import { suggestByCounts } from '../searching/suggestions.ts'
import { DealIndex } from './deal-index.ts'
import { advanceDeals, loadDeals } from './deal-source.ts'
import type { IndexAnswer, IndexRequest, IndexWorkerData } from './index-messages.ts'
import { LeftQuestions } from './left-questions.ts'
import { TooLongError } from './time-limit.ts'

// The thread that holds the index of deals: it reads the database on a connection of its own, and ends with an error whenever it
// can't go on; then another one begins anew.
const port = parentPort
if (!port) throw new Error('to be started as a worker')
// The cast holds: that is what `DealSearch` passes.
const { url, memory } = workerData as IndexWorkerData
const left = new LeftQuestions(memory)
const send = (message: IndexAnswer) => port.postMessage(message)

/** Whoever reads the feed hears of a change first: so long it is left alone unless somebody asks, in milliseconds. */
const lingerMs = 25
/** Orders are brought up to date when nothing has changed for so long; in milliseconds. */
const restMs = 50
/** A revision that is announced and not there yet is looked for again after a pause, and not for ever; in milliseconds. */
const [pauseMs, longestMs] = [20, 10_000]

const client = new pg.Client({
  ...{ connectionString: url, application_name: 'dealdeck index' },
  // No statement takes half as long; a server that hangs says nothing, and would be waited for as long as its network likes.
  ...{ connectionTimeoutMillis: 5_000, keepAlive: true, statement_timeout: 30_000, query_timeout: 30_000 },
})
client.on('error', (error) => {
  throw error
})
await client.connect()
// What it reads looks dear enough to be compiled: all deals at first, and up to PostgreSQL 17 whatever may not read whole tables.
await client.query('set jit = off')
const index = new DealIndex()
let stamp: Stamp = await loadDeals(client, index)
// What it asks from now on is planned once, maybe while the tables are small, and must not read all of them when they have grown.
await client.query('set enable_seqscan = off')
while (index.sortNext());
const suggest = suggestByCounts((field) => index.countNames(field))
let resting: NodeJS.Timeout | undefined
let advancing: Promise<void> | undefined
let announced = 0
let isLingering = false
send({ kind: 'ready', stamp, deals: index.size })

/** Comes to a revision. Throws when the database doesn't know of it in time. */
async function advanceTo(revision: number): Promise<void> {
  const late = performance.now() + longestMs
  while (stamp.revision < revision) {
    const before = stamp.revision
    advancing ??= advance().finally(() => {
      advancing = undefined
    })
    await advancing
    if (stamp.revision > before) continue
    if (performance.now() > late) throw new Error('the index waits for a revision that never came')
    await setTimeout(pauseMs)
  }
}

async function advance(): Promise<void> {
  const next = await advanceDeals(client, index, stamp)
  if (!next) throw new Error('the index is of another history')
  if (index.isWasteful) throw new Error('the index has become wasteful')
  stamp = next
  clearTimeout(resting)
  resting = globalThis.setTimeout(sortInTurns, restMs)
}

/** What was asked meanwhile is answered between two orders. */
function sortInTurns(): void {
  if (index.sortNext()) resting = globalThis.setTimeout(sortInTurns, 0)
}

async function answer(request: IndexRequest): Promise<void> {
  await advanceTo(request.revision)
  if ('at' in request && left.isLeft(request.at)) return
  try {
    reply(request)
  } catch (error) {
    if (!(error instanceof TooLongError) || !('at' in request)) throw error
    send({ kind: 'given up', at: request.at, deals: index.size })
  }
}

function reply(request: IndexRequest): void {
  const deals = index.size
  if (request.kind === 'find')
    send({ kind: 'found', at: request.at, deals, found: index.find(request.query) })
  if (request.kind === 'suggest') {
    const values = suggest(request.field, request.prefix, {
      revision: stamp.revision,
      removals: index.removals,
    })
    send({ kind: 'suggested', at: request.at, deals, values })
  }
  if (request.kind === 'count')
    send({ kind: 'counted', at: request.at, deals, count: index.count(request.query, request.most) })
}

/** Out of the promise, so that it ends the thread. */
const fail = (error: unknown) =>
  setImmediate(() => {
    throw error
  })

port.on('message', (request: IndexRequest) => {
  if (request.kind !== 'advance') {
    answer(request).catch(fail)
    return
  }
  announced = Math.max(announced, request.revision)
  if (isLingering) return
  isLingering = true
  globalThis.setTimeout(() => {
    isLingering = false
    advanceTo(announced).catch(fail)
  }, lingerMs)
})

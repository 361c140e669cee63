import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, type Seen, watch } from '../../server/testing/bystander.ts'
import type { Attack, Order, Outcome } from '../../server/testing/hostile-member.ts'
import { makeSessions, signIn, startApplication } from './application.ts'
import { memoryOf, type Program, processorSecondsOf, runWorker, stop } from './processes.ts'
import { atMost, type Figure, type Report } from './report.ts'
import { rateOfPages } from './request-rate.ts'
import { type Workshop, withClient } from './scratch.ts'

const mostRows = 500_000
const connections = 200
const restMs = 10_000

const attacks: Record<string, Pick<Attack, 'kind' | 'hangUpMs'>> = {
  '200 searches at once': { kind: 'searches' },
  '200 searches, given up after 50 ms': { kind: 'searches', hangUpMs: 50 },
  '200 questions of 31 words at once': { kind: 'questions' },
  '200 questions of 31 words, given up after 50 ms': { kind: 'questions', hangUpMs: 50 },
  '200 pages of 1,000 at once': { kind: 'pages' },
  '200 pages of 1,000, given up after 50 ms': { kind: 'pages', hangUpMs: 50 },
  '200 long addresses to read at once': { kind: 'links' },
  '200 malformed requests at once': { kind: 'nonsense' },
  '200 misspelt questions to explain at once': { kind: 'explanations' },
  '200 bodies of mistakes at once': { kind: 'mistakes' },
  '200 requests for what they may not see at once': { kind: 'forbidden' },
  '200 questions who they are at once': { kind: 'sessions' },
  '200 requests for the description of the interface at once': { kind: 'descriptions' },
}

/** What another member notices of one who asks for as much as they can: each latency beside that of a quiet time. */
export async function measureFairness(workshop: Workshop): Promise<Report> {
  const phaseMs = workshop.sizes.seconds * 1000
  const { url } = await workshop.filled(Math.min(workshop.rows, mostRows))
  const app = await startApplication(url)
  const hostile = runWorker('../../server/testing/hostile-member.ts')
  // Theirs is another machine: what it takes to send all this and to read the answers must not be missing here.
  if (hostile.pid !== undefined) setPriority(hostile.pid, constants.priority.PRIORITY_LOW)
  try {
    const [cookie = ''] = await makeSessions(url, 1)
    const attacker = await makeMember(url)
    const bystander = { url: app.url, cookie, signIn: () => signIn(app.url) }
    await warmUp(app, cookie)
    const quiet = await watch(bystander, phaseMs)
    const memory = [await memoryPartsOf(app)]
    const figures: Figure[] = [...figuresOf('nobody else', quiet)]
    for (const [name, attack] of Object.entries(attacks)) {
      tell(hostile, { origin: app.url, cookie: attacker, connections, ...attack })
      await sleep(500)
      const seen = await watch(bystander, phaseMs)
      tell(hostile, { stop: true })
      // What the worker answers an order to stop with.
      const [outcome] = (await once(hostile, 'message')) as [Outcome]
      await sleep(restMs)
      const busy = await processorShare(app)
      const [before, after] = [memory.at(-1), await memoryPartsOf(app)]
      memory.push(after)
      const growth = after.resident / (before?.resident ?? Number.NaN)
      figures.push(...figuresOf(name, seen, quiet), ...aftermath(name, outcome, busy, growth))
    }
    // How much the system has given over all of them; what is held of it is in `faults`, which can have garbage collected.
    const [before = Number.NaN, after = Number.NaN] = [memory[0], memory.at(-1)].map((all) => all?.resident)
    const beside = `${(before / 1e6).toFixed(0)} MB before`
    figures.push({ name: 'resident memory afterwards', value: after / 1e6, unit: 'MB', note: beside })
    return {
      title: `One member against another, ${connections} connections`,
      figures,
      details: { memory },
    }
  } finally {
    await stop(hostile)
    await app.stop()
  }
}

/** What a process holds, in bytes: in all, in its heap, outside of it, and as pages that are kept. */
async function memoryPartsOf({ url, process }: Program) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    resident: await memoryOf(process),
    heap: value('nodejs_heap_size_used_bytes'),
    heapSize: value('nodejs_heap_size_total_bytes'),
    external: value('nodejs_external_memory_bytes'),
    pages: value('dealdeck_feed_cache_bytes'),
  }
}

/** As an application that has been at work: its heap has the room that it keeps for what is soon gone again. */
async function warmUp({ url }: Program, cookie: string): Promise<void> {
  const asked: [of: (price: string) => string, connections: number, amount: number][] = [
    [(price) => `limit=50&max_price=${price}`, 16, 8_000],
    [(price) => `limit=1000&max_price=${price}`, 2, 400],
    [(price) => `limit=50&q=(co+OR+st+OR+wa)+-black+price:%3C${price}`, 8, 4_000],
    [(price) => `limit=1000&sort=discord&search=co&max_price=${price}`, 2, 400],
  ]
  for (const [of, connections, amount] of asked) {
    const pages = Array.from({ length: amount }, (_, at) => `/api/products?${of((30 + at / 100).toFixed(2))}`)
    await rateOfPages(url, pages, { cookie }, { connections, amount, status: 200 })
  }
  await sleep(restMs)
}

function tell(worker: ChildProcess, order: Order): void {
  worker.send(order)
}

function figuresOf(name: string, seen: Seen, quiet?: Seen): Figure[] {
  const figure = (what: keyof Omit<Seen, 'faults'>, most?: number, times?: number): Figure => {
    const p99 = percentile(0.99, seen[what])
    const beside = quiet ? p99 / percentile(0.99, quiet[what]) : 1
    const note = `p50 ${percentile(0.5, seen[what]).toFixed(1)} ms, ${beside.toFixed(1)} × quiet`
    const label = `${name}: ${labels[what]}`
    if (!quiet || most === undefined) return { name: label, value: p99, unit: 'ms p99', note }
    const limits = [
      ...(Number.isFinite(most) ? [`≤ ${most}`] : []),
      ...(times === undefined ? [] : [`≤ ${times} × quiet`]),
    ]
    return {
      ...{ name: label, value: p99, unit: 'ms p99', note, target: limits.join(', ') },
      isMet: p99 <= most && beside <= (times ?? Number.POSITIVE_INFINITY),
    }
  }
  return [
    figure('feed', 100, 3),
    figure('search', Number.POSITIVE_INFINITY, 3),
    figure('session', 100),
    figure('signIn', 1_500),
    figure('ready', 1_000),
    atMost(
      `${name}: faults seen by the other`,
      seen.faults.length,
      0,
      '',
      [...new Set(seen.faults)].slice(0, 5).join(', '),
    ),
  ]
}

const labels = {
  ...{ feed: 'the same page', search: 'own searches', session: 'who am I', signIn: 'signing in' },
  ready: 'readiness',
}

function aftermath(name: string, { statuses, givenUp }: Outcome, busy: number, growth: number): Figure[] {
  const odd = Object.entries(statuses).filter(([status]) => status >= '500')
  const answered = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  const note = [...answered, ...(givenUp > 0 ? [`${givenUp} given up`] : [])].join(', ')
  return [
    atMost(`${name}: faults seen by the hostile one`, odd.length, 0, 'kinds', note),
    atMost(`${name}: processor 10 s later`, busy, 0.05, 'cores'),
    atMost(`${name}: resident memory 10 s later ÷ before it`, growth, 1.15, '×'),
  ]
}

async function processorShare({ process }: Program): Promise<number> {
  const before = await processorSecondsOf(process)
  await sleep(2_000)
  return ((await processorSecondsOf(process)) - before) / 2
}

/** A member of their own with an open session; returns its cookie. */
async function makeMember(url: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const key = createHash('sha256').update(token).digest()
  await withClient(url, (client) =>
    client.query(
      `with member as (insert into users (username, password_hash, role) values ('hostile', '', 'user') returning id)
       insert into sessions (token_hash, user_id, expires_at, last_used_address)
       select $1, id, now() + interval '1 day', '127.0.0.1' from member`,
      [key],
    ),
  )
  return `dealdeck_session=${token}`
}

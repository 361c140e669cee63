import type { Databases } from '../../../platform/database/database.ts'
import { besideDealWrites, type DealWrites, importPatienceMs, withDealWrites } from '../../deals/actions.ts'
import {
  compareRange,
  learnWords,
  type MergeCounts,
  type MergeRules,
  mergeRange,
  nextRange,
  type Range,
  type StagedPart,
} from '../../deals/writing/merge-sql.ts'
import { deleteSamples } from '../../deals/writing/samples.ts'
import { takeOutUnchanged } from '../../deals/writing/unchanged-rows.ts'
import { flushedFrom, GinPendingListFlusher } from './gin-pending-list.ts'
import { allOf, indexedFrom, indexRows } from './lane.ts'
import type { Staging } from './staging.ts'
import { chunkSettings, sentSettings, sortingOutSettings } from './transaction-settings.ts'

/**
 * Rows of one transaction: short enough to let other writers in, long enough to be quick; less where two end at the same time, unless
 * the last one took less than so many milliseconds, as where nothing has changed, and as many are left of the turn.
 */
const [chunkRows, pairedRows, quickMs] = [4_000, 2_000, 150]
/** Two connections go on for so long before other writers have their turn, in milliseconds. */
const turnMs = 400
/** Of fewer rows of one connection those that change nothing are merged as fast as they are found. */
const sortedOutFrom = 4_000
const countKinds = ['created', 'updated', 'unchanged', 'superseded', 'hidden', 'over', 'points'] as const

/**
 * Merges the staged rows, a chunk a transaction, in the order of their ASINs, on all their connections at once; a dry
 * run only compares. Of many rows those that change nothing are taken out of the staging tables first, in a dry run as well. Once the
 * staging's signal is aborted, the chunks under way are rolled back and no more begin.
 */
export async function mergeStaged(
  databases: Databases,
  staging: Staging,
  rules: MergeRules,
  options: { isDry: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<MergeCounts> {
  const total = nothing()
  if (staging.count === 0) return total
  const count = (counts: MergeCounts) => {
    for (const kind of countKinds) total[kind] += counts[kind]
    options.onProgress?.(total.created + total.updated + total.unchanged + total.superseded)
  }
  const staged = await staging.finish()
  const prepare = async (part: StagedPart) => {
    const left = await withoutUnchanged(part, rules, count)
    if (left.rows === undefined && left.count > 0) await indexRows(left, part.count)
    return left
  }
  const parts = (await allOf(staged.map(prepare))).filter(({ count }) => count > 0)
  staging.signal?.throwIfAborted()
  if (!options.isDry) await allOf(parts.map(learnWords))
  const flusher =
    parts.reduce((sum, part) => sum + part.count, 0) >= flushedFrom && !options.isDry
      ? new GinPendingListFlusher(databases, staging.cancelling)
      : undefined
  try {
    const walks = parts.map((part) => walkOf(part, parts.length > 1 ? pairedRows : chunkRows))
    const job: Job = { databases, rules, walks, count, signal: staging.signal }
    if (options.isDry) await allOf(walks.map((walk) => compareAll(walk, job)))
    else await mergeAll(job)
  } finally {
    await flusher?.stop(total.created)
  }
  return total
}

/** What is left of a part to be merged without the rows that change nothing, which are counted; other writers don't wait for that. */
async function withoutUnchanged(
  part: StagedPart,
  rules: MergeRules,
  count: (counts: MergeCounts) => void,
): Promise<StagedPart> {
  if (part.count < sortedOutFrom) return part
  try {
    await part.client.query(`begin; ${sortingOutSettings}`)
    const { counts, left } = await takeOutUnchanged(part, rules)
    await part.client.query('commit')
    count(counts)
    return left
  } catch (error) {
    await part.client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** The chunks of a part, of how many rows the next one is, and how many milliseconds the last one took to merge. */
type Walk = { chunks: AsyncGenerator<Range, undefined>; rows: number; tookMs: number }

function walkOf(part: StagedPart, rows: number): Walk {
  const walk: Walk = { chunks: chunksOf(part, () => walk.rows), rows, tookMs: Number.POSITIVE_INFINITY }
  return walk
}

async function* chunksOf(part: StagedPart, rows: () => number): AsyncGenerator<Range, undefined> {
  for (let from: string | null = ''; from !== null; ) {
    const chunk: Range =
      part.count < indexedFrom ? { part, from, to: null } : await nextRange(part, from, rows())
    yield chunk
    from = chunk.to
  }
  return undefined
}

type Job = {
  databases: Databases
  rules: MergeRules
  walks: Walk[]
  count(counts: MergeCounts): void
  signal: AbortSignal | undefined
}

const turns = new WeakMap<Databases, Promise<unknown>>()

/** One import of a process at a time holds the lock on a connection that changes need as well; the others wait without one. */
function inTurn<T>(databases: Databases, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(databases) ?? Promise.resolve()).then(work, work)
  turns.set(databases, turn)
  return turn
}

async function compareAll({ chunks }: Walk, { rules, count, signal }: Job): Promise<void> {
  for await (const range of chunks) {
    signal?.throwIfAborted()
    count(await compareRange(range, rules))
  }
}

/**
 * Each chunk in a transaction of its own. One connection takes the writers' lock for each; two work side by side under a lock that a
 * third one holds, neither waiting for the other, until others have their turn. The first real import replaces the sample deals.
 */
async function mergeAll(job: Job): Promise<void> {
  const { databases, walks, count, rules, signal } = job
  const merge = async ({ client, recorded }: DealWrites, chunk: Range): Promise<MergeCounts> => {
    await client.query(chunk.part.rows === undefined ? chunkSettings : sentSettings)
    const counts = await mergeRange(chunk, rules)
    recorded.push(...counts.recorded)
    return counts
  }
  const [only] = walks
  const { value: first } = (await only?.chunks.next()) ?? {}
  if (!only || !first) return
  // Nobody else merges while the samples go: one of them may lie where a row of another connection belongs.
  let isFirst = true
  const mergeAlone = (chunk: Range) =>
    withDealWrites(
      databases,
      async (writes) => {
        if (isFirst) await deleteSamples(writes)
        isFirst = false
        return merge(writes, chunk)
      },
      chunk.part.client,
    )
  count(await mergeAlone(first))
  if (walks.length === 1) {
    for await (const chunk of only.chunks) {
      signal?.throwIfAborted()
      count(await mergeAlone(chunk))
    }
    return
  }
  const ended = new Set<Walk>()
  const mergeSome = async (walk: Walk, until: number) => {
    while (performance.now() < until && !ended.has(walk)) {
      signal?.throwIfAborted()
      const isQuick = walk.tookMs < quickMs && performance.now() + quickMs < until
      walk.rows = isQuick ? chunkRows : pairedRows
      const { value: chunk } = await walk.chunks.next()
      if (!chunk) {
        ended.add(walk)
        return
      }
      const began = performance.now()
      count(await besideDealWrites(databases, (writes) => merge(writes, chunk), chunk.part.client))
      walk.tookMs = performance.now() - began
    }
  }
  const mergeBoth = () => {
    const until = performance.now() + turnMs
    return allOf(walks.map((walk) => mergeSome(walk, until)))
  }
  while (ended.size < walks.length) {
    signal?.throwIfAborted()
    await inTurn(databases, () => withDealWrites(databases, mergeBoth, undefined, importPatienceMs))
  }
}

function nothing(): MergeCounts {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    superseded: 0,
    hidden: 0,
    over: 0,
    points: 0,
    recorded: [],
  }
}

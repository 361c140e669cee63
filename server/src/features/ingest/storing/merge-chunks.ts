import type { Databases } from '../../../platform/database/database.ts'
import { besideDealWrites, type DealWrites, withDealWrites } from '../../deals/actions.ts'
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
import { flushedFrom, GinPendingListFlusher } from './gin-pending-list.ts'
import { indexedFrom } from './lane.ts'
import type { Staging } from './staging.ts'

/** Rows of one transaction: short enough to let other writers in, long enough to be quick. */
const chunkRows = 4_000
const countKinds = ['created', 'updated', 'unchanged', 'superseded', 'hidden', 'over'] as const

/**
 * Merges the staged rows, a chunk a transaction, in the order of their ASINs, on all their connections at once; a dry
 * run only compares. Once the staging's signal is aborted, the chunks under way are rolled back and no more begin.
 */
export async function mergeStaged(
  databases: Databases,
  staging: Staging,
  rules: MergeRules,
  options: { isDry: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<MergeCounts> {
  const total = nothing()
  if (staging.count === 0) return total
  const parts = (await staging.finish()).filter(({ count }) => count > 0)
  if (!options.isDry) await allOf(parts.map(learnWords))
  const flusher =
    staging.count >= flushedFrom && !options.isDry
      ? new GinPendingListFlusher(databases, staging.cancelling)
      : undefined
  try {
    const walks = parts.map(chunksOf)
    // Nobody else merges while the samples go: one of them may lie where a row of another connection belongs.
    for (let isFirst = true; ; isFirst = false) {
      staging.signal?.throwIfAborted()
      const taken = await allOf((isFirst ? walks.slice(0, 1) : walks).map((walk) => walk.next()))
      const chunks = taken.flatMap(({ value }) => value ?? [])
      const [lead, ...beside] = chunks
      if (!lead) break
      const merged = options.isDry
        ? await allOf(chunks.map((range) => compareRange(range, rules)))
        : await write(databases, lead, beside, rules, isFirst)
      for (const counts of merged) for (const kind of countKinds) total[kind] += counts[kind]
      options.onProgress?.(total.created + total.updated + total.unchanged + total.superseded)
    }
  } finally {
    await flusher?.stop()
  }
  return total
}

async function* chunksOf(part: StagedPart): AsyncGenerator<Range, undefined> {
  for (let from: string | null = ''; from !== null; ) {
    const chunk: Range =
      part.count < indexedFrom ? { part, from, to: null } : await nextRange(part, from, chunkRows)
    yield chunk
    from = chunk.to
  }
  return undefined
}

/**
 * One chunk of each connection, each in its own transaction: the lead's has the writers' lock and ends last. The first
 * real import replaces the sample deals.
 */
function write(
  databases: Databases,
  lead: Range,
  beside: readonly Range[],
  rules: MergeRules,
  isFirst: boolean,
): Promise<MergeCounts[]> {
  const merge = async ({ client, recorded }: DealWrites, chunk: Range): Promise<MergeCounts> => {
    await client.query(chunk.part.rows === undefined ? chunkSettings : sentSettings)
    const counts = await mergeRange(chunk, rules)
    recorded.push(...counts.recorded)
    return counts
  }
  return withDealWrites(
    databases,
    async (writes) => {
      if (isFirst) await deleteSamples(writes)
      return allOf([
        merge(writes, lead),
        ...beside.map((chunk) =>
          besideDealWrites(databases, (theirs) => merge(theirs, chunk), chunk.part.client),
        ),
      ])
    },
    lead.part.client,
  )
}

// Of this transaction only. Durability waits for the import's own record, which is what gets acknowledged.
const chunkSettings = `set local synchronous_commit = off; set local jit = off; set local work_mem = '64MB';
  set local gin_pending_list_limit = '64MB'; set local dealdeck.words_are_known = 'on'`

// A plan made while the tables were small is used when they have grown, so it must look for each row by an index.
const sentSettings = `${chunkSettings}; set local plan_cache_mode = 'force_generic_plan';
  set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off`

/** All results; when one fails, its error, but only once no other is still at work on its connection. */
async function allOf<T>(works: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

function nothing(): MergeCounts {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    superseded: 0,
    hidden: 0,
    over: 0,
    recorded: [],
  }
}

import type pg from 'pg'
import type { Databases } from '../../../platform/database.ts'
import { withDealWrites } from '../../deals/actions.ts'
import {
  compareRange,
  type MergeCounts,
  type MergeRules,
  mergeRange,
  nextRange,
  type Range,
} from './merge.ts'
import { indexedFrom, type Staging } from './staging.ts'
import { Sweeping, sweptFrom } from './sweeping.ts'

/** Rows of one transaction: short enough to let other writers in, long enough to be quick. */
const chunkRows = 4_000
const countKinds = ['created', 'updated', 'unchanged', 'superseded', 'hidden'] as const

/** Merges the staged rows, a chunk a transaction, in the order of their ASINs; a dry run only compares. */
export async function mergeStaged(
  databases: Databases,
  staging: Staging,
  rules: MergeRules,
  options: { isDry: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<MergeCounts> {
  if (staging.count === 0) return nothing()
  const client = await staging.finish()
  const total = nothing()
  const sweeping = staging.count >= sweptFrom && !options.isDry ? new Sweeping(databases) : undefined
  try {
    let isFirst = true
    for (let from: string | null = ''; from !== null; ) {
      const range: Range =
        staging.count < indexedFrom ? { from, to: null } : await nextRange(client, from, chunkRows)
      const counts = options.isDry
        ? await compareRange(client, range, rules)
        : await write(databases, client, range, rules, isFirst)
      isFirst = false
      for (const kind of countKinds) total[kind] += counts[kind]
      const done = total.created + total.updated + total.unchanged + total.superseded
      options.onProgress?.(done)
      from = range.to
    }
  } finally {
    await sweeping?.stop()
  }
  return total
}

/** One chunk in its own transaction. The first real import takes the place of the sample deals. */
function write(
  databases: Databases,
  client: pg.PoolClient,
  range: Range,
  rules: MergeRules,
  isFirst: boolean,
): Promise<MergeCounts> {
  return withDealWrites(
    databases,
    async (tx) => {
      await tx.client.query(chunkSettings)
      if (isFirst) await removeSamples(tx.client, tx.changes.removed)
      const counts = await mergeRange(tx.client, range, rules)
      for (const id of counts.added) tx.changes.added.push(id)
      for (const id of counts.changed) tx.changes.changed.push(id)
      for (const id of counts.removed) tx.changes.removed.push(id)
      return counts
    },
    client,
  )
}

// Of this transaction only. Durability waits for the import's own record, which is what gets acknowledged.
const chunkSettings =
  "set local synchronous_commit = off; set local jit = off; set local work_mem = '64MB'; set local gin_pending_list_limit = '64MB'"

async function removeSamples(client: pg.ClientBase, removed: number[]): Promise<void> {
  const { rows } = await client.query<{ id: number; is_visible: boolean }>(
    'delete from deals where is_sample returning id, is_visible',
  )
  for (const row of rows) if (row.is_visible) removed.push(row.id)
}

function nothing(): MergeCounts {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    superseded: 0,
    hidden: 0,
    added: [],
    changed: [],
    removed: [],
  }
}

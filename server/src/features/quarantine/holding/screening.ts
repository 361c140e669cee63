import { mostHeld } from '@dealdeck/contract/quarantine'
import { nextRange, type Range, type StagedPart } from '../../deals/writing/merge-sql.ts'
import type { Staged } from '../../ingest/actions.ts'
import { type DocumentCounts, type DocumentHistory, documentFault, type Fault, isShrunken } from '../rules.ts'
import { countNames, countRange, holdAll, holdRows, noCounts } from './staged-rows.ts'
import { dropOvertaken, type Holding, readRoom } from './waiting-rows.ts'

/** Rows that are compared by one statement. */
const comparedAtOnce = 4_000

/** How a document of a source is looked at before it is merged. */
export type ScreeningOptions = Omit<Holding, 'has' | 'items' | 'foreign'> & {
  /** What the last documents were like; null where this one isn't all that the source says. */
  history: DocumentHistory | null
  /** Sees all that is staged, once it is known whether it waits as a whole, and why. */
  beforeHolding?: (fault: Fault | undefined) => Promise<void>
  signal: AbortSignal
}

/** What became of a document: rows that wait, were refused before, or found no room to wait in; and what was said of all of it. */
export type Screened = {
  counts: DocumentCounts
  held: number
  refusedBefore: number
  unstored: number
  /** Why it waits as a whole; undefined where it doesn't. */
  fault: Fault | undefined
  isShrunken: boolean
}

/** Takes what is doubtful out of the staged rows, in batches; what is left is merged. */
export async function screenStaged(
  { parts, has }: Pick<Staged, 'parts' | 'has'>,
  options: ScreeningOptions,
): Promise<Screened> {
  const { history, trusted, marketplace, sourceId, runId, usual, terms, signal } = options
  const counts: DocumentCounts = { ...noCounts }
  const foreign = new Set<string>()
  for await (const range of rangesOf(parts, signal)) {
    const found = await byIndexes(range, () => countRange(range, { sourceId, has }, mostHeld))
    for (const name of countNames) counts[name] += found[name]
    // More would find no room to wait in.
    if (foreign.size < mostHeld) for (const asin of found.foreign_items ?? []) foreign.add(asin)
  }
  const fault = history ? documentFault(counts, history, trusted) : undefined
  await options.beforeHolding?.(fault)
  const screened: Screened = {
    ...{ counts, fault, held: 0, refusedBefore: 0, unstored: 0 },
    isShrunken: history !== null && isShrunken(counts, history),
  }
  const holding = {
    sourceId,
    runId,
    trusted,
    marketplace,
    has,
    usual,
    terms,
    foreign,
    ...(fault && { items: counts.items }),
  }
  let room = parts[0] ? await readRoom(parts[0], sourceId, mostHeld) : 0
  for await (const range of rangesOf(parts, signal)) {
    const hold = () => (fault ? holdAll(range, holding, fault, room) : holdRows(range, holding, room))
    const found = await byIndexes(range, hold)
    screened.held += found.held
    screened.refusedBefore += found.refusedBefore
    screened.unstored += found.unstored
    room -= found.taken
  }
  for (const part of parts) if (part.count > 0) await dropOvertaken(part, sourceId)
  return screened
}

/** Looks for the rows of a range one by one: beside a large table PostgreSQL would rather go through all of it, for each range. */
async function byIndexes<T>({ part: { client } }: Range, work: () => Promise<T>): Promise<T> {
  await client.query(
    'begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off',
  )
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function* rangesOf(parts: readonly StagedPart[], signal: AbortSignal): AsyncGenerator<Range, void> {
  for (const part of parts) {
    if (part.count === 0) continue
    for (let from: string | null = ''; from !== null; ) {
      signal.throwIfAborted()
      const range: Range = await nextRange(part, from, comparedAtOnce)
      yield range
      from = range.to
    }
  }
}

import { mostHeld } from '@dealdeck/contract/quarantine'
import { numberText } from '../../../platform/numbers.ts'
import { nextRange, type Range, type StagedPart } from '../../deals/writing/merge-sql.ts'
import type { Staged } from '../../ingest/actions.ts'
import { type DocumentCounts, type DocumentHistory, documentFault, type Fault, isShrunken } from '../rules.ts'
import { settleOtherShops } from './other-shops.ts'
import { countNames, countRange, holdAll, holdRows, leaveOutRefused, noCounts } from './staged-rows.ts'
import { dropOvertaken, type HeldCounts, type Holding, hasRefused, readRoom } from './waiting-rows.ts'

/** Rows that are compared by one statement. */
const comparedAtOnce = 4_000
/** Different shops whose rows are counted on their own: of a wrong column each row may name another. */
const countedShops = 100

/** How a document of a source is looked at before it is merged. */
export type ScreeningOptions = Omit<Holding, 'has' | 'items' | 'othersItems' | 'reject'> & {
  /** What the last documents were like; null where this one isn't all that the source says. */
  history: DocumentHistory | null
  /** Sees all that is staged, once it is known whether it waits as a whole, and why. */
  beforeHolding?: (fault: Fault | undefined) => Promise<void>
  signal: AbortSignal
}

/** What became of a document: items that wait, were refused before, or found no room to wait in; and what was said of all of it. */
export type Screened = {
  counts: DocumentCounts
  held: number
  refusedBefore: number
  unstored: number
  /** Rows left out as the same document says something of their item that is newer, or of this shop. */
  overtaken: number
  /** How many of those that wait are of other shops, by which. */
  heldByShop: Map<string, number>
  /** Why it waits as a whole; undefined where it doesn't. */
  fault: Fault | undefined
  isShrunken: boolean
}

/** Takes what is doubtful out of the staged rows, in batches; what is left is merged. */
export async function screenStaged(
  { parts, has, otherShops, reject }: Omit<Staged, 'refused'>,
  options: ScreeningOptions,
): Promise<Screened> {
  const { history, trusted, refused, marketplace, sourceId, runId, usual, terms, signal } = options
  const counts: DocumentCounts = { ...noCounts }
  const seen: { range: Range; othersItems: ReadonlySet<string> }[] = []
  let overtaken = 0
  if (otherShops > 0)
    for (const part of parts) overtaken += await settleOtherShops(part, { sourceId, trusted, refused })
  const refusals = {
    some: parts[0] !== undefined && (await hasRefused(parts[0], sourceId)),
    trusted: [...trusted],
  }
  for await (const range of rangesOf(parts, signal)) {
    const found = await byIndexes(range, () => countRange(range, { sourceId, has, refusals }))
    for (const name of countNames) counts[name] += found[name]
    // Also what finds no room to wait in must not end.
    seen.push({ range, othersItems: new Set(found.others_items) })
  }
  const fault = history ? documentFault(counts, history, options, numberText(marketplace)) : undefined
  await options.beforeHolding?.(fault)
  const screened: Screened = {
    ...{ counts, fault, held: 0, refusedBefore: 0, unstored: 0, overtaken, heldByShop: new Map() },
    isShrunken: history !== null && isShrunken(counts, history),
  }
  const decided = { trusted, refused }
  const holding = { sourceId, runId, ...decided, marketplace, has, usual, terms, reject }
  let { room, since } = parts[0] ? await readRoom(parts[0], sourceId, mostHeld) : { room: 0, since: '' }
  const hold = async (range: Range, work: () => Promise<HeldCounts>) => {
    const found = await byIndexes(range, work)
    screened.held += found.held
    screened.refusedBefore += found.refusedBefore
    screened.unstored += found.unstored
    screened.overtaken += found.overtaken
    for (const [which, count] of found.heldByShop) addTo(screened.heldByShop, which, count)
    room -= found.taken
  }
  for (const { range, othersItems } of seen) {
    signal.throwIfAborted()
    const ofRange = { ...holding, othersItems }
    if (refusals.some) screened.refusedBefore += await byIndexes(range, () => leaveOutRefused(range, ofRange))
    // Of a document that waits as a whole what is of other shops waits for that.
    if (!fault || otherShops > 0)
      await hold(range, () => holdRows(range, ofRange, room, fault ? 'other shops' : 'all'))
    if (fault) await hold(range, () => holdAll(range, { ...ofRange, items: counts.items }, fault, room))
  }
  for (const part of parts) if (part.count > 0) await dropOvertaken(part, sourceId, since)
  return screened
}

function addTo(heldByShop: Map<string, number>, which: string, count: number): void {
  const isKnown = heldByShop.has(which) || heldByShop.size < countedShops
  const name = isKnown ? which : 'other shops'
  heldByShop.set(name, (heldByShop.get(name) ?? 0) + count)
}

/** Looks for the rows of a range one by one: beside a large table PostgreSQL would rather go through all of it, for each range. */
async function byIndexes<T>({ part: { client } }: Range, work: () => Promise<T>): Promise<T> {
  await client.query(
    'begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
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

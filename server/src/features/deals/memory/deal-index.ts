import { type DealSort, dealSortSchema } from '@dealdeck/contract/deals'
import type { Cursor } from '../rules.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import { type ColumnTest, rowTest } from './column-tests.ts'
import { allFlags, DealColumns, type IndexedDeal, tenths } from './deal-columns.ts'
import { countNames } from './name-counts.ts'
import { byAll, byColumn, type Narrowing } from './narrowing.ts'
import {
  addRow,
  bitsFor,
  countUpTo,
  dropRow,
  forEachRow,
  hasRow,
  keepCommon,
  type RowBits,
  type RowTest,
  withRoom,
} from './row-bits.ts'
import { compileCondition, compileExactText, countRows, rarest } from './row-tests.ts'
import { comparer, cursorBehind, isBehind, sortKey } from './sort-keys.ts'
import { firstWhere, SortOrder } from './sort-order.ts'
import { TimeLimit } from './time-limit.ts'
import { TitleIndex, type WordSet } from './title-index.ts'
import { TopRows } from './top-rows.ts'

/**
 * The ids of a page, in order, and where the next one begins if there is one. `versions`: of each deal; of two equal ones of the
 * same index nothing has changed in between.
 */
export type FoundDeals = { ids: number[]; versions: number[]; next: Cursor | undefined }

const sorts = dealSortSchema.options

/** All visible deals in memory, found by what their titles hold and by everything a question asks for. */
export class DealIndex {
  readonly #columns = new DealColumns()
  readonly #titles = new TitleIndex()
  readonly #rowOf = new Map<number, number>()
  readonly #free: number[] = []
  #rowCount = 0
  /** The rows that have a deal. */
  #present = bitsFor(1024)
  /** How many deals have gone or were hidden so far. */
  removals = 0
  readonly #orders: Record<DealSort, SortOrder>
  /** What each of `sorts` orders a row by. */
  readonly #keys: ((row: number) => number)[]

  readonly #fewRows: number
  readonly #longestMs: number
  readonly #mostLooks: number

  /**
   * Up to `fewRows` candidates are looked at one by one and sorted; more are met along the order. Where `mostLooks` of them have not
   * filled the page, all that are asked for are found column by column. Whoever asks something that
   * takes longer than `longestMs` of the processor is thrown TooLongError, since others wait for the thread.
   */
  constructor(fewRows = 2_000, longestMs = 40, mostLooks = 4_000) {
    this.#fewRows = fewRows
    this.#longestMs = longestMs
    this.#mostLooks = mostLooks
    const isThere = (row: number) => this.#rowOf.get(this.#columns.id[row] ?? 0) === row
    const all = () => Uint32Array.from(this.#rowOf.values())
    const order = (sort: DealSort) => new SortOrder(comparer(sort, this.#columns), isThere, all)
    this.#orders = {
      newest: order('newest'),
      discount: order('discount'),
      price: order('price'),
      discord: order('discord'),
      updated: order('updated'),
      best: order('best'),
    }
    this.#keys = sorts.map((sort) => sortKey(sort, this.#columns))
  }

  get size(): number {
    return this.#rowOf.size
  }

  /** Whether most of the memory is for titles or names that are gone. */
  get isWasteful(): boolean {
    return this.#titles.isWasteful || this.#columns.isWasteful(this.size)
  }

  /** A deal as it is now: new, changed, or visible again. */
  set(deal: IndexedDeal): void {
    const known = this.#rowOf.get(deal.id)
    const row = known ?? this.#free.pop() ?? this.#rowCount++
    const before = known === undefined ? undefined : this.#keys.map((keyOf) => keyOf(row))
    this.#rowOf.set(deal.id, row)
    this.#present = withRoom(this.#present, row)
    addRow(this.#present, row)
    this.#columns.set(row, deal)
    this.#titles.set(row, deal.title)
    // An order in which it stays where it is needn't be gone through.
    for (const [at, sort] of sorts.entries())
      if (before?.[at] !== this.#keys[at]?.(row)) this.#orders[sort].touch(row)
  }

  /** A deal that is gone or hidden. */
  delete(id: number): void {
    const row = this.#rowOf.get(id)
    if (row === undefined) return
    this.removals += 1
    this.#rowOf.delete(id)
    dropRow(this.#present, row)
    this.#titles.clear(row)
    this.#free.push(row)
    for (const order of Object.values(this.#orders)) order.touch(row)
  }

  /**
   * Brings one of the orders up to date, so that nobody who asks has to wait for that, and others are answered between two of them;
   * false when all are.
   */
  sortNext(): boolean {
    const order = Object.values(this.#orders).find((one) => one.isOutdated)
    order?.rows()
    return order !== undefined
  }

  /** The deals of a page, in order. */
  find(query: FeedQuery): FoundDeals {
    const compiled = this.#compile(query)
    const { tests, words, limit } = compiled
    if (query.cursor) tests.push(isBehind(query.cursor, this.#columns))
    const candidates = this.#candidates(words)
    const found = new TopRows(query.limit + 1, comparer(query.sort, this.#columns))
    const rows = this.#visit(candidates, limit.within(tests), (row) => found.add(row))
      ? found.rows()
      : this.#walk(query, candidates, compiled)
    const shown = rows.slice(0, query.limit)
    const ids = shown.map((row) => this.#columns.id[row] ?? 0)
    const versions = shown.map((row) => this.#columns.version[row] ?? 0)
    const last = rows[query.limit - 1]
    if (rows.length <= query.limit || last === undefined) return { ids, versions, next: undefined }
    return { ids, versions, next: cursorBehind(last, query.sort, this.#columns) }
  }

  /** How many deals meet a query, counted up to `most`. */
  count(query: FeedQuery, most: number): number {
    const compiled = this.#compile(query)
    const candidates = this.#candidates(compiled.words)
    const isMet = compiled.limit.within(compiled.tests)
    let count = 0
    if (this.#visit(candidates, isMet, () => count++)) return Math.min(count, most)
    const rows = this.#narrow(candidates, compiled)
    for (let at = 0; at < rows.length; at++)
      for (let rest = rows[at] ?? 0; rest !== 0; rest &= rest - 1)
        if (isMet(at * 32 + 31 - Math.clz32(rest & -rest)) && ++count >= most) return count
    return count
  }

  /** How many deals have each name of a field. */
  countNames(field: 'brand' | 'category') {
    return countNames(this.#columns, field, this.#orders.newest.rows())
  }

  #compile(query: FeedQuery): Compiled {
    const limit = new TimeLimit(this.#longestMs)
    const indexed = { columns: this.#columns, titles: this.#titles, limit }
    const { search, asked } = query
    const text = search === '' ? [] : compileExactText(search, indexed)
    const all = [text, asked ? compileCondition(asked.condition, asked.moment, indexed) : []].flat()
    const filters = this.#filters(query)
    return {
      tests: [...filters.map(rowTest), ...all.map(({ test }) => test)],
      words: all.flatMap((part) => part.words),
      narrowing: byAll([...filters.map(byColumn), ...all.map(({ narrowing }) => narrowing)]),
      limit,
    }
  }

  #filters(query: FeedQuery): ColumnTest[] {
    const { price, off, rating, firstSeen, lastUpdated } = this.#columns
    const { min_price, max_price, min_discount, min_rating, discounted_only, prime_only } = query
    const { seenSince, updatedSince } = query
    const between = (column: Float64Array | Int16Array, least?: number, most = Infinity): ColumnTest[] =>
      least === undefined ? [] : [{ column, ranges: [{ least, most }] }]
    return [
      ...between(price, min_price),
      ...(max_price === undefined ? [] : between(price, -Infinity, max_price)),
      ...between(off, min_discount),
      ...between(off, discounted_only ? 0 : undefined),
      ...between(rating, min_rating && tenths(min_rating)),
      ...between(firstSeen, seenSince && seenSince.getTime() * 1000),
      ...between(lastUpdated, updatedSince && updatedSince.getTime() * 1000),
      ...(prime_only ? [primeTest(this.#columns)] : []),
    ]
  }

  /** Where deals with these words are to be looked for. */
  #candidates(words: WordSet[][]): Candidates {
    const titles = this.#titles
    const some = rarest(words, titles)
    if (!some) return { kind: 'all' }
    const size = countRows(some, titles)
    return size <= this.#fewRows
      ? { kind: 'words', words: some }
      : { kind: 'rows', bits: titles.rowsWith(words, size) }
  }

  /** Visits each candidate that is met, once; false when they are too many for that. */
  #visit(candidates: Candidates, isMet: RowTest, visit: (row: number) => void): boolean {
    if (candidates.kind === 'all') return false
    const visitRow = (row: number) => {
      if (isMet(row)) visit(row)
    }
    if (candidates.kind === 'rows') {
      if (countUpTo(candidates.bits, this.#fewRows) > this.#fewRows) return false
      forEachRow(candidates.bits, visitRow)
    } else this.#forMatches(candidates.words, visitRow)
    return true
  }

  /** Along the order until the page is full; where that takes long, along those that columns leave. */
  #walk(query: FeedQuery, candidates: Candidates, compiled: Compiled): number[] {
    const rows = this.#orders[query.sort].rows()
    const most = query.limit + 1
    const isMet = compiled.limit.within(compiled.tests)
    const found: number[] = []
    let looks = 0
    let at = query.cursor ? firstWhere(rows, isBehind(query.cursor, this.#columns)) : 0
    for (; at < rows.length; at++) {
      const row = rows[at] ?? 0
      if (!isAmong(candidates, row)) continue
      if (++looks > this.#mostLooks) break
      if (isMet(row) && found.push(row) === most) return found
    }
    if (at === rows.length) return found
    const left = this.#narrow(candidates, compiled)
    if (countUpTo(left, this.#fewRows) <= this.#fewRows) {
      const first = new TopRows(most, comparer(query.sort, this.#columns))
      forEachRow(left, (row) => {
        if (isMet(row)) first.add(row)
      })
      return first.rows()
    }
    for (; at < rows.length; at++) {
      const row = rows[at] ?? 0
      if (hasRow(left, row) && isMet(row) && found.push(row) === most) break
    }
    return found
  }

  /** The rows that may meet a query, wherever its page begins: candidates, as far as columns leave them. */
  #narrow(candidates: Candidates, { narrowing, limit }: Compiled): RowBits {
    let rows = this.#present
    if (candidates.kind === 'rows') {
      rows = rows.slice()
      keepCommon(rows, candidates.bits)
    }
    return narrowing ? narrowing.find(rows, limit) : rows
  }

  /** Each row that has one of these words, once. */
  #forMatches(words: readonly WordSet[], visit: (row: number) => void): void {
    const seen = new Set<number>()
    for (const set of words) {
      this.#titles.forRows(set, (row) => {
        if (seen.has(row)) return
        seen.add(row)
        visit(row)
      })
    }
  }
}

/** A query as it is asked of rows. */
type Compiled = {
  tests: RowTest[]
  words: WordSet[][]
  narrowing: Narrowing | undefined
  limit: TimeLimit
}

const primeTest = (columns: DealColumns): ColumnTest => ({
  column: columns.flags,
  isMet: Uint8Array.from([0, ...allFlags.map(({ isPrime }) => +isPrime)]),
})

/** All deals; those with one of these words, few enough to look at each; or the rows that these bits name. */
type Candidates = { kind: 'all' } | { kind: 'words'; words: WordSet[] } | { kind: 'rows'; bits: RowBits }

function isAmong(candidates: Candidates, row: number): boolean {
  return candidates.kind !== 'rows' || hasRow(candidates.bits, row)
}

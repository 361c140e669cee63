import type { DealSort } from '@dealdeck/contract/deals'
import type { Cursor } from '../rules.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import { DealColumns, type IndexedDeal, RowFacts } from './deal-columns.ts'
import { countNames } from './name-counts.ts'
import { countUpTo, forEachRow, hasRow, type RowBits } from './row-bits.ts'
import { compileCondition, compileExactText, countRows, type RowTest, rarest } from './row-tests.ts'
import { firstWhere, SortOrder } from './sort-order.ts'
import { inTime } from './time-limit.ts'
import { TitleIndex, type WordSet } from './title-index.ts'
import { TopRows } from './top-rows.ts'

/**
 * The ids of a page, in order, and where the next one begins if there is one. `versions`: of each deal; of two equal ones of the
 * same index nothing has changed in between.
 */
export type FoundDeals = { ids: number[]; versions: number[]; next: Cursor | undefined }

/** All visible deals in memory, found by what their titles hold and by everything a question asks for. */
export class DealIndex {
  readonly #columns = new DealColumns()
  readonly #titles = new TitleIndex()
  readonly #facts = new RowFacts(this.#columns)
  readonly #rowOf = new Map<number, number>()
  readonly #free: number[] = []
  #rowCount = 0
  /** How many deals have gone or were hidden so far. */
  removals = 0
  readonly #orders: Record<DealSort, SortOrder>

  readonly #fewRows: number
  readonly #longestMs: number

  /**
   * Up to `fewRows` candidates are looked at one by one and sorted; more are met along the order. Whoever asks something that
   * takes longer than `longestMs` of the processor is thrown TooLongError, since others wait for the thread.
   */
  constructor(fewRows = 2_000, longestMs = 40) {
    this.#fewRows = fewRows
    this.#longestMs = longestMs
    const isThere = (row: number) => this.#rowOf.get(this.#columns.id[row] ?? 0) === row
    const all = () => Uint32Array.from(this.#rowOf.values())
    const order = (sort: DealSort) => new SortOrder(this.#comparer(sort), isThere, all)
    this.#orders = {
      newest: order('newest'),
      discount: order('discount'),
      price: order('price'),
      discord: order('discord'),
      updated: order('updated'),
      best: order('best'),
    }
  }

  get size(): number {
    return this.#rowOf.size
  }

  /** Whether most of the memory is for titles that are gone. */
  get isWasteful(): boolean {
    return this.#titles.isWasteful
  }

  /** A deal as it is now: new, changed, or visible again. */
  set(deal: IndexedDeal): void {
    const row = this.#rowOf.get(deal.id) ?? this.#free.pop() ?? this.#rowCount++
    this.#rowOf.set(deal.id, row)
    this.#columns.set(row, deal)
    this.#titles.set(row, deal.title)
    for (const order of Object.values(this.#orders)) order.touch(row)
  }

  /** A deal that is gone or hidden. */
  delete(id: number): void {
    const row = this.#rowOf.get(id)
    if (row === undefined) return
    this.removals += 1
    this.#rowOf.delete(id)
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
    const { tests, words } = this.#compile(query)
    const { key } = this.#keys(query.sort)
    if (query.cursor) tests.push(this.#isBehind(query.cursor))
    const most = query.limit + 1
    const candidates = this.#candidates(words)
    const found = new TopRows(most, this.#comparer(query.sort))
    const rows = this.#visit(candidates, tests, (row) => found.add(row))
      ? found.rows()
      : this.#walk(query, candidates, tests, most)
    const shown = rows.slice(0, query.limit)
    const ids = shown.map((row) => this.#columns.id[row] ?? 0)
    const versions = shown.map((row) => this.#columns.version[row] ?? 0)
    const last = rows[query.limit - 1]
    if (rows.length <= query.limit || last === undefined) return { ids, versions, next: undefined }
    return {
      ...{ ids, versions },
      next: { sort: query.sort, key: keyText(query.sort, key(last)), id: this.#columns.id[last] ?? 0 },
    }
  }

  /** How many deals meet a query, counted up to `most`. */
  count(query: FeedQuery, most: number): number {
    const { tests, words } = this.#compile(query)
    const candidates = this.#candidates(words)
    let count = 0
    if (this.#visit(candidates, tests, () => count++)) return Math.min(count, most)
    const isMet = inTime(tests, this.#longestMs)
    for (const row of this.#orders[query.sort].rows())
      if (isAmong(candidates, row) && isMet(row) && ++count >= most) break
    return count
  }

  /** How many deals have each name of a field. */
  countNames(field: 'brand' | 'category') {
    return countNames(this.#columns, field, this.#orders.newest.rows())
  }

  #compile(query: FeedQuery): { tests: RowTest[]; words: WordSet[][] } {
    const indexed = { columns: this.#columns, titles: this.#titles, facts: this.#facts }
    const { search, asked } = query
    const text = search === '' ? [] : compileExactText(search, indexed)
    const all = [text, asked ? compileCondition(asked.condition, asked.moment, indexed) : []].flat()
    return {
      tests: [...this.#filters(query), ...all.map(({ test }) => test)],
      words: all.flatMap((part) => part.words),
    }
  }

  #filters(query: FeedQuery): RowTest[] {
    const { price, off, rating, firstSeen, lastUpdated } = this.#columns
    const { min_price, max_price, min_discount, min_rating, discounted_only, prime_only } = query
    const { seenSince, updatedSince } = query
    const least = (column: ArrayLike<number>, limit: number | undefined): RowTest[] =>
      limit === undefined ? [] : [(row) => (column[row] ?? 0) >= limit]
    const isPrime = (row: number) => this.#columns.isPrime(row)
    return [
      ...least(price, min_price),
      ...(max_price === undefined ? [] : [(row: number) => (price[row] ?? 0) <= max_price]),
      ...least(off, min_discount),
      ...least(off, discounted_only ? 0 : undefined),
      // Kept with fewer digits than a limit has.
      ...least(rating, min_rating === undefined ? undefined : Math.fround(min_rating)),
      ...least(firstSeen, seenSince && seenSince.getTime() * 1000),
      ...least(lastUpdated, updatedSince && updatedSince.getTime() * 1000),
      ...(prime_only ? [isPrime] : []),
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

  /** Visits each candidate that passes the tests, once; false when they are too many for that. */
  #visit(candidates: Candidates, tests: RowTest[], visit: (row: number) => void): boolean {
    if (candidates.kind === 'all') return false
    const isMet = inTime(tests, this.#longestMs)
    const visitRow = (row: number) => {
      if (isMet(row)) visit(row)
    }
    if (candidates.kind === 'rows') {
      if (countUpTo(candidates.bits, this.#fewRows) > this.#fewRows) return false
      forEachRow(candidates.bits, visitRow)
    } else this.#forMatches(candidates.words, visitRow)
    return true
  }

  /** Along the order until the page is full. */
  #walk({ sort, cursor }: FeedQuery, candidates: Candidates, tests: RowTest[], most: number): number[] {
    const rows = this.#orders[sort].rows()
    const found: number[] = []
    const isMet = inTime(tests, this.#longestMs)
    for (let at = cursor ? firstWhere(rows, this.#isBehind(cursor)) : 0; at < rows.length; at++) {
      const row = rows[at] ?? 0
      if (isAmong(candidates, row) && isMet(row) && found.push(row) === most) break
    }
    return found
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

  #keys(sort: DealSort): { key: (row: number) => number; sign: 1 | -1 } {
    const columns = this.#columns
    switch (sort) {
      case 'newest':
        return { key: (row) => columns.firstSeen[row] ?? 0, sign: -1 }
      case 'discount':
        return { key: (row) => columns.off[row] ?? 0, sign: -1 }
      case 'price':
        return { key: (row) => columns.price[row] ?? 0, sign: 1 }
      case 'discord':
        return { key: (row) => columns.posted[row] ?? 0, sign: -1 }
      case 'updated':
        return { key: (row) => columns.lastUpdated[row] ?? 0, sign: -1 }
      case 'best':
        return { key: (row) => columns.best[row] ?? 0, sign: -1 }
    }
  }

  /** Orders rows by the sort's key, those of one key by id in the same direction. */
  #comparer(sort: DealSort): (a: number, b: number) => number {
    const { key, sign } = this.#keys(sort)
    return (a, b) => {
      const [left, right] = [key(a), key(b)]
      if (left !== right) return left < right ? -sign : sign
      return sign * ((this.#columns.id[a] ?? 0) - (this.#columns.id[b] ?? 0))
    }
  }

  #isBehind({ sort, key: text, id }: Cursor): RowTest {
    const { key, sign } = this.#keys(sort)
    const last = keyOf(text)
    return (row) => {
      const own = key(row)
      return own === last ? sign * ((this.#columns.id[row] ?? 0) - id) > 0 : own > last === sign > 0
    }
  }
}

/** All deals; those with one of these words, few enough to look at each; or the rows that these bits name. */
type Candidates = { kind: 'all' } | { kind: 'words'; words: WordSet[] } | { kind: 'rows'; bits: RowBits }

function isAmong(candidates: Candidates, row: number): boolean {
  return candidates.kind !== 'rows' || hasRow(candidates.bits, row)
}

/** A cursor's key as the columns have it. */
function keyOf(text: string): number {
  if (text === '-infinity') return -Infinity
  if (!text.includes(':')) return Number(text)
  // Of six decimals a Date has three.
  const [, microseconds = ''] = /\.\d{3}(\d{1,3})/.exec(text) ?? []
  return Date.parse(text) * 1000 + Number(microseconds.padEnd(3, '0'))
}

/** The other way round. */
function keyText(sort: DealSort, key: number): string {
  if (sort === 'price' || sort === 'discount' || sort === 'best') return String(key)
  if (key === -Infinity) return '-infinity'
  const microseconds = String(((key % 1000) + 1000) % 1000).padStart(3, '0')
  return `${new Date(Math.floor(key / 1000)).toISOString().slice(0, -1)}${microseconds}Z`
}

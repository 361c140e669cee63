import { addRow, bitsFor, hasRow } from './row-bits.ts'

/** With more changes than this all rows are sorted anew, which then is as fast and needs no list of them. */
const mostChanges = 200_000
/** Room for so many times the rows there are, so that it lasts for a while. */
const growth = 1.1

/** The rows of an index in one order, brought up to date when asked for. */
export class SortOrder {
  #rows: Uint32Array = new Uint32Array(0)
  /** What the rows are merged into, so that memory isn't taken anew at each change: it would be collected far too late. */
  #room: Uint32Array = new Uint32Array(0)
  #spare: Uint32Array = new Uint32Array(0)
  #changed = new Set<number>()
  readonly #compare: (a: number, b: number) => number
  readonly #isThere: (row: number) => boolean
  readonly #all: () => Uint32Array
  // All rows that come before anybody asks are sorted at once.
  #isStale = true

  /** `compare`: as for an array's `sort`, never 0 for two rows. `all`: every row there is, in a list of its own. */
  constructor(
    compare: (a: number, b: number) => number,
    isThere: (row: number) => boolean,
    all: () => Uint32Array,
  ) {
    this.#compare = compare
    this.#isThere = isThere
    this.#all = all
  }

  /** Notes that a row's keys have changed, or that it has come or gone. */
  touch(row: number): void {
    if (this.#isStale) return
    this.#changed.add(row)
    if (this.#changed.size <= mostChanges) return
    this.#isStale = true
    this.#changed = new Set()
  }

  get isOutdated(): boolean {
    return this.#isStale || this.#changed.size > 0
  }

  /** All rows in order; good until the next change. */
  rows(): Uint32Array {
    if (this.#isStale) {
      this.#rows = this.#all().sort(this.#compare)
      this.#room = this.#rows
      this.#isStale = false
    } else if (this.#changed.size > 0) this.#update()
    return this.#rows
  }

  #update(): void {
    const added = Uint32Array.from([...this.#changed].filter(this.#isThere)).sort(this.#compare)
    const most = this.#rows.length + added.length
    const merged = this.#spare.length < most ? new Uint32Array(Math.ceil(most * growth)) : this.#spare
    // A bit for each row: looking all rows up in the set itself would take most of the time.
    const changed = bitsFor(largest(this.#changed) + 1)
    for (const row of this.#changed) addRow(changed, row)
    let kept = 0
    for (const row of this.#rows) if (!hasRow(changed, row)) merged[kept++] = row
    const count = kept + added.length
    // From the end, so that each row is moved once.
    for (let at = added.length - 1; at >= 0; at -= 1) {
      const row = added[at] ?? 0
      const place = firstWhere(merged.subarray(0, kept), (other) => this.#compare(row, other) < 0)
      merged.copyWithin(place + at + 1, place, kept)
      merged[place + at] = row
      kept = place
    }
    this.#spare = this.#room
    this.#room = merged
    this.#rows = merged.subarray(0, count)
    this.#changed = new Set()
  }
}

/** The first place in `rows` from which on a test holds. */
export function firstWhere(rows: Uint32Array, test: (row: number) => boolean): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (test(rows[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

/** One by one: there may be more than a call takes arguments. */
function largest(rows: Iterable<number>): number {
  let most = 0
  for (const row of rows) most = Math.max(most, row)
  return most
}

/** The first `most` of any number of rows. */
export class TopRows {
  readonly #most: number
  readonly #compare: (a: number, b: number) => number
  #rows: number[] = []
  /** Once there are enough: whoever comes behind it is not among the first. */
  #last: number | undefined

  constructor(most: number, compare: (a: number, b: number) => number) {
    this.#most = most
    this.#compare = compare
  }

  add(row: number): void {
    if (this.#last !== undefined && this.#compare(row, this.#last) > 0) return
    this.#rows.push(row)
    if (this.#rows.length >= 4 * this.#most) this.#cut()
  }

  rows(): number[] {
    this.#cut()
    return this.#rows
  }

  #cut(): void {
    this.#rows.sort(this.#compare)
    if (this.#rows.length <= this.#most) return
    this.#rows.length = this.#most
    this.#last = this.#rows[this.#most - 1]
  }
}

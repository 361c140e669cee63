import type { Client, Outcome } from './client.ts'
import type { Installation } from './installation.ts'

/**
 * Items of one transaction of an import on one connection (decision 9): from above one to and with the four thousandth
 * after it. Lists that are killed in the middle are too small for two, whose transactions are of other sizes.
 */
const chunkRows = 4_001

/**
 * A list of items imported again and again, each time at another price. A killed import may leave whole chunks of
 * the new prices behind, in the order of the item IDs; an acknowledged one has left all of them.
 */
export class Imports {
  acknowledged = 0
  readonly #prefix: string
  readonly #count: number
  #price = 0
  /** The price every item is known to have; 0 while there are none. */
  #sure = 0
  /** The price of an import whose answer never came. */
  #possible: number | undefined

  /** `letter` distinguishes its items from those of other lists. */
  constructor(letter: string, count: number) {
    this.#prefix = `B0${letter}`
    this.#count = count
  }

  /** Goes on until it is stopped, or until an import's end is uncertain. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#possible === undefined) await this.once(client)
  }

  /** Hands the list in once, at a new price. Throws when it is refused, or acknowledged and not complete. */
  async once(client: Client): Promise<Outcome> {
    this.#price += 1
    this.#possible = this.#price
    return this.#send(client)
  }

  /** Hands in the last list once more: whatever was left of it is completed. Throws unless that is acknowledged. */
  async complete(client: Client): Promise<void> {
    const outcome = await this.#send(client)
    if (outcome.kind !== 'acknowledged') throw new Error(`Completing an import: ${JSON.stringify(outcome)}`)
  }

  /** What is wrong with what the database has now. */
  async check(installation: Installation): Promise<string[]> {
    const rows = await installation.query<{ asin: string; price: string }>(
      'select asin, price from deals where starts_with(asin, $1) order by asin',
      [this.#prefix],
    )
    const prices = new Map(rows.map(({ asin, price }) => [asin, Number(price)]))
    const all = Array.from({ length: this.#count }, (_, n) => this.#asin(n)).sort()
    const current = all.map((asin) => prices.get(asin) ?? 0)
    const possible = this.#possible ?? this.#sure
    const wrong = current.find((price) => price !== this.#sure && price !== possible)
    if (wrong !== undefined)
      return [`An item of ${this.#prefix} costs ${wrong}, not ${this.#sure} or ${possible}`]
    const isWhole = this.#isWhole(current)
    const stored = current.filter((price) => price === possible).length
    // Whatever is left of an import is completed by handing it in again, as decision 9 says.
    this.#possible = undefined
    this.#sure = stored === this.#count ? possible : this.#sure
    return isWhole
      ? []
      : [`${stored} of ${this.#count} items of ${this.#prefix} have the new price: half a chunk`]
  }

  async #send(client: Client): Promise<Outcome> {
    const outcome = await client.import(this.#rows(this.#price))
    if (outcome.kind === 'refused') throw new Error(`An import was refused: ${JSON.stringify(outcome.body)}`)
    if (outcome.kind === 'unknown') return outcome
    const { created, updated, unchanged } = Object(outcome.body)
    if (created + updated + unchanged !== this.#count)
      throw new Error(`Of ${this.#count} rows arrived: ${JSON.stringify(outcome.body)}`)
    this.#sure = this.#price
    this.#possible = undefined
    this.acknowledged += 1
    return outcome
  }

  #isWhole(prices: number[]): boolean {
    const isNew = prices.map((price) => price !== this.#sure)
    const count = isNew.filter(Boolean).length
    return isNew.lastIndexOf(true) === count - 1 && (count === prices.length || count % chunkRows === 0)
  }

  #asin(n: number): string {
    // Spread over the IDs in no particular order, so that chunks aren't the order of the rows.
    return this.#prefix + ((n * 48_271) % 2_147_483_647).toString(36).toUpperCase().padStart(7, '0')
  }

  #rows(price: number): object[] {
    return Array.from({ length: this.#count }, (_, n) => ({
      asin: this.#asin(n),
      title: `Enamel kettle ${this.#prefix} row ${n % 400} shelf`,
      price,
      availability: 'In stock',
    }))
  }
}

import { plainText } from '@dealdeck/query/folding'

/** A visible deal as the table has it: the title folded, times in whole microseconds since 1970. */
export type IndexedDeal = {
  id: number
  asin: string
  title: string
  brand: string | null
  category: string | null
  condition: string | null
  price: number
  off: number | null
  rating: number | null
  reviews: number | null
  isPrime: boolean
  hasListPrice: boolean
  isSample: boolean
  firstSeen: number
  lastChecked: number
  lastUpdated: number
  endsAt: number | null
  /** -Infinity for a deal that hasn't been posted. */
  posted: number
  verdict: string | null
  underTypical: number | null
  lowDays: number | null
  drop: number | null
  droppedAt: number | null
  /** Far below 0 for a deal without a verdict. */
  best: number
}

const [prime, listPrice, sample] = [1, 2, 4]
/** What the flags of a deal say, by their number. */
export const allFlags = Array.from({ length: 8 }, (_, flags) => ({
  isPrime: (flags & prime) !== 0,
  hasListPrice: (flags & listPrice) !== 0,
  isSample: (flags & sample) !== 0,
}))
/** What stands in a column of numbers or codes for what is not known. */
export const none = -1
/** Ratings have one decimal; a limit may have more. */
export const tenths = (rating: number): number => Math.round(rating * 10_000_000) / 1_000_000
/** Room for so many times the rows there are, so that it lasts for a while. */
const growth = 1.25

/** What fewer names take of memory is worth no reading of all deals anew. */
const fewNames = 20_000

/** Texts that many deals share, each kept once: as it is spelled, and in the form that questions compare. */
export class Names {
  readonly spelled: string[] = []
  readonly texts: string[] = []
  readonly #codes = new Map<string, number>()

  codeOf(name: string | null): number {
    if (name === null) return none
    let code = this.#codes.get(name)
    if (code === undefined) {
      code = this.spelled.push(name) - 1
      this.texts.push(plainText(name))
      this.#codes.set(name, code)
    }
    return code
  }
}

/** The columns of all indexed deals; a deal is a row number, which another one gets when it goes. */
export class DealColumns {
  capacity = 1024
  id = new Float64Array(this.capacity)
  price = new Float64Array(this.capacity)
  off = new Int16Array(this.capacity)
  /** In tenths. */
  rating = new Int16Array(this.capacity)
  reviews = new Int32Array(this.capacity)
  flags = new Uint8Array(this.capacity)
  firstSeen = new Float64Array(this.capacity)
  lastChecked = new Float64Array(this.capacity)
  lastUpdated = new Float64Array(this.capacity)
  endsAt = new Float64Array(this.capacity)
  posted = new Float64Array(this.capacity)
  underTypical = new Int16Array(this.capacity)
  lowDays = new Int16Array(this.capacity)
  drop = new Int16Array(this.capacity)
  droppedAt = new Float64Array(this.capacity)
  best = new Float64Array(this.capacity)
  verdict = new Int32Array(this.capacity)
  brand = new Int32Array(this.capacity)
  category = new Int32Array(this.capacity)
  condition = new Int32Array(this.capacity)
  asin = new Float64Array(this.capacity)
  /** Another one each time a deal is set: of two equal ones nothing has changed in between. */
  version = new Uint32Array(this.capacity)
  #versions = 0
  readonly brands = new Names()
  readonly categories = new Names()
  readonly conditions = new Names()
  readonly verdicts = new Names()

  set(row: number, deal: IndexedDeal): void {
    if (row >= this.capacity) this.#grow()
    this.id[row] = deal.id
    this.version[row] = ++this.#versions
    this.price[row] = deal.price
    this.off[row] = deal.off ?? none
    this.rating[row] = deal.rating === null ? none : tenths(deal.rating)
    this.reviews[row] = deal.reviews ?? none
    this.flags[row] =
      (deal.isPrime ? prime : 0) | (deal.hasListPrice ? listPrice : 0) | (deal.isSample ? sample : 0)
    this.firstSeen[row] = deal.firstSeen
    this.lastChecked[row] = deal.lastChecked
    this.lastUpdated[row] = deal.lastUpdated
    this.endsAt[row] = deal.endsAt ?? Number.NaN
    this.posted[row] = deal.posted
    this.underTypical[row] = deal.underTypical ?? none
    this.lowDays[row] = deal.lowDays ?? none
    this.drop[row] = deal.drop ?? none
    this.droppedAt[row] = deal.droppedAt ?? Number.NaN
    this.best[row] = deal.best
    this.verdict[row] = this.verdicts.codeOf(deal.verdict)
    this.brand[row] = this.brands.codeOf(deal.brand)
    this.category[row] = this.categories.codeOf(deal.category)
    this.condition[row] = this.conditions.codeOf(deal.condition)
    this.asin[row] = Number.parseInt(deal.asin, 36)
  }

  /**
   * Whether most names that are kept are of no deal any more, with so many deals: each has one of both kinds at most, but a source may give
   * them ever new ones.
   */
  isWasteful(deals: number): boolean {
    const names = this.brands.texts.length + this.categories.texts.length
    return names > fewNames && names > 4 * deals
  }

  #grow(): void {
    this.capacity = Math.ceil(this.capacity * growth)
    const { capacity } = this
    // What was is given back at once: as garbage it would lie beside what is, for long, since these arrays are outside of the heap.
    const grown = <Column extends { readonly buffer: ArrayBuffer; readonly BYTES_PER_ELEMENT: number }>(
      make: new (buffer: ArrayBuffer) => Column,
      column: Column,
    ): Column => new make(column.buffer.transfer(capacity * column.BYTES_PER_ELEMENT))
    this.id = grown(Float64Array, this.id)
    this.price = grown(Float64Array, this.price)
    this.off = grown(Int16Array, this.off)
    this.rating = grown(Int16Array, this.rating)
    this.reviews = grown(Int32Array, this.reviews)
    this.flags = grown(Uint8Array, this.flags)
    this.firstSeen = grown(Float64Array, this.firstSeen)
    this.lastChecked = grown(Float64Array, this.lastChecked)
    this.lastUpdated = grown(Float64Array, this.lastUpdated)
    this.endsAt = grown(Float64Array, this.endsAt)
    this.posted = grown(Float64Array, this.posted)
    this.underTypical = grown(Int16Array, this.underTypical)
    this.lowDays = grown(Int16Array, this.lowDays)
    this.drop = grown(Int16Array, this.drop)
    this.droppedAt = grown(Float64Array, this.droppedAt)
    this.best = grown(Float64Array, this.best)
    this.verdict = grown(Int32Array, this.verdict)
    this.brand = grown(Int32Array, this.brand)
    this.category = grown(Int32Array, this.category)
    this.condition = grown(Int32Array, this.condition)
    this.asin = grown(Float64Array, this.asin)
    this.version = grown(Uint32Array, this.version)
  }
}

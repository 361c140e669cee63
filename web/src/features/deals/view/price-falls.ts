import type { Deal } from '@dealdeck/contract/deals'
import { isGone } from '../view.ts'

/** Prices before they fell, by the ids of the deals. */
export type Falls = ReadonlyMap<number, number>

/** The prices that fell while somebody watched them; lives as long as the page. */
export class PriceFalls {
  readonly #highest = new Map<number, number>()
  /** The prices that the reader has been told of, or has put away. */
  readonly #known = new Map<number, number>()
  #falls: Falls = new Map()

  /** What has fallen: the price each deal had. The same object until something changes. */
  get falls(): Falls {
    return this.#falls
  }

  /** Which of these deals, as a list has them, have fallen further than the reader knows of. Removed ones don't count. */
  unseen(deals: readonly Deal[]): number[] {
    return deals.filter((deal) => this.#isUnseen(deal)).map(({ id }) => id)
  }

  /** These deals are loaded, at these prices. */
  watch(deals: readonly Deal[]): void {
    const falls = new Map(this.#falls)
    let changed = false
    for (const { id, price } of deals) {
      const highest = this.#highest.get(id) ?? price
      if (price >= highest) {
        this.#highest.set(id, price)
        // Back where it was: no fall any more, and the next one is told again.
        if (falls.delete(id)) changed = true
        this.#known.delete(id)
      } else if (falls.get(id) !== highest) {
        falls.set(id, highest)
        changed = true
      }
    }
    if (changed) this.#falls = falls
  }

  /** The reader knows of the falls of these deals. */
  putAway(deals: readonly Deal[]): void {
    for (const deal of deals) if (this.#isUnseen(deal)) this.#known.set(deal.id, deal.price)
  }

  #isUnseen(deal: Deal): boolean {
    const { id, price } = deal
    return price < (this.#falls.get(id) ?? 0) && price < (this.#known.get(id) ?? price + 1) && !isGone(deal)
  }
}

/** What Home and the feed have watched. */
export const priceFalls = new PriceFalls()

import type { Deal } from '@dealdeck/contract/deals'

/** Prices before they fell, by the ids of the deals. */
export type Falls = ReadonlyMap<number, number>

/** The prices that fell while somebody watched them; lives as long as the page. */
export class PriceFalls {
  readonly #highest = new Map<number, number>()
  readonly #known = new Set<number>()
  #falls: Falls = new Map()

  /** What has fallen: the price each deal had. The same object until something changes. */
  get falls(): Falls {
    return this.#falls
  }

  /** The deals whose fall the reader hasn't been told of, or has not put away. */
  get unseen(): number[] {
    return [...this.#falls.keys()].filter((id) => !this.#known.has(id))
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

  /** The reader knows of these, or of all. */
  putAway(ids: Iterable<number> = this.#falls.keys()): void {
    for (const id of ids) if (this.#falls.has(id)) this.#known.add(id)
  }
}

/** What Home and the feed have watched. */
export const priceFalls = new PriceFalls()

/** '1 price fell', '3 prices fell'; undefined without any. */
export function fallsLine(count: number, number: (value: number) => string): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? '1 price fell' : `${number(count)} prices fell`
}

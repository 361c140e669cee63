import { isPriced, type PriceRun, type Run } from './history.ts'
import { suspectRuns } from './suspects.ts'

/** A history made ready once for all that looks at it. `byPrice` of each: the same runs, cheapest first. */
export type Series = {
  /** All runs, those without an offer too, oldest first; of them those with a price; of those the ones that aren't suspect. */
  runs: readonly Run[]
  priced: readonly PriceRun[]
  trusted: readonly PriceRun[]
  pricedByPrice: readonly PriceRun[]
  trustedByPrice: readonly PriceRun[]
  suspects: ReadonlySet<PriceRun>
}

export function seriesOf(runs: readonly Run[]): Series {
  const priced = runs.filter(isPriced)
  // Of one price the oldest stays first.
  const pricedByPrice = priced.toSorted((a, b) => a.price - b.price)
  const suspects = suspectRuns(runs, pricedByPrice)
  const isTrusted = (run: PriceRun) => !suspects.has(run)
  return {
    runs,
    priced,
    trusted: suspects.size === 0 ? priced : priced.filter(isTrusted),
    pricedByPrice,
    trustedByPrice: suspects.size === 0 ? pricedByPrice : pricedByPrice.filter(isTrusted),
    suspects,
  }
}

import type { News } from './new-deals.ts'

/** '2 new, from $4.99', '1 new, $4.99', '200+ new'; undefined without any. */
export function newsLine(
  { deals, hasMore }: News,
  number: (value: number) => string,
  money: (amount: number) => string,
): string | undefined {
  const [cheapest] = deals
  if (cheapest === undefined) return undefined
  // The cheapest of all may be among those that are not known.
  if (hasMore) return `${number(deals.length)}+ new`
  return `${number(deals.length)} new, ${deals.length > 1 ? 'from ' : ''}${money(cheapest.price)}`
}

/** '1 price fell', '3 prices fell'; undefined without any. */
export function fallsLine(count: number, number: (value: number) => string): string | undefined {
  if (count === 0) return undefined
  return count === 1 ? '1 price fell' : `${number(count)} prices fell`
}

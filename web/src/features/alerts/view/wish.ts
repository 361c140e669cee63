/** What somebody wanted to be told of before they had a destination: a saved search or a deal, by its id. */
export type Wish = { search: number } | { deal: number }

/** The same in an address: 'search-12', 'deal-34'. */
export const wishText = (wish: Wish): string =>
  'search' in wish ? `search-${wish.search}` : `deal-${wish.deal}`

/** Reads that, typed by the app or by hand; undefined where it makes no sense. */
export function wishOf(text: unknown): Wish | undefined {
  const [, kind, id] = /^(search|deal)-(\d{1,15})$/.exec(String(text)) ?? []
  if (kind === undefined) return undefined
  return kind === 'search' ? { search: Number(id) } : { deal: Number(id) }
}

import type { z } from 'zod'
import type { dealCountInputSchema, dealListInputSchema } from './deals.ts'

type DealListQuestion = z.input<typeof dealListInputSchema>
type DealCountQuestion = z.input<typeof dealCountInputSchema>

/** A route as far as its address goes; of more than that the browser has nothing. */
type Addressed = { '~orpc': { route: { path?: string | undefined } } }

/** The routes whose answers a page may bring along. */
export type PreloadedRoutes = {
  settings: { current: Addressed }
  session: { current: Addressed }
  deals: { list: Addressed; count: Addressed; stats: Addressed; getByAsin: Addressed }
  home: { current: Addressed }
  filters: { list: Addressed }
}

/** The same of routes that a deal's own page asks, which no other screen begins with. */
export type PreloadedLaterRoutes = { prices: { list: Addressed; verdict: Addressed } }

/** The header of lists, counts and stats of deals, and of a deal by its ASIN: their revision, or an earlier one, as the stream's ids have it. In a page by this name too. */
export const revisionHeader = 'dealdeck-revision'

/** What Home asks the list of deals for. */
export const newestQuestion = { limit: 20 } satisfies DealListQuestion

/** What the feed asks for first when its reader has chosen nothing. */
export const defaultQuestion = { sort: 'newest', max_price: 30, limit: 50 } satisfies DealListQuestion

/** What it asks to have counted then. */
const defaultCountQuestion = { max_price: 30 } satisfies DealCountQuestion

/**
 * The addresses that the server answers in a page before its program asks, and by which the program looks the answers up.
 * Both make them here, the one from the contract, the other from what the build leaves of it.
 */
export const preloadsOf = (routes: PreloadedRoutes) => ({
  settings: pathOf(routes.settings.current),
  session: pathOf(routes.session.current),
  /** A page of deals, as the typed client asks for it: in the order of the question, for pages are cached by their address. */
  deals: (question: DealListQuestion = defaultQuestion) =>
    `${pathOf(routes.deals.list)}?${queryOf(question)}`,
  /** How many deals there are, asked for in the same way. */
  count: (question: DealCountQuestion = defaultCountQuestion) =>
    `${pathOf(routes.deals.count)}?${queryOf(question)}`,
  stats: pathOf(routes.deals.stats),
  home: pathOf(routes.home.current),
  filters: pathOf(routes.filters.list),
})

/** The address of a route with its one parameter, such as a deal's ID. */
export const addressOf = (route: Addressed, value: string | number): string =>
  pathOf(route).replace(/{\w+}/, encodeURIComponent(value))

/** The addresses of what is asked about a deal's prices. */
export const pricePathsOf = ({ prices }: PreloadedLaterRoutes, id: number) => ({
  list: addressOf(prices.list, id),
  verdict: addressOf(prices.verdict, id),
})

// The cast holds: URLSearchParams makes texts of the values by itself.
const queryOf = (question: object) => new URLSearchParams(question as Record<string, string>)
const pathOf = (route: Addressed): string => route['~orpc'].route.path ?? ''

import { conjunctsOf, isThatHidden, leavesOf } from '@dealdeck/query/question'
import { type FeedQuery, type FilterName, filtersIn } from './conditions.ts'
import { type PriceSpread, shareOfPrices } from './price-shares.ts'

/**
 * How the deals of a page are found. Every plan finds the same ones, at different costs. With `isGeneric` a connection
 * lets PostgreSQL plan the statement once for all values; all other statements are planned for their values.
 */
export type PagePlan =
  /** Along the sort's index, comparing each deal with filters and text until the page is full. */
  | { kind: 'sort-scan'; isGeneric: boolean }
  /** Without a text, by the plan that PostgreSQL finds best for the values of these filters. */
  | { kind: 'filtered' }
  /** Hidden deals only, from an index of their own, then sorted: however many they are, the others aren't read. */
  | { kind: 'hidden' }
  /** All deals with the words, from the index of words, then sorted. `words`: for each piece of the text any of these. */
  | { kind: 'postings'; words: string[][] }

/** What the database says that bears on how to find a page; `readStatistics` reads it. */
export type Statistics = {
  /** Undefined where the database has counted none and where `readsPrices` is false. */
  prices?: PriceSpread | undefined
  /** Undefined where no index finds the words, and where PostgreSQL knows that no deal can pass. */
  search?: SearchStatistics | undefined
}

type SearchStatistics = {
  /** For each piece of the text all words of titles that can hold it, but for pieces which are in too many of them. */
  words: string[][]
  rows: RowEstimates
}

/** How many deals PostgreSQL expects. */
export type RowEstimates = {
  all: number
  /** With the filters. */
  filtered: number
  /** With a word for the rarest piece of the text, and with one for every piece. */
  rarest: number
  together: number
}

/** The plan of a page. Statistics that are wrong cost time, never a deal. */
export function planPage(query: FeedQuery, { prices, search }: Statistics): PagePlan {
  if (query.search === '') {
    if (conjunctsOf(query.asked?.condition ?? null).some(isThatHidden)) return { kind: 'hidden' }
    if (usesGenericPlan(query, prices)) return { kind: 'sort-scan', isGeneric: true }
    return comparesIndexedTitles(query) ? { kind: 'sort-scan', isGeneric: false } : { kind: 'filtered' }
  }
  return search && arePostingsCheaper(search)
    ? { kind: 'postings', words: search.words }
    : { kind: 'sort-scan', isGeneric: false }
}

/** Whether fetching all deals with the words costs no more than a walk along the sort until the page is full. */
function arePostingsCheaper({ words, rows: { all, filtered, rarest, together } }: SearchStatistics): boolean {
  // In the time of fetching one deal, as measured; with many words each takes longer. Pieces of a text may stand together
  // more often than chance has it, or hardly ever: each way is judged by what is worst for it.
  const postings = rarest * (1 + words.flat().length / 30)
  return postings <= (12 * all * all) / (together * filtered)
}

/**
 * Whether a question compares titles that the sort's index holds: deals that are compared in vain are not fetched then. The
 * indexes of `updated` and `best` hold no titles, and none holds hidden deals.
 */
function comparesIndexedTitles({ asked, sort, includeHidden }: FeedQuery): boolean {
  if (sort === 'updated' || sort === 'best' || includeHidden) return false
  return leavesOf(asked?.condition ?? null).some(({ kind }) => kind === 'text')
}

type IsGeneric = (query: FeedQuery, prices: PriceSpread | undefined) => boolean
const always: IsGeneric = () => true

/**
 * The filters whose values needn't be known for a walk along the sort's index to be right, each with the condition for that.
 * With any other filter a page is planned for its values.
 */
const genericFilters: Partial<Record<FilterName, IsGeneric>> = {
  min_price: hasEnoughBetweenPrices,
  max_price: hasEnoughBetweenPrices,
  prime_only: always,
  // Each ends the walk, as the index has those deals first.
  min_discount: ({ sort }) => sort === 'discount',
  discounted_only: ({ sort }) => sort === 'discount',
  seenSince: ({ sort }) => sort === 'newest',
  updatedSince: ({ sort }) => sort === 'updated',
}

/** Whether a walk along the sort's index is right whatever the values of the filters. */
function usesGenericPlan(query: FeedQuery, prices: PriceSpread | undefined): boolean {
  return filtersIn(query).every((name) => genericFilters[name]?.(query, prices) ?? false)
}

/** With fewer deals between the prices than this share of all, PostgreSQL may know a better plan than a scan past all others. */
const genericShare = 1 / 20

function hasEnoughBetweenPrices(query: FeedQuery, prices: PriceSpread | undefined): boolean {
  if (!readsPrices(query)) return true
  const { min_price = 0, max_price = Infinity } = query
  return prices !== undefined && shareOfPrices(min_price, max_price, prices) >= genericShare
}

/** Whether the plan of a page without a text depends on how many deals there are between two prices. */
export function readsPrices({ sort, min_price = 0, max_price }: FeedQuery): boolean {
  return sort !== 'price' && (min_price > 0 || max_price !== undefined)
}

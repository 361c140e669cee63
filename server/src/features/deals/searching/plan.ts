import { leavesOf } from '@dealdeck/query/question'
import type { Cursor } from '../rules.ts'
import { type FeedQuery, type FilterName, filtersIn, textsIn } from './conditions.ts'
import {
  type BucketShares,
  bucketOfDiscount,
  bucketOfPrice,
  bucketOfTime,
  kindOf,
  shareOfPrices,
} from './sort-buckets.ts'
import { type Windows, windowsFrom } from './windows.ts'

/**
 * How the deals of a page are found. Every plan finds the same ones, at different costs. With `isGeneric` a connection
 * lets PostgreSQL plan the statement once for all values; all other statements are planned for their values.
 */
export type PagePlan =
  /** Along the sort's index, comparing each deal with filters and text until the page is full. */
  | { kind: 'sort-scan'; isGeneric: boolean }
  /** Without a text, by the plan that PostgreSQL finds best for the values of these filters. */
  | { kind: 'filtered' }
  /** All deals with the words, from the index of words, then sorted. `words`: for each piece of the text any of these. */
  | { kind: 'postings'; words: string[][] }
  /** Deals with the words in one window of the sort after the other and, if these don't fill the page, `behind` them. */
  | {
      kind: 'windowed'
      words: string[][]
      windows: Windows['buckets']
      behind: Behind | undefined
      isGeneric: boolean
    }

/** How to find the deals that follow the windows, and the cursor behind which they stand. */
export type Behind = { strategy: 'sort-scan' | 'postings'; cursor: Cursor }

/** What the database says that bears on how to find a page; `readStatistics` reads it. */
export type Statistics = {
  /** Empty where the database has counted none and where `readsShares` is false. */
  shares: BucketShares
  /** Undefined where no index finds the words, and where PostgreSQL knows that no deal can pass. */
  search?: SearchStatistics | undefined
}

export type SearchStatistics = {
  /** For each piece of the text all words of titles that can hold it, but for pieces which are in too many of them. */
  words: string[][]
  /** The bucket of the sort with the page's first deal, whatever its words. */
  firstBucket: number | undefined
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
export function planPage(query: FeedQuery, { shares, search }: Statistics): PagePlan {
  if (textsIn(query).length === 0) {
    if (usesGenericPlan('sort-scan', query, shares)) return { kind: 'sort-scan', isGeneric: true }
    return comparesIndexedTitles(query) ? { kind: 'sort-scan', isGeneric: false } : { kind: 'filtered' }
  }
  if (!search) return { kind: 'sort-scan', isGeneric: false }
  const { words, rows } = search
  const windows = windowsOf(query, search, shares)
  const { strategy, behind } = chooseSearchStrategy({
    ...rows,
    words: words.reduce((sum, some) => sum + some.length, 0),
    share: windows?.share ?? 1,
  })
  if (strategy === 'windowed' && windows) {
    const { buckets, end } = windows
    const isGeneric = usesGenericPlan(strategy, query, shares)
    return {
      ...{ kind: strategy, words, windows: buckets, isGeneric },
      behind: end && { strategy: behind, cursor: end },
    }
  }
  return (strategy === 'windowed' ? behind : strategy) === 'sort-scan'
    ? { kind: 'sort-scan', isGeneric: false }
    : { kind: 'postings', words }
}

/**
 * Whether a question compares titles that the sort's index holds: deals that are compared in vain are not fetched then. The
 * index of `updated` holds no titles, and none holds hidden deals.
 */
function comparesIndexedTitles({ asked, sort, includeHidden }: FeedQuery): boolean {
  if (sort === 'updated' || includeHidden) return false
  return leavesOf(asked?.condition ?? null).some(({ kind }) => kind === 'text')
}

type IsGeneric = (query: FeedQuery, shares: BucketShares) => boolean
const always: IsGeneric = () => true

/**
 * The filters whose values a plan needn't know to be the right one, each with the condition for that: those of a walk
 * along the sort's index, and those of deals that are looked up in the index of words. With any other filter a page is
 * planned for its values.
 */
const genericFilters: Record<'sort-scan' | 'windowed', Partial<Record<FilterName, IsGeneric>>> = {
  'sort-scan': {
    min_price: hasEnoughBetweenPrices,
    max_price: hasEnoughBetweenPrices,
    prime_only: always,
    // Each ends the walk, as the index has those deals first.
    min_discount: ({ sort }) => sort === 'discount',
    discounted_only: ({ sort }) => sort === 'discount',
    seenSince: ({ sort }) => sort === 'newest',
    updatedSince: ({ sort }) => sort === 'updated',
  },
  windowed: {
    ...{ min_price: always, max_price: always, prime_only: always },
    ...{ min_discount: always, discounted_only: always, min_rating: always },
    ...{ seenSince: always, updatedSince: always },
  },
}

/** Whether a plan of this kind is right whatever the values of the filters. */
function usesGenericPlan(kind: 'sort-scan' | 'windowed', query: FeedQuery, shares: BucketShares): boolean {
  return filtersIn(query).every((name) => genericFilters[kind][name]?.(query, shares) ?? false)
}

/** With fewer deals between the prices than this share of all, PostgreSQL may know a better plan than a scan past all others. */
const genericShare = 1 / 20

function hasEnoughBetweenPrices(query: FeedQuery, shares: BucketShares): boolean {
  const { min_price = 0, max_price = Infinity } = query
  return !readsShares(query) || shareOfPrices(min_price, max_price, shares) >= genericShare
}

/** Whether the plan of a page without a text depends on how many deals there are between two prices. */
export function readsShares({ sort, min_price = 0, max_price }: FeedQuery): boolean {
  return sort !== 'price' && (min_price > 0 || max_price !== undefined)
}

function windowsOf(query: FeedQuery, search: SearchStatistics, shares: BucketShares): Windows | undefined {
  const { firstBucket, rows } = search
  if (firstBucket === undefined) return undefined
  const { sort, limit, cursor, min_price, max_price, seenSince } = query
  const leastDiscount = query.min_discount ?? (query.discounted_only ? 0 : undefined)
  const lastDiscount = leastDiscount === undefined ? undefined : bucketOfDiscount(leastDiscount)
  return windowsFrom(firstBucket, sort, {
    // A little more than a page, since chance gives some windows less.
    wanted: (1.1 * limit * rows.all) / (rows.together * rows.filtered),
    rare: rows.rarest / rows.all,
    shares,
    isInside: cursor !== undefined || (sort === 'price' && min_price !== undefined),
    ...(sort === 'price' && max_price !== undefined && { last: bucketOfPrice(max_price) }),
    // Behind the last discount the list goes on with deals that have none, in buckets of another kind.
    ...(sort === 'discount' &&
      lastDiscount !== undefined &&
      kindOf(lastDiscount) === kindOf(firstBucket) && { last: lastDiscount }),
    ...(sort === 'newest' && seenSince !== undefined && { last: bucketOfTime(seenSince) }),
  })
}

/** Beside the rows: how many different words the pieces have, and the share of all deals in the first window. */
type SearchEstimates = RowEstimates & { words: number; share: number }

/**
 * The cheapest strategy of a search, and that for what lies behind windows which don't fill the page. Costs are in the
 * time of fetching one deal, as measured.
 */
export function chooseSearchStrategy({ all, filtered, rarest, together, words, share }: SearchEstimates) {
  // Pieces of a text may stand together more often than chance has it, or hardly ever: each strategy is judged by what
  // is worst for it. With many words each deal takes longer.
  const postings = rarest * (1 + words / 30)
  const sortScan = (12 * all * all) / (together * filtered)
  // A bucket with a large part of all deals, as after an import that gives no times, saves nothing.
  const windowed = 400 + 18 * words + rarest * share
  const behind: Behind['strategy'] = sortScan < together * (1 + words / 30) ? 'sort-scan' : 'postings'
  // Of words it has never counted PostgreSQL expects up to this many.
  if (postings <= Math.min(sortScan, Math.max(1_000, windowed)))
    return { strategy: 'postings', behind } as const
  return { strategy: sortScan <= windowed ? 'sort-scan' : 'windowed', behind } as const
}

import type { dealCountInputSchema, dealListInputSchema } from '@dealdeck/contract/deals'
import type { z } from 'zod'

/** What the very first request of the feed asks for: few deals, there at once. In the marketplace's currency. */
export const firstMaxPrice = 5

export type FeedSort = 'newest' | 'updated' | 'discount' | 'price'

/**
 * The feed's part of the address. Everything is optional: what is missing is the default.
 * `max` is an amount or 'any' for no limit; left out it is the user's own default.
 */
export type DealParams = {
  sort?: Exclude<FeedSort, 'newest'> | undefined
  q?: string | undefined
  min?: number | undefined
  max?: number | 'any' | undefined
  prime?: true | undefined
  today?: true | undefined
  /** At least so many percent off. */
  off?: number | undefined
  /** At least so many stars. */
  rating?: number | undefined
  discounted?: true | undefined
  /** The id of a deal to begin with, whatever the filters. */
  deal?: number | undefined
}

/** Reads an address, typed by the app or by hand. What makes no sense is the default, so this never fails. */
export const dealParamsSchema = {
  parse(search: Record<string, unknown>): DealParams {
    const { sort, q, min, max, prime, today, off, rating, discounted, deal } = search
    return {
      sort: sort === 'updated' || sort === 'discount' || sort === 'price' ? sort : undefined,
      q: readWords(q),
      min: readAmount(min) || undefined,
      max: max === 'any' ? 'any' : readAmount(max),
      prime: readFlag(prime),
      today: readFlag(today),
      off: readWithin(off, 100),
      rating: readWithin(rating, 5, 1),
      discounted: readFlag(discounted),
      deal: readWithin(deal, Number.MAX_SAFE_INTEGER),
    }
  },
}

function readWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  return String(value).slice(0, 200).toWellFormed().trim() || undefined
}

function readAmount(value: unknown): number | undefined {
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
  const rounded = isAmount ? Math.round(Number(value) * 100) / 100 : Number.NaN
  return rounded >= 0 && rounded <= 99_999_999.99 ? rounded : undefined
}

/** A number above 0 and not above `most`, with at most so many decimals. */
function readWithin(value: unknown, most: number, decimals = 0): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const isWithin = typeof number === 'number' && number > 0 && number <= most
  return isWithin && Number(number.toFixed(decimals)) === number ? number : undefined
}

function readFlag(value: unknown): true | undefined {
  return value === true || value === 'true' || value === 1 || value === '1' ? true : undefined
}

/** What the feed shows. Prices in the marketplace's currency; null is no limit. */
export type FeedFilters = {
  sort: FeedSort
  query: string
  min: number | null
  max: number | null
  primeOnly: boolean
  todayOnly: boolean
  /** At least so many percent off, at least so many stars; null is any. */
  minDiscount: number | null
  minRating: number | null
  discountedOnly: boolean
}

/** Every deal there is. */
export const noFilters = {
  ...{ query: '', min: null, max: null, primeOnly: false, todayOnly: false },
  ...{ minDiscount: null, minRating: null, discountedOnly: false },
} satisfies Omit<FeedFilters, 'sort'>

/** The filters of somebody who chose none. */
export function defaultFilters(defaultMax: number): FeedFilters {
  return { ...noFilters, sort: 'newest', max: defaultMax }
}

/** The filters an address stands for. */
export function filtersOf(search: DealParams, defaultMax: number): FeedFilters {
  return {
    sort: search.sort ?? 'newest',
    query: search.q ?? '',
    min: search.min ?? null,
    max: search.max === 'any' ? null : (search.max ?? defaultMax),
    primeOnly: search.prime ?? false,
    todayOnly: search.today ?? false,
    minDiscount: search.off ?? null,
    minRating: search.rating ?? null,
    discountedOnly: search.discounted ?? false,
  }
}

/** The address of some filters, the reverse of `filtersOf`; defaults are left out. */
export function paramsOf(filters: FeedFilters, defaultMax: number): DealParams {
  return {
    sort: filters.sort === 'newest' ? undefined : filters.sort,
    q: filters.query || undefined,
    min: filters.min ?? undefined,
    max: filters.max === defaultMax ? undefined : (filters.max ?? 'any'),
    prime: filters.primeOnly || undefined,
    today: filters.todayOnly || undefined,
    off: filters.minDiscount ?? undefined,
    rating: filters.minRating ?? undefined,
    discounted: filters.discountedOnly || undefined,
  }
}

/** Whether an address carries no filter at all. */
export function isDefault(search: DealParams): boolean {
  return Object.entries(search).every(([name, value]) => value === undefined || name === 'deal')
}

/** How many filters of the bar differ from their defaults. A price range counts once, sort and search don't. */
export function activeFilters(filters: FeedFilters, defaultMax: number): number {
  const range = filters.min !== null || filters.max !== defaultMax
  const { primeOnly, todayOnly, minDiscount, minRating, discountedOnly } = filters
  return [range, primeOnly, todayOnly, minDiscount, minRating, discountedOnly].filter(Boolean).length
}

/** One of the filters that hide deals: how it is called, and the change that ends it. */
export type HidingFilter = { label: string; without: Partial<FeedFilters> }

/** The filters that hide deals, beside the search; the price range counts as one. */
export function hidingFilters(filters: FeedFilters, money: (amount: number) => string): HidingFilter[] {
  const { min, max, primeOnly, todayOnly, minDiscount, minRating, discountedOnly } = filters
  const found: HidingFilter[] = []
  // A round amount reads better without its cents.
  const amount = (value: number) => money(value).replace(/[.,]00(?!\d)/, '')
  const add = (label: string, without: Partial<FeedFilters>) => found.push({ label, without })
  if (min !== null && max !== null) add(`${amount(min)} – ${amount(max)}`, { min: null, max: null })
  else if (max !== null) add(`≤ ${amount(max)}`, { max: null })
  else if (min !== null) add(`≥ ${amount(min)}`, { min: null })
  if (minDiscount !== null) add(`≥ ${minDiscount}% off`, { minDiscount: null })
  if (minRating !== null) add(`≥ ${minRating} stars`, { minRating: null })
  if (discountedOnly) add('Discounted only', { discountedOnly: false })
  if (primeOnly) add('Prime only', { primeOnly: false })
  if (todayOnly) add('Today only', { todayOnly: false })
  return found
}

/** Reads an amount as it is typed, with either decimal sign. Empty is null; anything else that is no amount is undefined. */
export function parseAmount(text: string): number | null | undefined {
  const trimmed = text.trim().replace(',', '.')
  if (trimmed === '') return null
  return /^(\d+\.?\d*|\.\d+)$/.test(trimmed) ? readAmount(Number(trimmed)) : undefined
}

/** The server's question for some filters. */
export function listInput(filters: FeedFilters, timeZone: string): z.input<typeof dealListInputSchema> {
  return { sort: filters.sort, ...countInput(filters, timeZone) }
}

/** The same without an order, which is how deals are counted. */
export function countInput(filters: FeedFilters, timeZone: string): z.input<typeof dealCountInputSchema> {
  return {
    ...(filters.query !== '' && { search: filters.query }),
    ...(filters.min !== null && { min_price: filters.min }),
    ...(filters.max !== null && { max_price: filters.max }),
    ...(filters.minDiscount !== null && { min_discount: filters.minDiscount }),
    ...(filters.minRating !== null && { min_rating: filters.minRating }),
    ...(filters.discountedOnly && { discounted_only: true }),
    ...(filters.primeOnly && { prime_only: true }),
    // Only a day has a time zone; without it everybody asks the same question and shares its answer.
    ...(filters.todayOnly && { today: true, time_zone: timeZone }),
  }
}

import type { Deal, DealPage, DealsEvent, dealListInputSchema } from '@dealdeck/contract/deals'
import { defaultQuestion, newestQuestion } from '@dealdeck/contract/preloads'
import type { z } from 'zod'

/** How many deals one page adds, and the most that one request may bring when a place in the list is restored. */
export const pageSize = defaultQuestion.limit
export const largestPage = 1000

/** How many deals Home shows. */
export const newestCount = newestQuestion.limit

/** What the very first request of the feed asks for: few deals, there at once. In the marketplace's currency. */
export const firstMaxPrice = 5

export type FeedSort = 'newest' | 'discount' | 'price'

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
}

/** Reads an address, typed by the app or by hand. What makes no sense is the default, so this never fails. */
export const dealParamsSchema = {
  parse(search: Record<string, unknown>): DealParams {
    const { sort, q, min, max, prime, today } = search
    return {
      sort: sort === 'discount' || sort === 'price' ? sort : undefined,
      q: readWords(q),
      min: readAmount(min) || undefined,
      max: max === 'any' ? 'any' : readAmount(max),
      prime: readFlag(prime),
      today: readFlag(today),
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
}

/** The filters of somebody who chose none. */
export function defaultFilters(defaultMax: number): FeedFilters {
  return { sort: 'newest', query: '', min: null, max: defaultMax, primeOnly: false, todayOnly: false }
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
  }
}

/** Whether an address carries no filter at all. */
export function isDefault(search: DealParams): boolean {
  return Object.values(search).every((value) => value === undefined)
}

/** How many filters of the bar differ from their defaults. A price range counts once, sort and search don't. */
export function activeFilters(filters: FeedFilters, defaultMax: number): number {
  const range = filters.min !== null || filters.max !== defaultMax
  return [range, filters.primeOnly, filters.todayOnly].filter(Boolean).length
}

/** Reads an amount as it is typed, with either decimal sign. Empty is null; anything else that is no amount is undefined. */
export function parseAmount(text: string): number | null | undefined {
  const trimmed = text.trim().replace(',', '.')
  if (trimmed === '') return null
  return /^(\d+\.?\d*|\.\d+)$/.test(trimmed) ? readAmount(Number(trimmed)) : undefined
}

/** The server's question for some filters. */
export function listInput(filters: FeedFilters, timeZone: string): z.input<typeof dealListInputSchema> {
  return {
    sort: filters.sort,
    ...(filters.query !== '' && { search: filters.query }),
    ...(filters.min !== null && { min_price: filters.min }),
    ...(filters.max !== null && { max_price: filters.max }),
    ...(filters.primeOnly && { prime_only: true }),
    // Only a day has a time zone; without it everybody asks the same question and shares its answer.
    ...(filters.todayOnly && { today: true, time_zone: timeZone }),
  }
}

/** An event of the stream as the contract's schema has it, or undefined. A test holds it to that schema. */
export function readDealsEvent(data: unknown): DealsEvent | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const [revision, added, changed, removed] = ['revision', 'added', 'changed', 'removed'].map(
    (name): unknown => Reflect.get(data, name),
  )
  const isRead = isNumber(revision) && isIds(added) && isIds(changed) && isIds(removed)
  return isRead ? { revision, added, changed, removed } : undefined
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isIds = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber)

/** The deals of all pages, each once, in the order they came. */
export function mergePages(pages: readonly DealPage[]): Deal[] {
  const byId = new Map<number, Deal>()
  for (const page of pages) for (const deal of page.items) if (!byId.has(deal.id)) byId.set(deal.id, deal)
  return [...byId.values()]
}

/** A removed deal that still has its place on the screen: it has no availability any more. */
export function isGone(deal: Deal): boolean {
  return deal.availability === null
}

/**
 * Pages without some removed deals. The first `kept` deals stay where they are and are only marked,
 * since the reader looks at them or has scrolled past them; those further down leave unseen.
 */
export function removeFromPages<Page extends DealPage>(
  pages: readonly Page[],
  removed: ReadonlySet<number>,
  kept: number,
): Page[] {
  let index = 0
  return pages.map((page) => {
    const first = index
    index += page.items.length
    if (!page.items.some((deal) => removed.has(deal.id))) return page
    const items = page.items.flatMap((deal, offset) => {
      if (!removed.has(deal.id)) return [deal]
      return first + offset < kept ? [{ ...deal, availability: null }] : []
    })
    return { ...page, items }
  })
}

/** Pages with some deals replaced by what the server says of them now. Untouched pages stay the same objects. */
export function updatePages<Page extends DealPage>(
  pages: readonly Page[],
  updated: ReadonlyMap<number, Deal>,
): Page[] {
  return pages.map((page) =>
    page.items.some((deal) => updated.has(deal.id))
      ? { ...page, items: page.items.map((deal) => updated.get(deal.id) ?? deal) }
      : page,
  )
}

/**
 * Puts the newest deals into the places of an endless row in which nothing moves: a deal keeps its place, and a new one
 * takes that of the oldest, which comes before the newest so far. A place in sight waits, unless its deal is gone.
 * `newest` is newest first. Answers `row` itself when nothing changes.
 */
export function placeDeals(
  row: readonly Deal[],
  newest: readonly Deal[],
  inSight: ReadonlySet<number>,
): readonly Deal[] {
  if (row.length === 0 || newest.length === 0) return newest.length === row.length ? row : newest
  const now = new Map(newest.map((deal) => [deal.id, deal]))
  const placed = new Set(row.map((deal) => deal.id))
  const waiting = newest.filter((deal) => !placed.has(deal.id))
  const next = row.flatMap((deal, place) => {
    const current = now.get(deal.id)
    if (current) return [current]
    if (isOlder(deal, newest) && inSight.has(place)) return [deal]
    return waiting.splice(0, 1)
  })
  next.push(...waiting.slice(0, Math.max(0, newest.length - next.length)))
  return next.length === row.length && next.every((deal, place) => deal === row[place]) ? row : next
}

/** Whether a deal is missing from the newest only because there are newer ones. */
function isOlder(deal: Deal, newest: readonly Deal[]): boolean {
  const oldest = newest.at(-1)
  return newest.length === newestCount && !!oldest && deal.first_seen <= oldest.first_seen
}

/** A deal's address when it leads to the marketplace over http(s), otherwise undefined. `domain` without www. */
export function dealAddress(productUrl: string, domain: string): string | undefined {
  if (!URL.canParse(productUrl)) return undefined
  const url = new URL(productUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`) ? url.href : undefined
}

/** The line below the last deal. */
export function closingLine(count: number, number: (value: number) => string): string {
  if (count === 0) return 'There are no more deals'
  return count === 1 ? 'You have seen the only deal' : `You have seen all ${number(count)} deals`
}

/** '1 new deal', '2,815 new deals'. */
export function newDealsLine(count: number, number: (value: number) => string): string {
  return count === 1 ? '1 new deal' : `${number(count)} new deals`
}

/** The measures of the card grid in pixels. */
export type GridShape = { columns: number; cardWidth: number; cardHeight: number; gap: number }

/** Height of a card below its square picture, in units of the root's font size, so that larger letters fit as well. */
const cardBody = 9.75

/** The grid for a width: two columns on a phone, up to eight on a wall. `rem` is the root's font size in pixels. */
export function gridShape(width: number, rem: number): GridShape {
  const gap = width < 600 ? 8 : 16
  const columns = Math.min(8, Math.max(2, Math.floor((width + gap) / (14 * rem + gap))))
  const cardWidth = Math.max(0, (width - gap * (columns - 1)) / columns)
  return { columns, cardWidth, cardHeight: Math.round(cardWidth + cardBody * rem), gap }
}

/** The two made-up deals that stand in while the server can't be reached. They lead nowhere. `now` in milliseconds. */
export function sampleDeals(now: number): [Deal, Deal] {
  // Old enough not to be flagged as new.
  const seen = new Date(now - 24 * 60 * 60_000).toISOString()
  const lamp: Deal = {
    id: -1,
    asin: 'SAMPLE0001',
    title: 'Sample deal: folding desk lamp with three brightness levels',
    brand: null,
    category: null,
    condition: null,
    price: 12.99,
    original_price: 19.99,
    discount_percentage: 35,
    rating: 4.4,
    review_count: 1280,
    image_url: null,
    product_url: '',
    availability: 'In Stock',
    prime_eligible: true,
    first_seen: seen,
    last_updated: seen,
    observed_at: seen,
    ends_at: null,
    posted_to_discord: false,
    discord_timestamp: null,
    is_sample: true,
  }
  const boxes: Deal = {
    ...lamp,
    id: -2,
    asin: 'SAMPLE0002',
    title: 'Sample deal: set of four stackable storage boxes',
    price: 7.5,
    original_price: null,
    discount_percentage: null,
    rating: 3.9,
    review_count: 214,
    availability: 'Only 3 left',
    prime_eligible: false,
  }
  return [lamp, boxes]
}

import type { dealCountInputSchema, dealListInputSchema } from '@dealdeck/contract/deals'
import type { Sort } from '@dealdeck/query/fields'
import type { z } from 'zod'
import { plainNumber } from '../../../platform/typed-number.ts'

/** What the very first request of the feed asks for: few deals, there at once. In the marketplace's currency. */
export const firstMaxPrice = 5

/** The feed's part of the address. Whatever else stands in one is of an earlier version, or means nothing. */
export type DealParams = {
  /** A question in the query language. */
  q?: string | undefined
  /** The id of a deal to begin with, whatever the question. */
  deal?: number | undefined
}

/** Reads an address, typed by the app or by hand, so this never fails. Other parameters stay until they are rewritten. */
export const dealParamsSchema = {
  parse: ({ q, deal, ...others }: Record<string, unknown>): DealParams => ({
    ...others,
    q: readWords(q),
    deal: readId(deal),
  }),
}

function readWords(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  return String(value).slice(0, longestText).toWellFormed().trim() || undefined
}

function readId(value: unknown): number | undefined {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** What the language takes; here once more, since the first load has nothing of it. */
export const longestText = 500

/** What the feed shows: deals that answer a question, in an order. */
export type FeedFilters = {
  /** Undefined where only the server knows what order the text asks for. */
  sort: Sort | undefined
  /** The question's one text, without sort and highest price where these are known; empty for every deal. */
  query: string
  /** The highest price, in the marketplace's currency; null is no limit. */
  max: number | null
}

/** Leaves out deals whose discount the prices seen contradict; as the language prints it. */
export const notContradicted = '-verdict:raised,listnotseen'

/** What is shown to somebody who asks for nothing. */
export function defaultFilters({
  defaultMax,
  hidesContradicted,
}: Omit<Asker, 'isAdministrator'>): FeedFilters {
  return { sort: 'newest', query: hidesContradicted ? notContradicted : '', max: defaultMax }
}

/**
 * Who asks: their own highest price counts where a question says nothing of a price, and that they hide contradicted discounts
 * where it says nothing of verdicts.
 */
export type Asker = { defaultMax: number; hidesContradicted: boolean; isAdministrator: boolean }

/** Whether an address asks for nothing but, perhaps, a deal to begin with. */
export function isDefault(search: DealParams): boolean {
  return Object.entries(search).every(([name, value]) => value === undefined || name === 'deal')
}

/** Whether an address has anything that no feed writes today. */
export function isOld(search: DealParams): boolean {
  return !isDefault({ ...search, q: undefined })
}

/** An amount without its cents where there are none, which reads better. */
export const wholeAmount = (amount: number, money: (amount: number) => string): string =>
  money(amount).replace(/[.,]00(?!\d)/, '')

/**
 * Reads an amount as it is typed, with either decimal sign; three digits after one are thousands. Empty is null; anything else that is no
 * amount is undefined.
 */
export function parseAmount(text: string): number | null | undefined {
  const trimmed = plainNumber(text)
  if (trimmed === '') return null
  const rounded = /^(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Math.round(Number(trimmed) * 100) / 100 : Number.NaN
  return rounded <= 99_999_999.99 ? rounded : undefined
}

/** The server's question for some filters; `zone`: that of the device, asked for where it makes a difference. */
export function listInput(filters: FeedFilters, zone: () => string): z.input<typeof dealListInputSchema> {
  return { ...(filters.sort && { sort: filters.sort }), ...countInput(filters, zone) }
}

/** The same without an order, which is how deals are counted. */
export function countInput(
  { query, max }: FeedFilters,
  zone: () => string,
): z.input<typeof dealCountInputSchema> {
  return {
    ...(query !== '' && { q: query }),
    ...(max !== null && { max_price: max }),
    // Only a day has a time zone; without it everybody asks the same question and shares its answer.
    ...(/today/i.test(query) && { time_zone: zone() }),
  }
}

import { z } from 'zod'
import { route } from './access.ts'
import { rowId } from './query.ts'

/** What the prices seen of a deal allow to be said of its price now. Which one holds is decided by the server alone. */
export const verdictKindSchema = z.enum([
  'lowest',
  'good',
  'usual',
  'high',
  'raised',
  'listnotseen',
  'unchanged',
  'new',
])
export type VerdictKind = z.infer<typeof verdictKindSchema>

/** The verdict as a deal carries it. */
export const dealVerdictSchema = z.object({
  kind: verdictKindSchema,
  /** A few words for a card, at most 40 characters, such as 'Lowest in 90 days'. */
  short: z.string(),
  /**
   * What deals are ordered by in `sort=best`: money under the typical price, times the share of 90 days in which the price was
   * known, in whole tenths. Below 0 above the typical price; null where it is too early to judge.
   */
  best: z.number().nullable(),
  /** Whole percent under the typical price, rounded down; null unless it is under it. */
  under_typical: z.number().nullable(),
  /** The longest of 30, 90 and 365 days of which the price is the low; null where it is of none, or too little was seen. */
  low_days: z.number().nullable(),
  /** By how many percent the price fell when it last changed, rounded down, and when that was; null where it did not fall. */
  drop: z.number().nullable(),
  dropped_at: z.string().nullable(),
  /**
   * The known prices of the 90 days up to the verdict as an SVG path of steps in a box of 90 by 24, the newest at the right, the
   * lowest price at the bottom; a gap where nothing is known. Empty where there is nothing to draw.
   */
  sparkline: z.string(),
})
export type DealVerdict = z.infer<typeof dealVerdictSchema>

/** One price of a deal, from when it was first seen until another one, or none, was. */
const pricePointSchema = z.object({
  /** Null where the deal was not offered: a gap that is known. */
  price: z.number().nullable(),
  original_price: z.number().nullable(),
  seen_at: z.string(),
  /** Until when it was seen unchanged; null where nobody knows. */
  confirmed_until: z.string().nullable(),
  /** Where it came from; null for points of releases that did not keep it. */
  origin: z.object({ import_id: z.number(), source: z.string() }).nullable(),
  /** Far from the other prices and not seen for long: left out of lows until it is seen again. */
  is_suspect: z.boolean(),
  /** Marked as wrong by an administrator: left out of everything. */
  is_wrong: z.boolean(),
})
export type PricePoint = z.infer<typeof pricePointSchema>

/** A price, the latest time it was seen, and for how many days of its window it was known to hold. */
const seenPriceSchema = z.object({ price: z.number(), seen_at: z.string(), days: z.number() })

/** Money in the marketplace's currency, shares from 0 to 1, times in ISO 8601 UTC; null where too little is known. */
const priceFiguresSchema = z.object({
  watched_since: z.string(),
  coverage_30: z.number(),
  coverage_90: z.number(),
  coverage_365: z.number(),
  /** Days with a known price; what coverage is a share of has no time in it when the deal was not offered. */
  days_known_90: z.number(),
  days_known_365: z.number(),
  /** The price that held longest in 90 days. */
  usual: z.number().nullable(),
  /** The median of 90 days, each price weighted by how long it held. */
  typical: z.number().nullable(),
  /** With the latest time the low was seen, and how long it held. */
  low_30: seenPriceSchema.nullable(),
  low_90: seenPriceSchema.nullable(),
  low_365: seenPriceSchema.nullable(),
  /** The low since the typical price last rose for good; where it never did, that of all that was seen. */
  low_since_rise: seenPriceSchema.nullable(),
  high_90: seenPriceSchema.nullable(),
  /** Days of the last 90 with a price at or below the present one. */
  days_at_or_below: z.number(),
  /** The lowest price of the 30 days before the present one began. */
  prior_30: z.number().nullable(),
  /** Changes of the price in 30 days; behind the newest 1,000 prices one a day to each price at most. */
  changes_30: z.number(),
  /** Interquartile range by time, as a share of the typical price. */
  spread: z.number().nullable(),
  /** Share of the known time of 365 days at which the list price, or nearly it, was charged; null without a list price. */
  list_ever_charged: z.number().nullable(),
})
export type PriceFigures = z.infer<typeof priceFiguresSchema>

/** What the history of a deal's price says, with its evidence. */
export const verdictSchema = z.object({
  kind: verdictKindSchema,
  short: z.string(),
  /** One or two sentences with window, days watched and money. */
  text: z.string(),
  as_of: z.string(),
  figures: priceFiguresSchema,
})
export type Verdict = z.infer<typeof verdictSchema>

const idInput = z.object({ id: rowId })

/** What an administrator says of one price of a deal. */
const markedPriceSchema = z.strictObject({
  id: rowId,
  /** The point's `seen_at`, as the list of prices has it. */
  seen_at: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-05-01T00:00:00Z' }),
  is_wrong: z.boolean(),
})

export const priceRoutes = {
  list: route
    .route({
      method: 'GET',
      path: '/api/products/{id}/prices',
      summary: 'The observed prices of a deal, oldest first, the newest 1,000 of them',
    })
    .meta({ access: 'user' })
    .input(idInput)
    .output(z.array(pricePointSchema)),
  verdict: route
    .route({
      method: 'GET',
      path: '/api/products/{id}/verdict',
      summary: 'What the observed prices of a deal say of its price now',
    })
    .meta({ access: 'user' })
    .input(idInput)
    .output(verdictSchema),
  mark: route
    .route({
      method: 'PUT',
      path: '/api/products/{id}/prices/wrong',
      summary: 'Say that an observed price is wrong, or take that back',
    })
    .meta({ access: 'admin' })
    .input(markedPriceSchema)
    .output(pricePointSchema),
}

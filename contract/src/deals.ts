import { longestQuestion } from '@dealdeck/query/limits'
import { z } from 'zod'
import { route } from './access.ts'
import { dealVerdictSchema } from './prices.ts'
import { queryBoolean, queryInteger, queryMoney, queryRating, rowId } from './query.ts'

const dealConditionSchema = z.enum(['new', 'renewed', 'used'])
export type DealCondition = z.infer<typeof dealConditionSchema>

/** A deal as everyone sees it. Money in the marketplace's currency, times in ISO 8601 UTC. */
export const dealSchema = z.object({
  id: z.number(),
  asin: z.string(),
  title: z.string(),
  brand: z.string().nullable(),
  /** A path from the general to the special, ` > ` between its steps. */
  category: z.string().nullable(),
  /** Null where nothing is said of it. */
  condition: dealConditionSchema.nullable(),
  price: z.number(),
  original_price: z.number().nullable(),
  /** Rounded percentage of (original − price) / original; null when there is no original price above the price. */
  discount_percentage: z.number().nullable(),
  rating: z.number().nullable(),
  review_count: z.number().nullable(),
  image_url: z.string().nullable(),
  product_url: z.string(),
  /** Text such as 'Only 3 left'. Null hides the deal from everybody but an administrator who asks for hidden ones. */
  availability: z.string().nullable(),
  prime_eligible: z.boolean(),
  first_seen: z.string(),
  last_updated: z.string(),
  /** When the price was last seen. */
  observed_at: z.string(),
  /** When the deal ends, as far as that is known. From then on nobody sees it. */
  ends_at: z.string().nullable(),
  posted_to_discord: z.boolean(),
  discord_timestamp: z.string().nullable(),
  /** True for the made-up deals of an empty installation. */
  is_sample: z.boolean(),
  /** What its price is worth; null until that has been found out, mostly within a second. */
  verdict: dealVerdictSchema.nullable(),
})
export type Deal = z.infer<typeof dealSchema>

export const dealSortSchema = z.enum(['newest', 'discount', 'price', 'discord', 'updated', 'best'])
export type DealSort = z.infer<typeof dealSortSchema>

/** True for a time zone name this runtime knows, such as Asia/Kathmandu. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const timeZone = z.string().max(60).refine(isTimeZone, 'must be a time zone such as Europe/Berlin')

/** How many deals can be asked for by id at once. */
const mostIds = 100

const idList = z
  .string()
  .regex(/^[1-9]\d{0,14}(,[1-9]\d{0,14})*$/, 'must be ids with commas between them')
  // A text too long isn't taken apart.
  .max(mostIds * 16)
  .transform((text) => [...new Set(text.split(',').map(Number))])
  .refine((ids) => ids.length <= mostIds, `must be at most ${mostIds} ids`)

/** What narrows the deals that are listed or counted. */
const dealConditions = {
  min_price: queryMoney.optional(),
  max_price: queryMoney.optional(),
  /** At least this many percent off the original price, as `discount_percentage` says it. */
  min_discount: queryInteger(0, 100).optional(),
  /** Rated at least this well; a deal without a rating is left out. */
  min_rating: queryRating.optional(),
  /** Only deals with an original price above the price. */
  discounted_only: queryBoolean.default(false),
  prime_only: queryBoolean.default(false),
  /** First seen since midnight in `time_zone`. */
  today: queryBoolean.default(false),
  /** Changed within the last 24 hours. */
  last_24_hours: queryBoolean.default(false),
  /** The title holds this text. */
  search: z.string().trim().max(200).default(''),
  /** A question such as `lamp -brass price:<30 off:>=50`. What is wrong in it is left out, and the rest counts. */
  q: z.string().max(longestQuestion).default(''),
  /** Where `today` begins; UTC unless given. */
  time_zone: timeZone.default('UTC'),
}

export const dealListInputSchema = z
  .strictObject({
    sort: dealSortSchema.default('newest'),
    ...dealConditions,
    limit: queryInteger(1, 1000).default(50),
    cursor: z.string().max(400).optional(),
    /** Administrators only: hidden deals as well. */
    include_hidden: queryBoolean.default(false),
    /** Only these deals, such as `1,2,3`, at most 100, all on one page in that order; the other conditions narrow them further. */
    ids: idList.optional(),
  })
  .refine(({ ids, cursor }) => ids === undefined || cursor === undefined, {
    path: ['cursor'],
    error: 'must be left out where ids are given: they are one page',
  })
export type DealListInput = z.infer<typeof dealListInputSchema>

export const dealPageSchema = z.object({ items: z.array(dealSchema), next_cursor: z.string().nullable() })
export type DealPage = z.infer<typeof dealPageSchema>

/** Deals are counted up to this number. */
export const mostCounted = 10_000

export const dealCountInputSchema = z.strictObject(dealConditions)

const dealCountSchema = z.object({
  /** How many visible deals meet the conditions, at most 10,000. */
  count: z.number(),
  /** Whether there are more than were counted. */
  has_more: z.boolean(),
})
export type DealCount = z.infer<typeof dealCountSchema>

const dealStatsSchema = z.object({
  total_deals: z.number(),
  prime_eligible: z.number(),
  with_discounts: z.number(),
  /** Rounded to two decimals; null when there are no deals. */
  average_price: z.number().nullable(),
  /** How many of the visible deals are samples; the feed labels them. */
  sample_deals: z.number(),
  /** True where deals change faster than they can be counted: the figures are of a moment ago. */
  is_changing: z.boolean().optional(),
})
export type DealStats = z.infer<typeof dealStatsSchema>

/** What event `deals` of the stream carries; its `id:` is the epoch of the database, a hyphen, and the revision. */
export const dealsEventSchema = z.object({
  revision: z.number(),
  added: z.array(z.number()),
  changed: z.array(z.number()),
  removed: z.array(z.number()),
})
export type DealsEvent = z.infer<typeof dealsEventSchema>

/** Event `reset`: what came after the asked-for revision is too much or not known, so everything must be fetched again. */
export const resetEventSchema = z.object({ revision: z.number() })

const idInput = z.object({ id: rowId })

const explainedQuestionSchema = z.object({
  /** The one text of the question, without what could not be understood. */
  canonical: z.string(),
  /** The same in words. */
  words: z.string(),
  /** Wrong parts, from one UTF-16 unit up to another, each with what could stand there. */
  faults: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      message: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
})
export type ExplainedQuestion = z.infer<typeof explainedQuestionSchema>

const suggestionsSchema = z.object({
  /** Names that begin with what was asked for, or of which a word does, those that find the most deals first. */
  values: z.array(
    z.object({
      value: z.string(),
      /** How many visible deals this value of the field finds among those that were looked at. */
      count: z.number(),
    }),
  ),
  /** Whether there are more visible deals than were looked at: the 25,000 newest, where they are not all in memory. */
  has_more: z.boolean(),
})
export type Suggestions = z.infer<typeof suggestionsSchema>

/** Answered through the contract's handler. */
/** What administrators see of it beside the deal; members don't find a hidden deal at all. */
const dealHidingSchema = z.object({
  is_hidden: z.boolean(),
  /** Since when; null where nobody hides it. */
  hidden_at: z.string().nullable(),
})
export type DealHiding = z.infer<typeof dealHidingSchema>

export const dealRoutes = {
  stats: route
    .route({ method: 'GET', path: '/api/products/stats', summary: 'Figures over all visible deals' })
    .meta({ access: 'user' })
    .output(dealStatsSchema),
  get: route
    .route({ method: 'GET', path: '/api/products/{id}', summary: 'One deal' })
    .meta({ access: 'user' })
    .input(idInput)
    .output(dealSchema),
  getByAsin: route
    .route({ method: 'GET', path: '/api/products/by-asin/{asin}', summary: 'One deal, by its ASIN' })
    .meta({ access: 'user' })
    .input(z.object({ asin: z.string().regex(/^[A-Z0-9]{10}$/, 'must be ten capital letters and digits') }))
    .output(dealSchema),
  explain: route
    .route({
      method: 'POST',
      path: '/api/query/explain',
      summary: 'What is understood of a question for deals',
    })
    .meta({ access: 'user' })
    .input(z.strictObject({ q: z.string().max(longestQuestion) }))
    .output(explainedQuestionSchema),
  suggest: route
    .route({
      method: 'GET',
      path: '/api/query/suggestions',
      summary: 'Values of a field of the query language that visible deals have',
    })
    .meta({ access: 'user' })
    .input(z.strictObject({ field: z.enum(['brand', 'category']), prefix: z.string().max(100).default('') }))
    .output(suggestionsSchema),
  hiding: route
    .route({
      method: 'GET',
      path: '/api/products/{id}/hidden',
      summary: 'Whether an administrator hides a deal',
    })
    .meta({ access: 'admin' })
    .input(idInput)
    .output(dealHidingSchema),
  hide: route
    .route({
      method: 'PUT',
      path: '/api/products/{id}/hidden',
      summary: 'Hide a deal from all members, or show it again',
    })
    .meta({ access: 'admin' })
    .input(z.strictObject({ id: rowId, is_hidden: z.boolean() }))
    .output(dealHidingSchema),
  removeSamples: route
    .route({ method: 'DELETE', path: '/api/products/samples', summary: 'Remove all sample deals' })
    .meta({ access: 'admin' })
    .output(z.object({ removed: z.number() })),
}

/** Declared here for the client and the OpenAPI page; the server answers them with plain routes, for speed or streaming. */
export const plainDealRoutes = {
  list: route
    .route({ method: 'GET', path: '/api/products', summary: 'A page of deals' })
    .meta({ access: 'user' })
    .input(dealListInputSchema)
    .output(dealPageSchema),
  count: route
    .route({
      method: 'GET',
      path: '/api/products/count',
      summary: 'How many visible deals meet some conditions, up to 10,000',
    })
    .meta({ access: 'user' })
    .input(dealCountInputSchema)
    .output(dealCountSchema),
}

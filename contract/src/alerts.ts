import { longestQuestion } from '@dealdeck/query/limits'
import { z } from 'zod'
import { route } from './access.ts'
import { timeZone } from './deals.ts'
import { queryBoolean, rowId } from './query.ts'

/** So many alerts a member has at most, target prices among them; and so many the group. */
export const [mostAlerts, mostGroupAlerts] = [500, 500]

/** `now`: a message for each deal. The others are lists, by e-mail only. */
const alertModeSchema = z.enum(['now', 'daily', 'weekly'], { error: 'must be now, daily or weekly' })
export type AlertMode = z.infer<typeof alertModeSchema>

const percent = z
  .int({ error: 'must be a whole percentage' })
  .min(1, 'must be 1 or more')
  .max(99, 'must be 99 or less')
const amount = z
  .number({ error: 'must be an amount' })
  .min(0.01)
  .max(99_999_999)
  .multipleOf(0.01, 'must have two decimals at most')

const optionsSchema = z.strictObject({
  mode: alertModeSchema,
  /** A deal that was told of is told of again when its price falls by so many percent more. */
  again_percent: percent,
  /** From so many percent off, or below this price, a message comes at once, whatever the hour; null: never. */
  urgent_off: percent.nullable(),
  urgent_below: amount.nullable(),
})
export type AlertOptions = z.infer<typeof optionsSchema>
/** What a new alert has where nothing else is said. */
export const initialOptions: AlertOptions = {
  ...{ mode: 'now', again_percent: 5, urgent_off: null, urgent_below: null },
}

/** A saved search, or one deal below a price, whose matches go to a destination. */
const alertSchema = z.object({
  id: z.number(),
  search_id: z.number().nullable(),
  /** The search's name; of a target price the deal's title. */
  name: z.string(),
  /** The question that is asked; null for a target price. */
  q: z.string().nullable(),
  deal_id: z.number().nullable(),
  target_price: z.number().nullable(),
  destination_id: z.number(),
  is_group: z.boolean(),
  is_paused: z.boolean(),
  /** Why nothing comes of it, in words, such as that its search is not shared any more; null: it is in force. */
  stopped: z.string().nullable(),
  options: optionsSchema,
  /** When it last found something. */
  last_matched_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Alert = z.infer<typeof alertSchema>

const alertInputSchema = z
  .strictObject({
    destination_id: z.int().min(1),
    /** Either a saved search, one's own or a shared one, … */
    search_id: z.int().min(1).optional(),
    /** … or a deal and the price at or below which it is told of. */
    deal_id: z.int().min(1).optional(),
    target_price: amount.optional(),
    options: optionsSchema.partial().default({}),
    is_paused: z.boolean({ error: 'must be true or false' }).optional(),
    /** The deals that match now are sent as one list. */
    send_matching: z.boolean({ error: 'must be true or false' }).default(false),
  })
  .refine(
    ({ search_id, deal_id, target_price }) =>
      search_id === undefined
        ? deal_id !== undefined && target_price !== undefined
        : deal_id === undefined && target_price === undefined,
    { path: ['search_id'], error: 'must be given, or deal_id and target_price' },
  )
export type AlertInput = z.infer<typeof alertInputSchema>

const alertChangeSchema = z.strictObject({
  options: optionsSchema.partial().optional(),
  target_price: amount.optional(),
  is_paused: z.boolean({ error: 'must be true or false' }).optional(),
  /** The deals that match now are sent as one list. */
  send_matching: z.boolean({ error: 'must be true or false' }).optional(),
})
export type AlertChange = z.infer<typeof alertChangeSchema>

/** What an alert of this question would bring. */
const expectedSchema = z.object({
  /** How many visible deals match now, at most 10,000. */
  matching: z.number(),
  has_more: z.boolean(),
  /** How many matches a day the last week would have brought, by what was seen of prices; null: nothing was seen for long enough. */
  per_day: z.number().nullable(),
  /** Over how many days that was counted. */
  days: z.number(),
})
export type AlertExpectation = z.infer<typeof expectedSchema>

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:30')

/** When a member, or the group, wants peace. Times of day are those of the time zone. */
const peaceSchema = z.strictObject({
  time_zone: timeZone,
  /** The zone is that of the device used last. */
  follows_device: z.boolean({ error: 'must be true or false' }),
  /** Between these nothing is sent that isn't urgent; what came is one list at their end. Both null: there are none. */
  quiet_from: clock.nullable(),
  quiet_to: clock.nullable(),
  /** Messages an hour at most; the others become one list. */
  most_an_hour: z.int({ error: 'must be a whole number' }).min(1).max(1_000),
  /** So many matches of one search within a minute are sent singly; more become one list. */
  most_at_once: z.int({ error: 'must be a whole number' }).min(1).max(100),
  /** When digests come. `digest_weekday`: 1 is Monday. */
  digest_at: clock,
  digest_weekday: z.int().min(1).max(7),
  /** Nothing is sent until then; null: not paused. */
  paused_until: z.iso.datetime().nullable(),
})
export type Peace = z.infer<typeof peaceSchema>

/** Why a deal came, or didn't, by one search or target price. */
const whySchema = z.object({
  /** Whether it matches now. */
  matches: z.boolean(),
  /** The parts of the question that it doesn't meet, in words; of a hidden deal nothing but that. */
  failed: z.array(z.string()),
  /** What became of it, for each of one's destinations of that search the newest; the first of them as `delivery`. */
  deliveries: z.array(
    z.object({
      destination_id: z.number(),
      destination: z.string(),
      delivery_id: z.number().nullable(),
      state: z.string(),
      reason: z.string(),
      at: z.string().nullable(),
      next_at: z.string().nullable(),
    }),
  ),
  delivery: z
    .object({
      state: z.string(),
      reason: z.string(),
      at: z.string().nullable(),
      next_at: z.string().nullable(),
    })
    .nullable(),
})
export type Why = z.infer<typeof whySchema>

const path = '/api/alerts'
const user = { access: 'user' } as const
const idInput = z.strictObject({ id: rowId })

export const alertRoutes = {
  list: route
    .route({ method: 'GET', path, summary: 'One’s own alerts, and for administrators the group’s' })
    .meta(user)
    .output(z.object({ items: z.array(alertSchema) })),
  create: route
    .route({
      method: 'POST',
      path,
      summary: 'Have the matches of a search, or a deal below a price, sent to a destination',
      successStatus: 201,
    })
    .meta(user)
    .input(alertInputSchema)
    .output(alertSchema),
  change: route
    .route({ method: 'PATCH', path: `${path}/{id}`, summary: 'Change an alert, or pause it' })
    .meta(user)
    .input(alertChangeSchema.extend({ id: rowId }))
    .output(alertSchema),
  remove: route
    .route({ method: 'DELETE', path: `${path}/{id}`, summary: 'Remove an alert', successStatus: 204 })
    .meta(user)
    .input(idInput),
  expect: route
    .route({ method: 'GET', path: `${path}/expect`, summary: 'How much an alert of a question would bring' })
    .meta(user)
    .input(
      z.strictObject({
        q: z.string().max(longestQuestion).optional(),
        search: rowId.optional(),
        time_zone: timeZone.default('UTC'),
      }),
    )
    .output(expectedSchema),
  why: route
    .route({
      method: 'GET',
      path: `${path}/why`,
      summary: 'Why a deal was or wasn’t sent because of a search',
    })
    .meta(user)
    .input(
      z.strictObject({
        search: rowId.optional(),
        /** A target price, instead of a search. */
        alert: rowId.optional(),
        deal: rowId,
        time_zone: timeZone.default('UTC'),
      }),
    )
    .output(whySchema),
  readPeace: route
    .route({
      method: 'GET',
      path: `${path}/peace`,
      summary: 'When nothing is to be sent; of the group for administrators',
    })
    .meta(user)
    .input(z.strictObject({ is_group: queryBoolean.default(false) }))
    .output(peaceSchema),
  changePeace: route
    .route({ method: 'PATCH', path: `${path}/peace`, summary: 'Say when nothing is to be sent' })
    .meta(user)
    .input(
      peaceSchema.partial().extend({
        /** Administrators only: those of the group. */
        is_group: z.boolean({ error: 'must be true or false' }).default(false),
      }),
    )
    .output(peaceSchema),
  targets: route
    .route({
      method: 'GET',
      path: `${path}/targets`,
      summary: 'One’s target prices, by the ids of their deals',
    })
    .meta(user)
    .output(z.array(z.object({ alert_id: z.number(), deal_id: z.number(), target_price: z.number() }))),
}

/** Event `deliveries`: something about one's destinations, alerts or log is different now. It has no `id:`. */
export const deliveryEventSchema = z.object({
  changed: z.enum(['destinations', 'alerts', 'log']),
  destination_id: z.number().nullable(),
})

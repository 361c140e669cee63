import { z } from 'zod'
import { route } from './access.ts'
import { nameOf } from './me.ts'
import { queryBoolean, queryInteger, rowId } from './query.ts'
import { secretsInput, settingFieldSchema, settingsInput, settingValueSchema } from './setting-fields.ts'

/** So many destinations a member has at most, and the group. */
export const [mostDestinations, mostGroupDestinations] = [20, 100]
export const longestDestinationName = 80
/** The log of what was sent is kept for so long, in days. */
export const deliveriesKeptDays = 30

/** Where messages can be sent. */
export const destinationKinds = [
  'discord',
  'telegram',
  'ntfy',
  'email',
  'webhook',
  'webpush',
  'apprise',
] as const
const destinationKindSchema = z.enum(destinationKinds, {
  error: `must be one of ${destinationKinds.join(', ')}`,
})
export type DestinationKind = z.infer<typeof destinationKindSchema>

/** A kind of destinations as its form is made of it. */
const destinationDescriptionSchema = z.object({
  kind: destinationKindSchema,
  label: z.string(),
  /** What it is good for, and what it can't do: one or two sentences. */
  help: z.string(),
  /** What to do to set it up, in order. */
  steps: z.array(z.string()),
  fields: z.array(settingFieldSchema),
  /** How it is made sure that it is the member's: a code sent to the bot, a code that arrives by mail, or nothing. */
  confirmed_by: z.enum(['link', 'code', 'nothing']),
  /** Whether a message is changed in place once the price changes. */
  can_edit: z.boolean(),
  /** Why it can't be used in this installation, and what the operator has to do; null: it can. */
  unavailable: z.string().nullable(),
})
export type DestinationDescription = z.infer<typeof destinationDescriptionSchema>

/** `unconfirmed`: nothing is sent until it has been linked or its code entered. `gone`: the service says that it is there no more. */
const destinationStateSchema = z.enum(['ok', 'unconfirmed', 'failing', 'gone', 'paused'])
export type DestinationState = z.infer<typeof destinationStateSchema>

const destinationSchema = z.object({
  id: z.number(),
  kind: destinationKindSchema,
  name: z.string(),
  settings: z.record(z.string(), settingValueSchema),
  /** Which secrets are there; what they are is never said. */
  secrets: z.array(z.string()),
  /** The group's, which administrators set up, or one's own. */
  is_group: z.boolean(),
  is_paused: z.boolean(),
  /** Of links to the shop; '' is none. */
  affiliate_tag: z.string(),
  /** Said with every link that has the tag, such as '(paid link)'. */
  disclosure: z.string(),
  state: destinationStateSchema,
  /** The state in words: what is wrong, and what to do. */
  state_text: z.string(),
  /** A code was sent there that confirms it and still holds. */
  is_code_sent: z.boolean(),
  /** What links the destination while it is unconfirmed: a code for the bot, and an address that sends it. */
  link: z.object({ code: z.string(), url: z.string().nullable(), expires_at: z.string() }).nullable(),
  last_sent_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Destination = z.infer<typeof destinationSchema>

const affiliateTag = z.string().regex(/^[A-Za-z0-9-]{0,64}$/, 'may hold letters, digits and dashes only')
const disclosure = z.string().trim().max(120, 'must be at most 120 characters long')
const isPaused = z.boolean({ error: 'must be true or false' })

const destinationInputSchema = z.strictObject({
  kind: destinationKindSchema,
  name: nameOf(longestDestinationName),
  settings: settingsInput.default({}),
  secrets: secretsInput.default({}),
  /** Administrators only. */
  is_group: z.boolean({ error: 'must be true or false' }).default(false),
  affiliate_tag: affiliateTag.default(''),
  disclosure: disclosure.default(''),
})
export type DestinationInput = z.infer<typeof destinationInputSchema>

const destinationChangeSchema = z.strictObject({
  name: destinationInputSchema.shape.name.optional(),
  settings: settingsInput.optional(),
  /** Only those named are replaced; '' removes one. */
  secrets: secretsInput.optional(),
  affiliate_tag: affiliateTag.optional(),
  disclosure: disclosure.optional(),
  is_paused: isPaused.optional(),
  /** The `updated_at` that the change was based on: when it is another one meanwhile, the change is refused. */
  expected_updated_at: z.iso.datetime({ error: 'must be the updated_at that was read' }).optional(),
})
export type DestinationChange = z.infer<typeof destinationChangeSchema>

/** A destination that was just made; what is shown of it once and never again. */
const newDestinationSchema = destinationSchema.extend({
  /** With which receivers of a webhook verify that a message is ours. */
  signing_secret: z.string().nullable(),
})

/** What became of a message that was sent to try a destination. */
const testResultSchema = z.object({
  is_sent: z.boolean(),
  /** What the service answered, in words; never a secret. */
  text: z.string(),
  /** The delivery in the log; null where nothing could be sent. */
  delivery_id: z.number().nullable(),
})
export type DestinationTest = z.infer<typeof testResultSchema>

/** `held`: it waits for a time, such as the end of quiet hours. `edited`: the message says something newer than at first. */
const deliveryStateSchema = z.enum(['held', 'queued', 'sending', 'sent', 'edited', 'skipped', 'dead'])
export type DeliveryState = z.infer<typeof deliveryStateSchema>

/** `deal`: one deal. `list`: several that came too fast or at a time of peace. `digest`: those of a day or a week. `notice`: about a destination. */
const deliveryKindSchema = z.enum(['deal', 'list', 'digest', 'test', 'notice'])
export type DeliveryKind = z.infer<typeof deliveryKindSchema>

/** A message in the log: one that was sent, is to be sent, or was not sent and why. */
const deliverySchema = z.object({
  id: z.number(),
  kind: deliveryKindSchema,
  destination: z.object({
    id: z.number(),
    kind: destinationKindSchema,
    name: z.string(),
    is_group: z.boolean(),
    /** The username of the member whose it is; null for the group's. */
    owner: z.string().nullable(),
  }),
  /** The deals it tells of, ten at most, as far as they may be seen now. */
  deals: z.array(z.object({ id: z.number(), asin: z.string(), title: z.string() })),
  deal_count: z.number(),
  /** The names of the searches that found them. */
  searches: z.array(z.string()),
  /** The amount that the message says of a single deal. */
  price: z.number().nullable(),
  state: deliveryStateSchema,
  /** Why it is in that state, in words. */
  reason: z.string(),
  /** What the service answered last. */
  status: z.number().nullable(),
  answer: z.string().nullable(),
  attempts: z.number(),
  is_urgent: z.boolean(),
  /** Whether it can be sent again: its destination takes messages, and one of its deals at least is still shown. */
  can_replay: z.boolean(),
  /** When something is done about it next; null: nothing will be. */
  next_at: z.string().nullable(),
  created_at: z.string(),
  sent_at: z.string().nullable(),
  updated_at: z.string(),
})
export type Delivery = z.infer<typeof deliverySchema>

const deliveryPageSchema = z.object({ items: z.array(deliverySchema), next_cursor: z.string().nullable() })
export type DeliveryPage = z.infer<typeof deliveryPageSchema>

const path = '/api/destinations'
const user = { access: 'user' } as const
const idInput = z.strictObject({ id: rowId })

/** Destinations and the log of what is sent to them. A member has their own; administrators those of the group as well, and the whole log. */
export const deliveryRoutes = {
  listDestinations: route
    .route({ method: 'GET', path, summary: 'Where messages are sent: one’s own, and the group’s' })
    .meta(user)
    .output(z.object({ items: z.array(destinationSchema) })),
  kinds: route
    .route({
      method: 'GET',
      path: `${path}/kinds`,
      summary: 'Kinds of destinations, and what each needs to know',
    })
    .meta(user)
    .output(z.array(destinationDescriptionSchema)),
  vapid: route
    .route({
      method: 'GET',
      path: `${path}/vapid`,
      summary: 'The key with which a browser subscribes to web push',
    })
    .meta(user)
    .output(z.object({ public_key: z.string() })),
  create: route
    .route({ method: 'POST', path, summary: 'Add a destination', successStatus: 201 })
    .meta(user)
    .input(destinationInputSchema)
    .output(newDestinationSchema),
  change: route
    .route({ method: 'PATCH', path: `${path}/{id}`, summary: 'Change a destination, pause it or resume it' })
    .meta(user)
    .input(destinationChangeSchema.extend({ id: rowId }))
    .output(destinationSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a destination with its alerts and its log',
      successStatus: 204,
    })
    .meta(user)
    .input(idInput),
  test: route
    .route({
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send the newest deal that matches to a destination, the way all are sent',
    })
    .meta(user)
    .input(idInput)
    .output(testResultSchema),
  confirm: route
    .route({
      method: 'POST',
      path: `${path}/{id}/confirm`,
      summary: 'Enter the code that was sent to a destination',
    })
    .meta(user)
    .input(z.strictObject({ id: rowId, code: z.string().trim().max(20) }))
    .output(destinationSchema),
  renew: route
    .route({
      method: 'POST',
      path: `${path}/{id}/renew`,
      summary: 'Send or show a new code, or make a new signing secret; the old one holds for a day more',
    })
    .meta(user)
    .input(idInput)
    .output(newDestinationSchema),
  list: route
    .route({
      method: 'GET',
      path: '/api/deliveries',
      summary: 'What was sent, or was not and why, the newest first',
    })
    .meta(user)
    .input(
      z.strictObject({
        destination: rowId.optional(),
        search: rowId.optional(),
        deal: rowId.optional(),
        state: deliveryStateSchema.optional(),
        /** Administrators only: of all members and of the group. */
        all: queryBoolean.default(false),
        limit: queryInteger(1, 200).default(50),
        cursor: rowId.optional(),
      }),
    )
    .output(deliveryPageSchema),
  replay: route
    .route({
      method: 'POST',
      path: '/api/deliveries/{id}/replay',
      summary: 'Send a message once more, with what is true of its deals now',
    })
    .meta(user)
    .input(idInput)
    .output(deliverySchema),
}

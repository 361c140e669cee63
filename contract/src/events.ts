import { z } from 'zod'
import { deliveryEventSchema } from './alerts.ts'
import { dealsEventSchema, resetEventSchema } from './deals.ts'
import { filtersEventSchema } from './filters.ts'
import { memberEventSchema } from './me.ts'
import { sourceEventSchema } from './sources.ts'

/** The one stream a client opens. It begins with what was missed, if anything, and event `database`. */
export const eventsPath = '/api/events'
/** The stream's first address. It sends the same, but for the event that the other begins with. */
export const feedEventsPath = '/api/products/events'

/** Event `database`: whether changes can be heard of, and whether any can be made. It has no `id:` and is not sent again. */
const databaseEventSchema = z.object({ is_away: z.boolean(), is_read_only: z.boolean() })

/** Everything the live stream says: the name of an event, and what stands in its `data:` line. */
export const liveEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('deals'), data: dealsEventSchema }),
  z.object({ event: z.literal('reset'), data: resetEventSchema }),
  z.object({ event: z.literal('filters'), data: filtersEventSchema }),
  z.object({ event: z.literal('database'), data: databaseEventSchema }),
  z.object({ event: z.literal('me'), data: memberEventSchema }),
  z.object({ event: z.literal('sources'), data: sourceEventSchema }),
  z.object({ event: z.literal('deliveries'), data: deliveryEventSchema }),
])
export type LiveEvent = z.infer<typeof liveEventSchema>
export type LiveEventName = LiveEvent['event']
/** Events with a number, which a stream that comes back is sent again. */
export type NumberedEvent = Extract<LiveEvent, { event: 'deals' | 'reset' }>
/** Events beside the numbered ones, to all or to one member; whoever missed one fetches what it is about. */
export type EphemeralEvent = Exclude<LiveEvent, NumberedEvent>

/** A stream's question. A browser's own request can't carry the header that says the same, and wins where both are there. */
export const eventsInputSchema = z.object({ last_event_id: z.string().optional() })

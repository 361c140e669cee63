import { deliveryEventSchema } from '@dealdeck/contract/alerts'
import type { EphemeralEvent } from '@dealdeck/contract/events'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { z } from 'zod'
import type { Database, Databases } from '../../platform/database/database.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'

/** The channel on which instances tell each other of destinations, alerts and what was sent; the payload is JSON. */
const deliveriesChannel = 'dealdeck_deliveries'

/** So many milliseconds of changes are one event to each: whatever sends a thousand messages says so a few times. */
const togetherMs = 300

const messageSchema = deliveryEventSchema.extend({ owner_id: z.number().nullable() })

export type DeliveryChange = {
  /** The member whose destination, alert or log it is; null: the group's, which administrators hear of. */
  ownerId: number | null
  changed: z.infer<typeof deliveryEventSchema>['changed']
  /** The one destination that it is about; null: several, or none. */
  destinationId: number | null
}

/**
 * Tells every instance, when the transaction of `client` commits, that something of members', or of the group's, is different.
 * The same said twice in one transaction is told once.
 */
export async function publishDeliveries(
  client: pg.ClientBase | pg.Pool | Database,
  ...changes: readonly DeliveryChange[]
): Promise<void> {
  if (changes.length === 0) return
  const payloads = changes.map(({ ownerId: owner_id, changed, destinationId: destination_id }) =>
    JSON.stringify({ owner_id, changed, destination_id }),
  )
  const values = [deliveriesChannel, payloads]
  const statement = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'
  if ('query' in client) await client.query(statement, values)
  else await client.executeQuery(CompiledQuery.raw(statement, values))
}

/** Tells the pages of whoever a destination belongs to that it is different. Never throws: they ask again when they are looked at. */
export function publishDestination({ durablePool }: Pick<Databases, 'durablePool'>, id: number): void {
  const tell = async () => {
    const { rows } = await durablePool.query<{ owner_id: number | null }>(
      'select owner_id from destinations where id = $1',
      [id],
    )
    for (const { owner_id: ownerId } of rows)
      await publishDeliveries(durablePool, { ownerId, changed: 'destinations', destinationId: id })
  }
  tell().catch(() => undefined)
}

type Streams = {
  broadcastEphemeral(event: EphemeralEvent): void
  sendToMember(userId: number, event: EphemeralEvent): void
  sendToAdministrators(event: EphemeralEvent): void
}

/**
 * Sends event `deliveries` to the streams of whoever something of theirs is different for, whichever instance it is about; what is said
 * within a moment is one event. `stop` ends that.
 */
export function relayDeliveries(bus: LiveBus, streams: Streams): { stop(): void } {
  /** What is to be said, by whom it is for and what changed. */
  const waiting = new Map<string, z.infer<typeof messageSchema>>()
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    timer = undefined
    const all = [...waiting.values()]
    waiting.clear()
    for (const { owner_id, ...data } of all) {
      const event = { event: 'deliveries', data } as const
      if (owner_id === null) streams.sendToAdministrators(event)
      else streams.sendToMember(owner_id, event)
    }
  }
  bus.on(deliveriesChannel, (payload) => {
    const { success, data } = messageSchema.safeParse(parse(payload))
    if (!success) return
    const key = `${data.owner_id} ${data.changed}`
    const other = waiting.get(key)
    const isOne = other === undefined || other.destination_id === data.destination_id
    waiting.set(key, isOne ? data : { ...data, destination_id: null })
    timer ??= setTimeout(tell, togetherMs)
  })
  // Whose changed while nothing could be heard is not known.
  bus.onConnect(() => {
    for (const changed of deliveryEventSchema.shape.changed.options)
      streams.broadcastEphemeral({ event: 'deliveries', data: { changed, destination_id: null } })
  })
  return { stop: () => clearTimeout(timer) }
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

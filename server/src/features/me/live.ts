import type { EphemeralEvent } from '@dealdeck/contract/events'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'

/** The channel on which instances tell each other whose entries changed; the payload is the user's id. */
const memberItemsChannel = 'dealdeck_member_items'

const changed: EphemeralEvent = { event: 'me', data: { changed: 'items' } }

type Streams = {
  broadcastEphemeral(event: EphemeralEvent): void
  sendToMember(userId: number, event: EphemeralEvent): void
}

/** Tells every instance that a member's entries are different when the transaction commits. */
export async function publishItems(transaction: Kysely<Tables>, userId: number): Promise<void> {
  await sql`select pg_notify(${memberItemsChannel}, ${String(userId)})`.execute(transaction)
}

/** Sends event `me` to the streams of a member whose entries any instance has changed, and to nobody else. */
export function relayMemberItems(bus: LiveBus, streams: Streams): void {
  bus.on(memberItemsChannel, (payload) => streams.sendToMember(Number(payload), changed))
  // Whose entries changed while nothing could be heard is not known.
  bus.onConnect(() => streams.broadcastEphemeral(changed))
}

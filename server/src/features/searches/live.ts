import type { EphemeralEvent } from '@dealdeck/contract/events'
import { sql } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'

/** The channel on which instances tell each other whose searches changed; the payload is a user's id, or empty: everybody's. */
const searchesChannel = 'dealdeck_searches'

const changed: EphemeralEvent = { event: 'me', data: { changed: 'searches' } }
/**
 * Of changes that concern everybody so many milliseconds are one event: each makes every open page fetch its list. While changes go on
 * it is twice as many each time, up to the longest, or one member who renames a search all the time would have all pages ask all the
 * time; after a quiet time it is as at first.
 */
const [togetherMs, longestMs, quietMs] = [1_000, 30_000, 60_000]

type Streams = {
  broadcastEphemeral(event: EphemeralEvent): void
  sendToMember(userId: number, event: EphemeralEvent): void
}

/** Tells every instance, when the transaction commits, that the searches of a member are different, or those of all. */
export async function publishSearches(transaction: Database, whose: number | 'all'): Promise<void> {
  await sql`select pg_notify(${searchesChannel}, ${whose === 'all' ? '' : String(whose)})`.execute(
    transaction,
  )
}

/** Sends event `me` to the streams of those whose searches any instance has changed. `stop` ends that. */
export function relaySearches(bus: Pick<LiveBus, 'on' | 'onConnect'>, streams: Streams): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let [waitMs, toldAt] = [togetherMs, Number.NEGATIVE_INFINITY]
  const tellAll = () => {
    if (timer) return
    const isQuiet = performance.now() - toldAt > quietMs
    waitMs = isQuiet ? togetherMs : Math.min(2 * waitMs, longestMs)
    timer = setTimeout(() => {
      timer = undefined
      toldAt = performance.now()
      streams.broadcastEphemeral(changed)
    }, waitMs)
  }
  bus.on(searchesChannel, (payload) => {
    if (payload === '') tellAll()
    else streams.sendToMember(Number(payload), changed)
  })
  // Whose searches changed while nothing could be heard is not known.
  bus.onConnect(() => streams.broadcastEphemeral(changed))
  return { stop: () => clearTimeout(timer) }
}

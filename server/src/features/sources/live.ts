import type { EphemeralEvent } from '@dealdeck/contract/events'
import { sourceEventSchema } from '@dealdeck/contract/sources'
import type pg from 'pg'
import { z } from 'zod'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { runStatement, type Transaction } from './running/statement.ts'

/** The channel on which instances tell each other of sources; the payload is the event's JSON, with `wake` where one is due. */
const sourcesChannel = 'dealdeck_sources'

const messageSchema = sourceEventSchema.extend({ wake: z.number().optional() })
type Message = z.infer<typeof messageSchema>
export type SourceEvent = z.infer<typeof sourceEventSchema>

const payloadOf = (message: Message) => JSON.stringify(message)

/** Tells every instance, when the transaction commits, that a source is different; with `isDue` that it is to be asked now. */
export async function publishSource(transaction: Transaction, id: number, isDue = false): Promise<void> {
  const message = { source_id: id, progress: null, ...(isDue && { wake: id }) }
  await runStatement(transaction, 'select pg_notify($1, $2)', [sourcesChannel, payloadOf(message)])
}

/** The same on a connection of pg's, of a run under way too. */
export async function notifySource(client: pg.ClientBase | pg.Pool, event: SourceEvent): Promise<void> {
  await client.query('select pg_notify($1, $2)', [sourcesChannel, payloadOf(event)])
}

type Streams = { sendToAdministrators(event: EphemeralEvent): void }

/** Sends event `sources` to the streams of administrators, whichever instance it is about, and calls `wake` for what is due. */
export function relaySources(bus: LiveBus, streams: Streams, wake: () => void): void {
  bus.on(sourcesChannel, (payload) => {
    const { success, data } = messageSchema.safeParse(parse(payload))
    if (!success) return
    const { wake: due, ...event } = data
    if (due !== undefined) wake()
    streams.sendToAdministrators({ event: 'sources', data: event })
  })
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Databases } from '../database/database.ts'
import type { LiveBus } from './live-bus.ts'

type Options<Message> = {
  /** The name PostgreSQL knows it by. */
  name: string
  schema: z.ZodType<Message>
  /** Gets what other processes send, and which of them it was; never the own messages, nor any that do not fit. */
  hear(message: Message, sender: string): void
}

/**
 * What processes that share a database tell each other by NOTIFY. Without a message the others know less, which is no
 * reason to fail: nobody waits for it, and one that can't be sent is lost.
 */
export class ProcessChannel<Message> {
  readonly #databases: Databases
  readonly #name: string
  readonly #process = randomUUID()

  constructor(databases: Databases, bus: LiveBus, { name, schema, hear }: Options<Message>) {
    this.#databases = databases
    this.#name = name
    const envelope = z.object({ sender: z.string(), message: schema })
    bus.on(name, (payload) => {
      const { success, data } = envelope.safeParse(parse(payload))
      if (success && data.sender !== this.#process) hear(data.message, data.sender)
    })
  }

  /** Sends messages in one go, each below 7,900 bytes of JSON. The promise is fulfilled once that is over; it never fails. */
  async send(...messages: Message[]): Promise<void> {
    const payloads = messages.map((message) => JSON.stringify({ sender: this.#process, message }))
    await this.#databases.reservedPool
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [this.#name, payloads])
      .catch(() => undefined)
  }
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

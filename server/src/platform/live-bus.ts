import pg from 'pg'
import type { Logger } from 'pino'
import type { Databases } from './database.ts'
import { isConnectionError } from './http-errors.ts'

type Listener = (payload: string) => void

/** Pause between an answer of the database and the next question whether it is there, in milliseconds. */
const askEveryMs = 250
/** A database that is silent for so long is away. With the pause, requests that wait for it fail within a second. */
const silenceMs = 600
/** An attempt to connect that takes longer is given up, in milliseconds. */
const connectMs = 1_500
const longestPauseMs = 1_000

/**
 * LISTEN on one connection of its own, so that every instance hears what any instance published.
 * `connected` is false while nothing can be heard: whoever caches by what the bus says must not trust the cache then.
 * After each (re)connection the `onConnect` callbacks run, to catch up on what was missed.
 * The same connection tells whether the database answers at all: it is asked a few times a second, and the `watch` is told.
 */
export class LiveBus {
  connected = false
  readonly #url: string
  readonly #watch: Databases['watch']
  readonly #log: Logger
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #onConnect = new Set<() => void>()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #attempts = 0

  constructor({ url, watch }: Pick<Databases, 'url' | 'watch'>, log: Logger) {
    this.#url = url
    this.#watch = watch
    this.#log = log
  }

  /** Hear a channel's payloads. Subscribe before `start`. */
  on(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
  }

  onConnect(callback: () => void): void {
    this.#onConnect.add(callback)
  }

  /** Connects; when that fails it keeps trying in the background. Never throws. */
  async start(): Promise<void> {
    if (this.#closed) return
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      application_name: 'dealdeck listen',
    })
    this.#client = client
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload ?? '')
    })
    const answered = this.#limit(client, connectMs)
    try {
      await client.connect()
      for (const channel of this.#listeners.keys()) await client.query(`listen ${channel}`)
      answered()
      this.#hear(client)
    } catch (error) {
      answered()
      if (this.#attempts === 0) this.#log.warn({ err: error }, 'live bus can not connect, trying again')
      // A server that refuses this one connection may still answer others.
      if (isConnectionError(error) && !(error instanceof pg.DatabaseError)) this.#watch.away()
      this.#lost(client)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.connected = false
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #hear(client: pg.Client): void {
    if (client !== this.#client || this.#closed) return
    if (this.#attempts > 0) this.#log.info('The database answers again')
    this.connected = true
    this.#attempts = 0
    this.#watch.back()
    this.#ask(client)
    for (const callback of this.#onConnect) callback()
  }

  /** Asks whether the database is there, again and again, for as long as this client is the one in use. */
  #ask(client: pg.Client): void {
    if (client !== this.#client || this.#closed) return
    const answered = this.#limit(client, silenceMs)
    client.query('select').then(() => {
      answered()
      this.#timer = setTimeout(() => this.#ask(client), askEveryMs)
    }, answered)
  }

  /** Gives the client up, and the database for away, unless the returned function is called in time. */
  #limit(client: pg.Client, ms: number): () => void {
    let answered = false
    const giveUp = () => {
      if (answered || client !== this.#client || this.#closed) return
      this.#log.warn('The database does not answer')
      this.#watch.away()
      this.#lost(client)
    }
    // Where this process itself was busy, the answer may be there and only not be read yet.
    const timer = setTimeout(() => setImmediate(giveUp), ms)
    return () => {
      answered = true
      clearTimeout(timer)
    }
  }

  #lost(client: pg.Client): void {
    if (client !== this.#client || this.#closed) return
    this.#client = undefined
    this.connected = false
    this.#attempts += 1
    clearTimeout(this.#timer)
    // A goodbye to a server that hangs would never be over.
    client.connection.stream.destroy()
    this.#timer = setTimeout(() => void this.start(), Math.min(longestPauseMs, 200 * this.#attempts))
  }
}

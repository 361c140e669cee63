import pg from 'pg'
import type { Logger } from 'pino'

type Listener = (payload: string) => void

/**
 * LISTEN on one connection of its own, so that every instance hears what any instance published.
 * `connected` is false while nothing can be heard: whoever caches by what the bus says must not trust the cache then.
 * After each (re)connection the `onConnect` callbacks run, to catch up on what was missed.
 */
export class LiveBus {
  connected = false
  readonly #url: string
  readonly #log: Logger
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #onConnect = new Set<() => void>()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #attempts = 0

  constructor(url: string, log: Logger) {
    this.#url = url
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
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
      application_name: 'dealdeck listen',
    })
    this.#client = client
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload ?? '')
    })
    try {
      await client.connect()
      for (const channel of this.#listeners.keys()) await client.query(`listen ${channel}`)
      this.connected = true
      this.#attempts = 0
      for (const callback of this.#onConnect) callback()
    } catch (error) {
      if (this.#attempts === 0) this.#log.warn({ err: error }, 'live bus can not connect, trying again')
      this.#lost(client)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.connected = false
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #lost(client: pg.Client): void {
    if (client !== this.#client || this.#closed) return
    this.#client = undefined
    this.connected = false
    this.#attempts += 1
    client.end().catch(() => undefined)
    this.#timer = setTimeout(() => void this.start(), Math.min(2_000, 200 * this.#attempts))
  }
}

import type { StreamEvent } from './event-stream.ts'

/**
 * Who missed more fetches everything again, which is less for the reader as well: a page of the feed is some 30 KB, and
 * an event of an import names a thousand deals in 7 KB.
 */
const mostEvents = 200
const mostBytes = 256 * 1024

/**
 * The last events sent, in the order of their numbers without a gap, stored as they are sent. Whoever resumes from among
 * them asks the database nothing and shares the bytes with all others.
 */
export class RecentEvents {
  /** How many are stored at most. */
  static readonly most = mostEvents
  readonly #events: StreamEvent[] = []
  #bytes = 0
  /** All of them in a row, until the next comes. */
  #joined: Buffer | undefined
  #last: number | null = null

  /** The number of the last event; null while nothing is known of any. */
  get last(): number | null {
    return this.#last
  }

  /** Forgets all events; `last` is the number the next one follows. */
  restart(last: number | null): void {
    this.#events.length = 0
    this.#bytes = 0
    this.#joined = undefined
    this.#last = last
  }

  add(event: StreamEvent): void {
    if (this.#last !== event.position - 1) this.restart(null)
    this.#events.push(event)
    this.#bytes += event.bytes.length
    this.#joined = undefined
    this.#last = event.position
    while (this.#events.length > mostEvents || this.#bytes > mostBytes)
      this.#bytes -= this.#events.shift()?.bytes.length ?? 0
  }

  /** All events after that number, as one; undefined when some are not stored, or it is none of those given so far. */
  after(position: number): StreamEvent | undefined {
    if (this.#last === null || position > this.#last) return undefined
    const missed = this.#last - position
    if (missed > this.#events.length) return undefined
    const known = this.#events.slice(0, this.#events.length - missed)
    this.#joined ??= Buffer.concat(this.#events.map(({ bytes }) => bytes))
    const from = known.reduce((sum, { bytes }) => sum + bytes.length, 0)
    return { position: this.#last, bytes: this.#joined.subarray(from) }
  }
}

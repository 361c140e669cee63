import type { Readable } from 'node:stream'
import { AppError } from '../../../platform/errors.ts'

/** A sender that is silent for so long has gone. */
const silenceMs = 60_000
/** In so long a time spent waiting for it, a sender has to send so many bytes; less only holds a connection. */
const leastPace = { ms: 60_000, bytes: 16_384 }
/** The pace of a sender is that of so long a time spent waiting for it, in milliseconds. */
const paceMs = 10_000

type Patience = { silence?: number; pace?: { ms: number; bytes: number }; signal?: AbortSignal | undefined }

/**
 * A request's body as it arrives, and how fast its sender is. Only time spent waiting for the sender counts: while it
 * waits for a turn, or the database is slow, it may send nothing. Can be read once.
 */
export class Incoming implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  readonly #patience: Required<Omit<Patience, 'signal'>> & Pick<Patience, 'signal'>
  readonly #measured = { waited: 0, received: 0 }
  #waitsSince: number | undefined

  constructor(stream: Readable, patience: Patience = {}) {
    this.#stream = stream
    this.#patience = { silence: silenceMs, pace: leastPace, ...patience }
  }

  /** Bytes a second, over the last ten seconds that were spent waiting; undefined as long as there were fewer. */
  get pace(): number | undefined {
    const { waited, received } = this.#measured
    const now = this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince
    return waited + now < paceMs ? undefined : (received / (waited + now)) * 1_000
  }

  /**
   * Throws INVALID_INPUT when the body stops before its end, or comes too slowly, and the signal's reason once that is
   * aborted. Leaving it early doesn't close the connection, so that the answer still gets there.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { pace, signal } = this.#patience
    const chunks = this.#stream.iterator({ destroyOnReturn: false })
    let [waited, received] = [0, 0]
    try {
      for (;;) {
        const begin = performance.now()
        this.#waitsSince = begin
        const { value, done } = await this.#inTime(() => chunks.next())
        this.#waitsSince = undefined
        if (done) return
        const took = performance.now() - begin
        this.#measure(took, value.length)
        waited += took
        received += value.length
        if (waited >= pace.ms) {
          if (received < pace.bytes)
            throw new AppError('INVALID_INPUT', 'The body comes too slowly. Nothing was imported.')
          waited = 0
          received = 0
        }
        yield value
      }
    } catch (cause) {
      signal?.throwIfAborted()
      if (cause instanceof AppError) throw cause
      throw new AppError('INVALID_INPUT', 'The body ended before it was complete. Nothing was imported.', {
        cause,
      })
    } finally {
      this.#waitsSince = undefined
      // What is left unread would keep the next request of the same connection waiting for ever.
      void chunks.return?.().then(
        () => this.#stream.resume(),
        () => {},
      )
    }
  }

  #measure(waited: number, received: number): void {
    const measured = this.#measured
    measured.waited += waited
    measured.received += received
    if (measured.waited <= paceMs) return
    // Older time fades, so that this is always about the last of it.
    measured.received *= paceMs / measured.waited
    measured.waited = paceMs
  }

  /** A read that was begun always has somebody who hears of its failure, also once it isn't waited for any more. */
  async #inTime<T>(read: () => Promise<T>): Promise<T> {
    const { silence, signal } = this.#patience
    signal?.throwIfAborted()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = () => reject(signal?.reason)
    const silent = new AppError('INVALID_INPUT', 'The body stopped coming. Nothing was imported.')
    const timer = setTimeout(() => reject(silent), silence)
    signal?.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([read(), ended])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  }
}

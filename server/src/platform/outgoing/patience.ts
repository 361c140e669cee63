import { explainFailure } from './failures.ts'
import { FetchError } from './safe-fetch.ts'

/** The time that the other side has for one request. What we do with the answer meanwhile doesn't count. */
export class Patience {
  /** Aborted with a FetchError when the time is over, and with the caller's reason when the caller ends it. */
  readonly signal: AbortSignal
  readonly #over = new AbortController()
  readonly #totalMs: number
  #leftMs: number

  constructor(totalMs: number, signal: AbortSignal | undefined) {
    this.#totalMs = totalMs
    this.#leftMs = totalMs
    this.signal = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal
  }

  /** How long the other side has been waited for, in milliseconds. */
  get waitedMs(): number {
    return this.#totalMs - this.#leftMs
  }

  /** Waits for the other side, `limitMs` at most. Throws why it was ended, or a FetchError of what `work` throws. */
  async wait<T>(work: () => Promise<T>, limitMs = Number.POSITIVE_INFINITY): Promise<T> {
    this.signal.throwIfAborted()
    const beganAt = performance.now()
    const timer = setTimeout(() => this.#end(), Math.min(limitMs, Math.max(0, this.#leftMs)))
    let stop = () => {}
    const ended = new Promise<never>((_, reject) => {
      stop = () => reject(this.signal.reason)
      this.signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([work(), ended])
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : explainFailure(error)
    } finally {
      clearTimeout(timer)
      this.signal.removeEventListener('abort', stop)
      this.#leftMs -= performance.now() - beganAt
    }
  }

  #end(): void {
    this.#over.abort(new FetchError('time', 'It took too long to answer. Try again later.'))
  }
}

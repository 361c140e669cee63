import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { AppError } from './errors.ts'

/** Keys remembered at most; of more, the longest unused are forgotten. About 30 MB at worst. */
const mostKeys = 50_000

/** How often something may be tried by key within a time. Whoever sends ever new keys costs no more than `most` of them. */
export class AttemptLimit {
  readonly #limiter: RateLimiterMemory
  readonly #keys = new Set<string>()
  readonly #most: number

  constructor({ attempts, seconds, most = mostKeys }: { attempts: number; seconds: number; most?: number }) {
    this.#limiter = new RateLimiterMemory({ points: attempts, duration: seconds })
    this.#most = most
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#keys.size
  }

  /** Counts an attempt. Throws TOO_MANY_REQUESTS, with the time to wait, when there were too many. */
  async take(key: string): Promise<void> {
    // Moving it to the end keeps the set in order of last use.
    this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size > this.#most) await this.#forgetOldest()
    try {
      await this.#limiter.consume(key)
    } catch (refusal) {
      throw tooMany(refusal)
    }
  }

  /** Takes one attempt back. */
  async giveBack(key: string): Promise<void> {
    if (this.#keys.has(key)) await this.#limiter.reward(key, 1)
  }

  /** Begins anew for a key. */
  async clear(key: string): Promise<void> {
    this.#keys.delete(key)
    await this.#limiter.delete(key)
  }

  async #forgetOldest(): Promise<void> {
    const [oldest] = this.#keys
    if (oldest !== undefined) await this.clear(oldest)
  }
}

function tooMany(refusal: unknown): AppError {
  const seconds = refusal instanceof RateLimiterRes ? Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) : 60
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return new AppError('TOO_MANY_REQUESTS', `Too many attempts. Please try again in ${wait}.`, {
    retryAfter: seconds,
  })
}

/** However much somebody has asked for, they wait no longer than this; in milliseconds. */
export const longestWaitMs = 5_000
/** Members remembered at most; whoever is forgotten begins rested. */
const mostMembers = 10_000

/** How fast each member may go on for long: a bucket of `burst` that fills by `perSecond`. */
export class MemberPace {
  readonly #perMs: number
  readonly #burst: number
  /** When each one's bucket would be full again, in milliseconds of the process's clock. */
  readonly #fullAt = new Map<string, number>()

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
  }

  /** How many members are remembered. */
  get size(): number {
    return this.#fullAt.size
  }

  /** Takes `count` out of a bucket; returns how long who took it has to wait, in milliseconds: 0 within the pace. */
  take(key: string, count = 1, now = performance.now()): number {
    const emptyMs = this.#burst / this.#perMs
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, now) + count / this.#perMs
    this.#fullAt.set(key, Math.min(fullAt, now + emptyMs + longestWaitMs))
    if (this.#fullAt.size > mostMembers) this.#forgetRested(now)
    return Math.min(Math.max(0, fullAt - now - emptyMs), longestWaitMs)
  }

  #forgetRested(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key)
    const [oldest] = this.#fullAt.keys()
    if (this.#fullAt.size > mostMembers && oldest !== undefined) this.#fullAt.delete(oldest)
  }
}

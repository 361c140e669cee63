/**
 * After a piece others have the processor and the database for so many times as long as it took: nobody waits for a verdict. Even longer
 * where nobody sees a difference, as with all deals that an import has just brought.
 */
const shares = { usual: 2, longer: 16 }
/** A single pause is at most so long: who waited for somebody's lock need not sleep sixteen times as long. In milliseconds. */
const longestMs = 1_000
/**
 * How long there are longer pauses once a whole piece of newly due deals has come, or the refresh has begun, in milliseconds: whatever is
 * left then must not wait for ever.
 */
export const longerForMs = 60_000
/**
 * What all longer pauses of a refresh may add up to, and the part of the time that is added to it again: two large imports on end have
 * theirs, and where deals come in all the time verdicts still keep up.
 */
const allowance = { mostMs: 120_000, regained: 0.2 }

/** Deals that were refreshed at once. */
export type RefreshedPiece = {
  /** In milliseconds. */
  tookMs: number
  /** How many of them show something else since. */
  changed: number
  /** When each had become due, by the database's clock, in milliseconds since 1970. */
  dueAt: readonly number[]
}

/** How long a refresh of verdicts leaves the machine to others between its pieces. One for each refresh. */
export class RefreshPauses {
  #newestDue = Number.NEGATIVE_INFINITY
  #longerUntil = Number.NEGATIVE_INFINITY
  #longerLeftMs = allowance.mostMs
  #lastNow: number | null = null

  /** The pause after a piece, in milliseconds. `now`: of a clock that only goes forward, not the one of `dueAt`. */
  after({ tookMs, changed, dueAt }: RefreshedPiece, now: number): number {
    // Those that became due last come first, so only what is newly due is newer than all of before. Where another deal became due by
    // itself while an import was being marked, that import is not noticed, and has the usual pauses.
    if (Math.min(...dueAt) > this.#newestDue) this.#longerUntil = now + longerForMs
    this.#newestDue = Math.max(this.#newestDue, ...dueAt)
    const regained = (now - (this.#lastNow ?? now)) * allowance.regained
    this.#longerLeftMs = Math.min(allowance.mostMs, this.#longerLeftMs + regained)
    this.#lastNow = now
    const isLonger = changed === 0 && now < this.#longerUntil && this.#longerLeftMs > 0
    const pause = Math.min(longestMs, tookMs * (isLonger ? shares.longer : shares.usual))
    if (isLonger) this.#longerLeftMs -= pause
    return pause
  }
}

/** For whoever has nobody to leave the machine to. */
export const noPauses: Pick<RefreshPauses, 'after'> = { after: () => 0 }

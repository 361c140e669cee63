/**
 * After a piece others have the processor and the database for so many times as long as it took: nobody waits for a verdict. Even longer
 * where nobody sees a difference, as with all deals that an import has just brought.
 */
const shares = { usual: 2, unseen: 16 }
/** A single pause is at most so long: who waited for somebody's lock need not sleep sixteen times as long. In milliseconds. */
const longestMs = 1_000
/** How long there are the longer pauses after deals have become due, in milliseconds: whatever is left then must not wait for ever. */
const unseenForMs = 60_000
/**
 * What all longer pauses may add up to, and the part of the time that is added to it again: two large imports on end have theirs, and
 * where deals come in all the time verdicts still keep up.
 */
const allowance = { mostMs: 120_000, regained: 0.2 }

/** Deals that were refreshed at once: how long that took, how many show something else since, and when each had become due; in ms. */
export type RefreshedPiece = { tookMs: number; changed: number; dueAt: readonly number[] }

/** How long a refresh of verdicts leaves the machine to others between its pieces. One for each refresh. */
export class RefreshPauses {
  #newestDue = Number.NEGATIVE_INFINITY
  #unseenUntil = Number.NEGATIVE_INFINITY
  #allowedMs = allowance.mostMs
  #last: number | null = null

  /** The pause after a piece, in milliseconds. `now`: of any clock that only goes forward. */
  after({ tookMs, changed, dueAt }: RefreshedPiece, now: number): number {
    // Those that became due last come first, so nothing but what is newly due can be newer than all of before.
    if (Math.min(...dueAt) > this.#newestDue) this.#unseenUntil = now + unseenForMs
    this.#newestDue = Math.max(this.#newestDue, ...dueAt)
    const regained = (now - (this.#last ?? now)) * allowance.regained
    this.#allowedMs = Math.min(allowance.mostMs, this.#allowedMs + regained)
    this.#last = now
    const isLong = changed === 0 && now < this.#unseenUntil && this.#allowedMs > 0
    const pause = Math.min(longestMs, tookMs * (isLong ? shares.unseen : shares.usual))
    if (isLong) this.#allowedMs -= pause
    return pause
  }
}

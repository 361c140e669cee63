import { setImmediate as others } from 'node:timers/promises'

/**
 * After so many milliseconds of work others have their turn. Two instead of four made no page quicker beside alerts, and twice as many
 * turns in the middle of the matcher's transaction.
 */
const sliceMs = 4

/** For long work on the thread that answers: between its pieces everybody else has the event loop once a slice is over. */
export class TimeSlice {
  #began = performance.now()

  /** Whether others are to have their turn: for pieces so small that waiting for nothing after each would be felt. */
  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs
  }

  /** Call it between pieces. Throws the signal's reason once that is aborted. */
  async pause(signal?: AbortSignal): Promise<void> {
    if (this.isOver) {
      await others()
      this.#began = performance.now()
    }
    signal?.throwIfAborted()
  }
}

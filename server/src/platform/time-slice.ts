import { setImmediate as others } from 'node:timers/promises'

/**
 * After so many milliseconds of work others have their turn. Two instead of four made no page quicker beside alerts, and twice as many
 * turns in the middle of the matcher's transaction.
 */
const sliceMs = 4

/** For long work on the thread that answers: between its pieces everybody else has the event loop once a slice is over. */
export class TimeSlice {
  #began = performance.now()

  /** Call it between pieces. Throws the signal's reason once that is aborted. */
  async pause(signal?: AbortSignal): Promise<void> {
    if (performance.now() - this.#began >= sliceMs) {
      await others()
      this.#began = performance.now()
    }
    signal?.throwIfAborted()
  }
}

import { setImmediate as others } from 'node:timers/promises'

/** How long work may keep the event loop, in milliseconds: a reader's page takes several turns of it, each behind such a slice. */
const sliceMs = 2

/** Lets everybody else have the event loop between the pieces of a long work. */
export class TimeSlice {
  #began = performance.now()

  /** Call it after each piece. Throws the signal's reason once that is aborted. */
  async pause(signal?: AbortSignal): Promise<void> {
    if (performance.now() - this.#began >= sliceMs) {
      await others()
      this.#began = performance.now()
    }
    signal?.throwIfAborted()
  }
}

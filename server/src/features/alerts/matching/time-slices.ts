/** After so many milliseconds others have their turn. */
const sliceMs = 4

/** For long work on the thread that answers readers: awaited now and then, it lets others go first when a slice is over. */
export class TimeSlices {
  #since = performance.now()

  async pause(): Promise<void> {
    if (performance.now() - this.#since < sliceMs) return
    await new Promise(setImmediate)
    this.#since = performance.now()
  }
}

/** What runs once for each key, however many want it: begun for the first, stopped with the last of them. */
export class SharedRuns<Value> {
  readonly #running = new Map<string, { count: number; newest: Value; stop: () => void }>()

  /**
   * Joins what runs for a key, or has `start` begin it, which is given how to ask for the value of whoever joined last. Answers the
   * function that leaves.
   */
  join(key: string, value: Value, start: (newest: () => Value) => () => void): () => void {
    const run = this.#running.get(key) ?? { count: 0, newest: value, stop: () => undefined }
    run.count += 1
    run.newest = value
    if (run.count === 1) {
      this.#running.set(key, run)
      run.stop = start(() => run.newest)
    }
    let isJoined = true
    return () => {
      if (!isJoined) return
      isJoined = false
      run.count -= 1
      if (run.count > 0) return
      this.#running.delete(key)
      run.stop()
    }
  }
}

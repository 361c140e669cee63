/** Lets so many through at once; the others wait in the order they came. */
export class Turns {
  private free: number
  private readonly waiting: Array<() => void> = []

  constructor(atOnce: number) {
    this.free = atOnce
  }

  /** Waits for a turn; call what it gives exactly once when done. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    return () => {
      const next = this.waiting.shift()
      if (next) next()
      else this.free += 1
    }
  }
}

/** What is asked of a signal that ends work: an `AbortSignal` is one. */
export type CancelSignal = Pick<AbortSignal, 'aborted' | 'reason'> & {
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** An `AbortController` and its signal in one, for what each page does: those are event targets, and dear to make. */
export class Cancellation implements CancelSignal {
  aborted = false
  reason: unknown
  readonly #listeners: (() => void)[] = []

  /** Calls all who listen, once. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners.splice(0)) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}

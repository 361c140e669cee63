import type pg from 'pg'
import { cancelStatement } from '../../../platform/database/abortable-query.ts'

/** Whoever began a statement just after one was cancelled is found so much later, in milliseconds. */
const againMs = 200

/**
 * Cancels what runs on some connections once the signal is aborted, and whatever begins there until `stop`. Afterwards
 * these connections must not be used for anything else: a cancel may still be on its way.
 */
export class Cancelling {
  readonly #signal: AbortSignal | undefined
  readonly #clients: pg.ClientBase[] = []
  readonly #begin = () => {
    this.#cancel()
    this.#timer = setInterval(() => this.#cancel(), againMs)
  }
  #timer: NodeJS.Timeout | undefined

  constructor(signal?: AbortSignal) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#begin, { once: true })
  }

  add(client: pg.ClientBase): void {
    this.#clients.push(client)
  }

  stop(): void {
    this.#signal?.removeEventListener('abort', this.#begin)
    clearInterval(this.#timer)
  }

  #cancel(): void {
    for (const client of this.#clients) void cancelStatement(client)
  }
}

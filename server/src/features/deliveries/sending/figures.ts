import type { DestinationKind } from '@dealdeck/contract/deliveries'

/** What became of a message at its receiver. */
export type SentOutcome = 'sent' | 'edited' | 'failed' | 'dead' | 'skipped'

/** What this process has sent, for `/metrics`. */
export class DeliveryFigures {
  /** Destinations under way. */
  sending = 0
  /** How many messages are due, at the last look, and since when the oldest is, in milliseconds since 1970. */
  due = 0
  oldestDue: number | undefined
  readonly #ended = new Map<string, [kind: DestinationKind, outcome: SentOutcome, count: number]>()

  ended(kind: DestinationKind, outcome: SentOutcome, count = 1): void {
    const key = `${kind} ${outcome}`
    const [, , before] = this.#ended.get(key) ?? [kind, outcome, 0]
    this.#ended.set(key, [kind, outcome, before + count])
  }

  /** Messages by the kind of their destination and what became of them. */
  get outcomes(): Iterable<[kind: DestinationKind, outcome: SentOutcome, count: number]> {
    return this.#ended.values()
  }
}

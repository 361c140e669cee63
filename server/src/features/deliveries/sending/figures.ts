import { type DestinationKind, destinationKinds } from '@dealdeck/contract/deliveries'
import type { Reading, WatchedFigure } from '../../../platform/observing/watched-figures.ts'

/** What became of a message at its receiver. */
const sentOutcomes = ['sent', 'edited', 'failed', 'dead', 'skipped'] as const
type SentOutcome = (typeof sentOutcomes)[number]

/** What this process has sent, for `/metrics`. */
export class DeliveryFigures {
  /** Destinations under way. */
  sending = 0
  /** How many messages are due, at the last look, and since when the oldest is, in milliseconds since 1970. */
  due = 0
  oldestDue: number | undefined
  readonly #ended = new Map<string, [kind: DestinationKind, outcome: SentOutcome, count: number]>()

  constructor() {
    // There from the start, so that an alarm can distinguish none from not yet.
    for (const kind of destinationKinds) for (const outcome of sentOutcomes) this.ended(kind, outcome, 0)
  }

  ended(kind: DestinationKind, outcome: SentOutcome, count = 1): void {
    const key = `${kind} ${outcome}`
    const [, , before] = this.#ended.get(key) ?? [kind, outcome, 0]
    this.#ended.set(key, [kind, outcome, before + count])
  }

  /** As `/metrics` says it. */
  get watched(): WatchedFigure[] {
    const of = (isTally: boolean, name: string, help: string, labels: string[], read: () => Reading[]) => ({
      ...{ isTally, name, help, labels, read },
    })
    const age = () => (this.oldestDue === undefined ? 0 : Math.max(0, Date.now() - this.oldestDue) / 1000)
    return [
      of(false, 'dealdeck_deliveries_sending', 'Destinations that are sent to here', [], () => [
        [this.sending],
      ]),
      of(false, 'dealdeck_deliveries_due', 'Messages that are due, at the last look', [], () => [[this.due]]),
      of(false, 'dealdeck_delivery_oldest_due_seconds', 'How long a message has been due', [], () => [
        [age()],
      ]),
      of(true, 'dealdeck_deliveries_total', 'Messages by what became of them here', ['kind', 'outcome'], () =>
        [...this.outcomes].map(([kind, outcome, count]): Reading => [count, kind, outcome]),
      ),
    ]
  }

  /** Messages by the kind of their destination and what became of them. */
  get outcomes(): Iterable<[kind: DestinationKind, outcome: SentOutcome, count: number]> {
    return this.#ended.values()
  }
}

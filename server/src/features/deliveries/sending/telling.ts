import type { Databases } from '../../../platform/database/database.ts'
import { type DeliveryChange, publishDeliveries } from '../live.ts'

/** So many milliseconds of changes are told together. */
const togetherMs = 300

/** What tells pages of sending, a moment later and several changes at once. */
export const pageNews = ({ durablePool }: Pick<Databases, 'durablePool'>) =>
  tellTogether((changes) => publishDeliveries(durablePool, ...changes))

/** Makes a function that collects changes and hands them to `publish`, each once, a moment later; what fails is told by the next change. */
function tellTogether(
  publish: (changes: readonly DeliveryChange[]) => Promise<void>,
): (change: DeliveryChange) => void {
  const waiting = new Map<string, DeliveryChange>()
  return (change) => {
    if (waiting.size === 0)
      setTimeout(() => {
        const all = [...waiting.values()]
        waiting.clear()
        void publish(all).catch(() => undefined)
      }, togetherMs).unref()
    waiting.set(`${change.changed} ${change.destinationId}`, change)
  }
}

import type { ImportResult } from '@dealdeck/contract/ingest'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { type NumberText, numberText } from '../../../platform/numbers.ts'
import type { screen } from '../../quarantine/actions.ts'
import { acceptedPolls } from '../../quarantine/rules.ts'

export type Screened = Awaited<ReturnType<typeof screen>>
type Result = Pick<ImportResult, 'received' | 'rejected_total' | 'rejected_by_reason'>

/** Reasons that are named. */
const namedReasons = 3

/** What became of a document, in sentences whose numbers are written as on the screens. */
export class DocumentTexts {
  readonly #number: NumberText

  constructor(marketplace: Marketplace) {
    this.#number = numberText(marketplace)
  }

  /** Why all rows of a document were refused; null where some were not, or where there is none. */
  refused({ received, rejected_total: rejected, rejected_by_reason }: Result): string | null {
    if (received === 0 || rejected < received) return null
    return `${this.#all(received)} refused: ${this.#named(rejected_by_reason)}. Nothing of it becomes a deal.`
  }

  /**
   * Why no row of a document becomes a deal by itself, as all are of other shops, refused now or refused before; null where some become one, or
   * wait for what they are themselves.
   */
  held(
    { received, rejected_total: rejected, rejected_by_reason }: Result,
    screened: Screened | undefined,
  ): string | null {
    const {
      held = 0,
      refusedBefore = 0,
      overtaken = 0,
      heldByShop = new Map<string, number>(),
    } = screened ?? {}
    const ofShops = [...heldByShop.values()].reduce((sum, count) => sum + count, 0)
    const gone = held + refusedBefore + overtaken + rejected
    if (received === 0 || rejected === received || ofShops < held || gone < received) return null
    const parts = [
      { count: held, text: `held: ${this.#named(Object.fromEntries(heldByShop))}` },
      { count: refusedBefore, text: 'left out, as they were refused before' },
      { count: overtaken, text: 'left out, as a newer row has the same item' },
      { count: rejected, text: `refused: ${this.#named(rejected_by_reason)}` },
    ].filter(({ count }) => count > 0)
    const which =
      parts.length === 1
        ? parts.map(({ text }) => `${this.#all(received)} ${text}`).join()
        : `Of ${this.#number(received)} rows ${parts.map(({ count, text }) => `${this.#number(count)} ${count === 1 ? 'was' : 'were'} ${text}`).join('; ')}`
    return `${which}. Nothing of it becomes a deal${held > 0 ? ' unless somebody lets it through' : ''}.`
  }

  #named(reasons: Readonly<Record<string, number>>): string {
    const sorted = Object.entries(reasons).sort(([, one], [, other]) => other - one)
    const shown = sorted.slice(0, namedReasons).map(([reason, count]) => `${reason} (${this.#number(count)})`)
    return shown.join(', ')
  }

  /** What became of a document that was looked at, in sentences. `allHeld`: said where none of it becomes a deal. */
  became(screened: Screened | undefined, allHeld: string | null): string[] {
    if (!screened) return []
    const { held, unstored, fault, heldByShop } = screened
    const texts = allHeld === null ? [] : [allHeld]
    const ofShops = [...heldByShop.values()].reduce((sum, count) => sum + count, 0)
    if (fault && ofShops === held && allHeld === null) {
      const none = held === 0 ? 'No row' : 'No other row'
      texts.push(`${fault.reason} ${none} of it waits, and nothing ends for it.${untilAccepted(fault)}`)
    }
    if (held === 0) return texts
    const stored = held - unstored
    // What was, for it is still read when somebody has decided of them.
    const which =
      fault && ofShops < held
        ? `${fault.reason} ${this.#some(stored)} that would change something`
        : this.#some(stored)
    texts.push(`${which} went into quarantine.`)
    if (unstored > 0) texts.push(`${this.#some(unstored)} more found no room there.`)
    return texts
  }

  /** What is said of rows for which another of the same document counts: without them its numbers don't add up. */
  overtaken(count: number): string[] {
    return count === 0 ? [] : [`Rows left out for another of the same item: ${this.#number(count)}.`]
  }

  #all(received: number): string {
    return received === 1 ? 'Its only row was' : `All ${this.#number(received)} rows were`
  }

  #some(count: number): string {
    return count === 1 ? '1 row' : `${this.#number(count)} rows`
  }
}

const untilAccepted = ({ rule }: { rule: string }) =>
  rule === 'shrunk'
    ? ` ${acceptedPolls} polls in a row with about as many rows are taken for how it is now.`
    : ''

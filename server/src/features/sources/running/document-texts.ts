import type { ImportResult } from '@dealdeck/contract/ingest'
import type { screen } from '../../quarantine/actions.ts'
import { acceptedPolls } from '../../quarantine/rules.ts'

export type Screened = Awaited<ReturnType<typeof screen>>
type Result = Pick<ImportResult, 'received' | 'rejected_total' | 'rejected_by_reason'>

/** Reasons that are named. */
const namedReasons = 3

/** Why all rows of a document were refused; null where some were not, or where there is none. */
export function refusedText({
  received,
  rejected_total: rejected,
  rejected_by_reason,
}: Result): string | null {
  if (received === 0 || rejected < received) return null
  return `${all(received)} refused: ${named(rejected_by_reason)}. Nothing of it becomes a deal.`
}

/**
 * Why no row of a document becomes a deal by itself, as all are of other shops, refused now or refused before; null where some become one, or
 * wait for what they are themselves.
 */
export function heldText(
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
    { count: held, text: `held: ${named(Object.fromEntries(heldByShop))}` },
    { count: refusedBefore, text: 'left out, as they were refused before' },
    { count: overtaken, text: 'left out, as a newer row has the same item' },
    { count: rejected, text: `refused: ${named(rejected_by_reason)}` },
  ].filter(({ count }) => count > 0)
  const which =
    parts.length === 1
      ? parts.map(({ text }) => `${all(received)} ${text}`).join()
      : `Of ${number(received)} rows ${parts.map(({ count, text }) => `${number(count)} ${count === 1 ? 'was' : 'were'} ${text}`).join('; ')}`
  return `${which}. Nothing of it becomes a deal${held > 0 ? ' unless somebody lets it through' : ''}.`
}

const number = (count: number) => count.toLocaleString('en')
const all = (received: number) => (received === 1 ? 'Its only row was' : `All ${number(received)} rows were`)

function named(reasons: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(reasons).sort(([, one], [, other]) => other - one)
  const shown = sorted.slice(0, namedReasons).map(([reason, count]) => `${reason} (${number(count)})`)
  return shown.join(', ')
}

/** What became of a document that was looked at, in sentences. `allHeld`: said where none of it becomes a deal. */
export function textsOf(screened: Screened | undefined, allHeld: string | null): string[] {
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
    fault && ofShops < held ? `${fault.reason} ${some(stored)} that would change something` : some(stored)
  texts.push(`${which} went into quarantine.`)
  if (unstored > 0) texts.push(`${some(unstored)} more found no room there.`)
  return texts
}

const some = (count: number) => (count === 1 ? '1 row' : `${number(count)} rows`)
const untilAccepted = ({ rule }: { rule: string }) =>
  rule === 'shrunk'
    ? ` ${acceptedPolls} polls in a row with about as many rows are taken for how it is now.`
    : ''

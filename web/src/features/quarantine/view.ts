import type { HeldRow, QuarantinePage } from '@dealdeck/contract/quarantine'
import { otherMoney } from '../../ui/other-money.ts'

export type Group = QuarantinePage['groups'][number]
/** Of how many rows was decided, how many were gone by then, how many of those let through changed nothing, and how many can't be. */
export type Decided = { decided: number; gone: number; unchanged: number; unreadable: number }
export type Decision = 'release' | 'refuse'
/** What of the quarantine is looked at; nothing given is all of it. */
export type HeldFilter = { source?: number; rule?: string }

type Formats = { money: (amount: number) => string; number: (value: number) => string; locale: string }
type HeldValue = HeldRow['new'][string]

/** One field of a held row: what is stored, what the row says, and how they differ in words. */
export type Comparison = { label: string; before: string | null; after: string; change: string | null }

/** What stands for a value that a row has none of. */
export const notStated = 'not stated'

/**
 * The fields that matter to the rule, old beside new; those that differ first. What the row doesn't state changes nothing, and a title
 * that is the same stands above them anyhow.
 */
export function comparisonsOf({ old, new: now }: Pick<HeldRow, 'old' | 'new'>, shop: Formats): Comparison[] {
  const names = [...new Set([...Object.keys(now), ...Object.keys(old ?? {})])].filter((name) =>
    name === 'title'
      ? old?.title !== now.title
      : (old?.[name] ?? null) !== null || (now[name] ?? null) !== null,
  )
  const { currency } = now
  // A number in other money is neither more nor less than what is stored.
  const inOther = (name: string) => typeof currency === 'string' && /price/.test(name)
  const rows = names.map((name) => {
    const [before, after] = [old?.[name] ?? null, now[name] ?? null]
    const isOther = inOther(name) && typeof after === 'number'
    return {
      label: name.replaceAll('_', ' '),
      before: old === null ? null : textOf(name, before, shop),
      after: isOther
        ? otherMoney(after, String(currency), shop.locale)
        : after === null
          ? notStated
          : textOf(name, after, shop),
      change: old === null || after === null ? null : isOther ? 'other money' : changeOf(before, after),
    }
  })
  return [...rows.filter(({ change }) => change !== null), ...rows.filter(({ change }) => change === null)]
}

function textOf(name: string, value: HeldValue, { money, number }: Formats): string {
  if (value === null || value === '') return 'nothing'
  if (typeof value === 'string') return value
  if (/price/.test(name)) return money(value)
  return /percent/.test(name) ? `${number(value)}%` : number(value)
}

/** '62% less', '3 times as much', 'changed'; null where both are the same. */
function changeOf(before: HeldValue, after: HeldValue): string | null {
  if (before === after) return null
  if (typeof before !== 'number' || typeof after !== 'number' || before <= 0 || after < 0) return 'changed'
  const share = after / before
  if (share >= 2) return `${share >= 10 ? Math.round(share) : Number(share.toFixed(1))} times as much`
  // What rounds to nothing has changed all the same, and what costs something is not for nothing.
  const rounded = Math.max(1, Math.round(Math.abs(1 - share) * 100))
  const hundredths = share < 1 && after > 0 ? Math.min(99, rounded) : rounded
  return `${hundredths}% ${share < 1 ? 'less' : 'more'}`
}

/** '1 row', '1,204 rows'. */
export function rowsText(count: number, number: (value: number) => string): string {
  return `${number(count)} ${count === 1 ? 'row' : 'rows'}`
}

/** What came of a decision: '3 rows let through. 1 was overtaken by a newer poll, or decided by somebody else, meanwhile.' */
export function outcomeText(
  how: Decision,
  { decided, gone, unchanged, unreadable }: Decided,
  number: (value: number) => string,
): string {
  const done = `${rowsText(decided, number)} ${how === 'release' ? 'let through' : 'refused'}.`
  const nothing =
    unchanged > 0 &&
    `${number(unchanged)} changed nothing: what is stored is newer or the same, or its time was over.`
  const left =
    gone > 0 &&
    `${number(gone)} ${gone === 1 ? 'was' : 'were'} overtaken by a newer poll, or decided by somebody else, meanwhile.`
  const unread =
    unreadable > 0 &&
    `${rowsText(unreadable, number)} of another version of Dealdeck can’t be let through by this one: ${unreadable === 1 ? 'it waits' : 'they wait'} for a newer poll, or to be refused.`
  return [done, nothing, left, unread].filter((text) => text !== false).join(' ')
}

/** What is decided for what comes from now on of a source, by the rule that held its rows. */
export const alwaysText = (how: Decision, source: string): string =>
  how === 'release'
    ? `From now on this rule never holds rows of ${source}.`
    : `From now on whatever this rule finds in ${source} is refused at once, until its form says otherwise.`

/** The group that a filter means exactly. */
export function groupOf(groups: readonly Group[], { source, rule }: HeldFilter): Group | undefined {
  return groups.find((group) => group.source_id === source && group.rule === rule)
}

/** The groups as they are offered: by source, the largest first. */
export function inOrder(groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => a.source.localeCompare(b.source) || b.count - a.count)
}

import type { AuditAction, AuditEntry, AuditKind, AuditState } from '@dealdeck/contract/audit'

export const kindLabels: Record<AuditKind, string> = {
  filter: 'Filters',
  word: 'Blacklisted words',
  user: 'Users',
  ingest_token: 'Import tokens',
  import: 'Imports',
  search: 'Shared searches',
  price: 'Observed prices',
  deal: 'Hidden deals',
  source: 'Sources',
  held_row: 'Quarantine',
  destination: 'Channels',
  alert: 'Alerts of the group',
  delivery: 'Messages',
}

export const actionLabels: Record<AuditAction, string> = {
  add: 'Added',
  change: 'Changed',
  remove: 'Removed',
  activate: 'Activated',
  deactivate: 'Deactivated',
  approve: 'Approved',
  reject: 'Rejected',
  import: 'Imported',
}

const kindWords: Record<string, string> = {
  filter: 'filter',
  word: 'word',
  user: 'user',
  ingest_token: 'import token',
  import: 'deals from',
  search: 'shared search',
  price: 'a price of',
  deal: 'deal',
  source: 'source',
  held_row: 'held rows of',
  destination: 'channel',
  alert: 'alert',
  delivery: 'message to',
}

/** What is chosen of the list; a date as a date field gives it, such as 2026-05-01. */
export type AuditFilters = {
  actor: string
  kind: AuditKind | ''
  action: AuditAction | ''
  from: string
  to: string
}

export const noAuditFilters: AuditFilters = { actor: '', kind: '', action: '', from: '', to: '' }

/** Whether nothing is chosen: the whole list. */
export const isUnfiltered = (filters: AuditFilters): boolean =>
  Object.values(filters).every((value) => value === '')

/** The call's input: the days are the reader's own, the last one included. */
export function auditInput({ actor, kind, action, from, to }: AuditFilters) {
  const begin = localDay(from, 0)
  const end = localDay(to, 1)
  return {
    ...(actor !== '' && { actor }),
    ...(kind !== '' && { kind }),
    ...(action !== '' && { action }),
    ...(begin && { from: begin }),
    ...(end && { to: end }),
  }
}

function localDay(text: string, daysLater: number): string | undefined {
  const [year, month, day] = text.split('-').map(Number)
  if (!year || !month || !day) return undefined
  const date = new Date(year, month - 1, day + daysLater)
  // A year still being typed is long ago.
  return date.getFullYear() < 1970 || date.getFullYear() > 9998 ? undefined : date.toISOString()
}

/** 'added filter', 'imported deals from'. */
export function deedOf({ action, subject }: AuditEntry): string {
  // An entry of a later version may name what this one doesn't know.
  const labels: Record<string, string> = actionLabels
  return `${(labels[action] ?? action).toLowerCase()} ${kindWords[subject.kind] ?? subject.kind}`
}

export type AuditDifference = { field: string; before: string | null; after: string | null }

/** Fields that have a word of their own, the same as on the screens where they are shown. */
const fieldWords: Record<string, string> = {
  superseded: 'overtaken by a later row',
  missing_hidden: 'not listed and hidden',
}

/** What differs between before and after, field by field; null where there was or is nothing. `number` writes a number. */
export function differences(
  { before, after }: Pick<AuditEntry, 'before' | 'after'>,
  number: (value: number) => string,
): AuditDifference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields
    .map((field) => ({
      field: fieldWords[field] ?? field.replaceAll('_', ' '),
      before: textOf(before?.[field], number),
      after: textOf(after?.[field], number),
    }))
    .filter((difference) => difference.before !== difference.after)
}

function textOf(value: AuditState[string] | undefined, number: (value: number) => string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' ? number(value) : String(value)
}

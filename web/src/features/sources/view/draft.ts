import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type {
  KindDescription,
  Source,
  SourceChange,
  SourceInput,
  SourceKind,
} from '@dealdeck/contract/sources'
import { type TypedSettings, typedSecrets, typedSettings } from '../../../ui/typed-settings.ts'

/** What the server takes; the contract's own constant would bring the schema library, and a test holds the two together. */
export const longestName = 80

/** What a form holds: everything as it was typed, so that nothing that makes no sense yet is lost. */
export type Draft = TypedSettings & {
  kind: SourceKind
  name: string
  /** Whether somebody has typed the name; until then it follows the address. */
  isNamed: boolean
  interval_from: number
  interval_to: number
  keeps_history: boolean
  may_leave: Source['may_leave']
  is_paused: boolean
  trusted_rules: string[]
  refused_rules: string[]
}

/** What a form begins with: a kind's own initial values, or a source as it is. */
export function draftOf(kind: KindDescription, source?: Source): Draft {
  return {
    kind: kind.kind,
    name: source?.name ?? '',
    isNamed: source !== undefined,
    ...typedSettings(kind.fields, source?.settings),
    interval_from: source?.interval_from ?? 15,
    interval_to: source?.interval_to ?? 24 * 60,
    keeps_history: source?.keeps_history ?? true,
    may_leave: source?.may_leave ?? { price: true, picture: true, title: true },
    is_paused: source?.is_paused ?? false,
    trusted_rules: source?.trusted_rules ?? [],
    refused_rules: source?.refused_rules ?? [],
  }
}

/** The same form for another kind: what both have a field for stays. */
export function withKind(draft: Draft, kind: KindDescription): Draft {
  const fresh = draftOf(kind).settings
  const kept = Object.entries(draft.settings).filter(
    ([name, value]) => name in fresh && typeof fresh[name] === typeof value && value !== '',
  )
  return { ...draft, kind: kind.kind, settings: { ...fresh, ...Object.fromEntries(kept) } }
}

/**
 * A name for a source: the host of its address, or what its kind is called. Where another has it already, with what tells their addresses
 * apart, else with a number.
 */
export function nameFor(draft: Draft, kind: KindDescription, taken: readonly string[]): string {
  const addresses = kind.fields.filter(({ type }) => type === 'url')
  const url = addresses.map(({ name }) => addressOf(draft.settings[name])).find(Boolean)
  const name = url ? url.hostname.replace(/^www\./, '') : addresses.length > 0 ? '' : kind.label
  if (name === '') return ''
  const end = url?.pathname.split('/').findLast((part) => part !== '') ?? ''
  const longer = end === '' ? [] : [`${name} ${decoded(end)}`.slice(0, longestName)]
  const isTaken = (text: string) => taken.some((other) => other.toLowerCase() === text.toLowerCase())
  const numbered = taken.map((_, at) => `${name} ${at + 2}`)
  return [name, ...longer, ...numbered].find((text) => !isTaken(text)) ?? name
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function addressOf(address: string | boolean | undefined): URL | undefined {
  if (typeof address !== 'string') return undefined
  const text = /^[a-z]+:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.hostname.includes('.') ? url : undefined
}

/** What is to be sent for a new source. */
export function inputOf(draft: Draft, settings: Record<string, SettingValue>): SourceInput {
  const { kind, name, interval_from, interval_to, keeps_history, may_leave, is_paused } = draft
  return {
    ...{ kind, name: name.trim(), settings, secrets: typedSecrets(draft) },
    ...{ interval_from, interval_to, keeps_history, may_leave, is_paused },
  }
}

/** What of a form differs from the source it began with; undefined: nothing. */
export function changeOf(
  before: Source,
  kind: KindDescription,
  draft: Draft,
  settings: Record<string, SettingValue>,
): SourceChange | undefined {
  const first = draftOf(kind, before)
  const change: SourceChange = {}
  if (draft.name.trim() !== before.name) change.name = draft.name.trim()
  if (!isSame(draft.settings, first.settings)) change.settings = settings
  if (Object.keys(draft.secrets).length > 0) change.secrets = draft.secrets
  if (draft.interval_from !== before.interval_from) change.interval_from = draft.interval_from
  if (draft.interval_to !== before.interval_to) change.interval_to = draft.interval_to
  if (draft.keeps_history !== before.keeps_history) change.keeps_history = draft.keeps_history
  if (!isSame(draft.may_leave, before.may_leave)) change.may_leave = draft.may_leave
  if (draft.is_paused !== before.is_paused) change.is_paused = draft.is_paused
  if (!isSame(draft.trusted_rules, before.trusted_rules)) change.trusted_rules = draft.trusted_rules
  if (!isSame(draft.refused_rules, before.refused_rules)) change.refused_rules = draft.refused_rules
  return Object.keys(change).length > 0 ? change : undefined
}

/** Whether two forms, or parts of them, hold the same. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const pauses = [5, 10, 15, 30, 60, 120, 180, 360, 720, 24 * 60]

/** The pauses to choose from, in minutes, with the one that is set. */
export function pauseChoices(set: number): { value: string; label: string }[] {
  return [...new Set([...pauses, set])]
    .sort((a, b) => a - b)
    .map((minutes) => ({ value: String(minutes), label: pauseText(minutes) }))
}

function pauseText(minutes: number): string {
  if (minutes % 60 !== 0) return `${minutes} minutes`
  return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
}

import type { MemberItem, MemberItemInput, MemberItemKind, MergeResult } from '@dealdeck/contract/me'
import type { NamedCode } from '@dealdeck/marketplace/filters'
import type { StoredEntries } from '../../../platform/device-entries.ts'
import { compareNames } from '../../../platform/name-order.ts'
import { type LinkParams, linkParamsSchema } from '../view.ts'

export const longestPresetName = 80

/** A set-up kept under a name in the member's account. */
export type Preset = Extract<MemberItem, { kind: 'link_preset' }>
/** A filter of the member's own, kept in their account. */
export type CustomFilter = Extract<MemberItem, { kind: 'link_filter' }>

const byName = (a: MemberItem, b: MemberItem) => compareNames(a.value.name, b.value.name) || a.id - b.id

/** The presets among a member's entries, by name. */
export function presetsOf(items: readonly MemberItem[]): Preset[] {
  return items.filter((item): item is Preset => item.kind === 'link_preset').sort(byName)
}

/** The custom filters among a member's entries, by name. */
export function customFiltersOf(items: readonly MemberItem[]): CustomFilter[] {
  return items.filter((item): item is CustomFilter => item.kind === 'link_filter').sort(byName)
}

/** What a device keeps of a member's entries, to show them while the server can't be reached. */
export type DeviceCopy = { user_id: number; items: MemberItem[] }

/** A member's entries in what was stored on the device; undefined when there are none, or they are somebody else's. */
export function readCopy(stored: unknown, userId: number): MemberItem[] | undefined {
  if (!isRecord(stored) || stored.user_id !== userId || !Array.isArray(stored.items)) return undefined
  return stored.items.filter(isItem)
}

function isItem(item: unknown): item is MemberItem {
  if (!isRecord(item) || typeof item.id !== 'number' || !isRecord(item.value)) return false
  const { kind, value, updated_at } = item
  if (typeof value.name !== 'string' || typeof updated_at !== 'string') return false
  return Object.entries(hasContent).some(([known, isGiven]) => known === kind && isGiven(value))
}

/** Whether a value has what an entry of its kind has beside its name. */
const hasContent: { [K in MemberItemKind]: (value: Record<string, unknown>) => boolean } = {
  link_preset: ({ search }) => isRecord(search),
  link_filter: ({ code }) => typeof code === 'string',
}

/** Presets and filters as earlier versions kept them, for the device instead of an account. */
export type DeviceEntries = { presets: { name: string; search: LinkParams }[]; filters: NamedCode[] }

/** The entries in what earlier versions stored on the device; what is none is left out. */
export function parseDeviceEntries({ presets, filters }: StoredEntries): DeviceEntries {
  return {
    presets: records(presets).flatMap(({ name, search }) =>
      typeof name === 'string' && name.trim() !== '' && isRecord(search)
        ? [{ name, search: linkParamsSchema.parse(search) }]
        : [],
    ),
    filters: records(filters).flatMap(({ name, code }) =>
      typeof name === 'string' && typeof code === 'string' && name !== '' && code !== ''
        ? [{ name, code }]
        : [],
    ),
  }
}

/** The entries as the account takes them: presets, then filters. */
export function toItems({ presets, filters }: DeviceEntries): MemberItemInput[] {
  return [
    ...presets.map(({ name, search }) => ({
      kind: 'link_preset' as const,
      value: { name: readable(name).slice(0, longestPresetName).toWellFormed(), search },
    })),
    ...filters.map(({ name, code }) => ({
      kind: 'link_filter' as const,
      value: { name: readable(name) || code, code },
    })),
  ]
}

const readable = (name: string) =>
  name
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim()

const mostAtOnce = 100
/** Bytes of JSON; the server takes bodies of 64 KB. */
const largestBody = 60_000

/** Entries in groups that the server takes at once. One that is too large alone is in none, but in a group of its own. */
export function inBodies(items: readonly MemberItemInput[]): MemberItemInput[][] {
  const groups: MemberItemInput[][] = []
  let room = 0
  for (const item of items) {
    const bytes = new TextEncoder().encode(JSON.stringify(item)).length + 1
    const last = groups.at(-1)
    if (last && bytes <= room && last.length < mostAtOnce) {
      last.push(item)
      room -= bytes
    } else {
      groups.push([item])
      room = largestBody - bytes
    }
  }
  return groups
}

/** What became of the entries of a device. */
export type Taken = {
  /** How many are new in the account. */
  presets: number
  filters: number
  /** Those that the account did not take, and why the first of them. */
  left: DeviceEntries
  reason: string | undefined
}

/** Sums up what became of entries, whose results come in the order of `toItems`. */
export function sumUp(entries: DeviceEntries, results: MergeResult['results']): Taken {
  const ofPresets = results.slice(0, entries.presets.length)
  const ofFilters = results.slice(entries.presets.length)
  const added = (some: MergeResult['results']) => some.filter(({ result }) => result === 'added').length
  return {
    presets: added(ofPresets),
    filters: added(ofFilters),
    left: {
      presets: entries.presets.filter((_, at) => ofPresets[at]?.result === 'refused'),
      filters: entries.filters.filter((_, at) => ofFilters[at]?.result === 'refused'),
    },
    reason: results.find(({ message }) => message !== undefined)?.message,
  }
}

/** What was brought into whose account. */
export type TakenNote = { user_id: number; presets: number; filters: number }

/** The note in what was stored on the device; null when it is none. */
export function readTakenNote(stored: unknown): TakenNote | null {
  if (!isRecord(stored)) return null
  const { user_id, presets, filters } = stored
  return typeof user_id === 'number' && typeof presets === 'number' && typeof filters === 'number'
    ? { user_id, presets, filters }
    : null
}

/** How many there are of each, in words: '3 presets and 1 custom filter'; empty for none. */
export function countWords(presets: number, filters: number): string {
  const count = (number: number, one: string) =>
    number === 0 ? [] : [`${number} ${one}${number === 1 ? '' : 's'}`]
  return [...count(presets, 'preset'), ...count(filters, 'custom filter')].join(' and ')
}

function records(stored: unknown): Record<string, unknown>[] {
  return Array.isArray(stored) ? stored.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

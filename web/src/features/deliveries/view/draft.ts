import type { Destination, DestinationChange, DestinationDescription } from '@dealdeck/contract/deliveries'
import type { SettingValue } from '@dealdeck/contract/setting-fields'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { type Problems, type TypedSettings, typedSettings } from '../../../ui/typed-settings.ts'

/** What the server takes; the contract's own constant would bring the schema library, and a test holds the two together. */
export const longestDestinationName = 80

/** What a form of a destination holds. */
export type DestinationDraft = TypedSettings & { name: string; affiliate_tag: string; disclosure: string }

/** What it begins with: the kind's own initial values and a name, or the destination as it is. */
export function draftOf(
  kind: Pick<DestinationDescription, 'fields'>,
  destination: Destination | undefined,
  name: string,
): DestinationDraft {
  return {
    ...typedSettings(kind.fields, destination?.settings),
    name: destination?.name ?? name,
    affiliate_tag: destination?.affiliate_tag ?? '',
    disclosure: destination?.disclosure ?? '',
  }
}

/** What of a form differs from what it began with; undefined: nothing. */
export function changeOf(
  destination: Destination,
  first: DestinationDraft,
  draft: DestinationDraft,
  settings: Record<string, SettingValue>,
): DestinationChange | undefined {
  const change: DestinationChange = {}
  for (const field of ['name', 'affiliate_tag', 'disclosure'] as const)
    if (draft[field].trim() !== destination[field]) change[field] = draft[field].trim()
  if (JSON.stringify(draft.settings) !== JSON.stringify(first.settings)) change.settings = settings
  if (Object.keys(draft.secrets).length > 0) change.secrets = draft.secrets
  return Object.keys(change).length > 0 ? change : undefined
}

/** What to say of a destination that wasn't saved: by the fields of the form, and as one text about all else. */
export function problemsOf(
  error: unknown,
  { fields: known }: Pick<DestinationDescription, 'fields'>,
): { fields: Problems; text: string | undefined } {
  if (!(error instanceof ApiError)) {
    // What the device itself refuses says so in its own words.
    const text =
      error instanceof Error && error.name === 'DeviceRefusal' ? error.message : errorMessage(error)
    return { fields: {}, text: `Not saved. ${text}` }
  }
  const entries = Object.entries(error.fields).map(([name, text]): [string, string] => [
    name.replace(/^secrets\./, 'settings.').replace(/^(settings\.[^.]+)\..*$/, '$1'),
    text.charAt(0).toUpperCase() + text.slice(1),
  ])
  const isField = (name: string) =>
    ['name', 'affiliate_tag', 'disclosure'].includes(name) ||
    known.some((field) => name === `settings.${field.name}`)
  const others = entries.filter(([name]) => !isField(name)).map(([, text]) => text)
  const fields = Object.fromEntries(entries.filter(([name]) => isField(name)))
  const isAllSaid = Object.keys(fields).length > 0 && others.length === 0
  return { fields, text: isAllSaid ? undefined : [`Not saved. ${error.message}`, ...others].join(' ') }
}

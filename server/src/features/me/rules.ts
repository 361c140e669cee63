import { hash } from 'node:crypto'
import {
  longestPresetName,
  type MemberItemInput,
  type MemberItemKind,
  maximumItemCharacters,
  maximumItems,
} from '@dealdeck/contract/me'
import { foldText } from '@dealdeck/query/folding'
import { AppError } from '../../platform/errors.ts'

type ValueOf<K extends MemberItemKind> = Extract<MemberItemInput, { kind: K }>['value']

type Kind<K extends MemberItemKind> = {
  /** What its entries are called in a message. */
  one: string
  many: string
  /** What no other entry of the kind and member may have as well. */
  keyOf(value: ValueOf<K>): string
  /** The value under another name, for an entry that is to be added beside the one which has its key; null when it is the same. */
  renamed: ((value: ValueOf<K>, number: number) => ValueOf<K>) | null
}

/** Every kind of entry a member can have. */
export const kinds: { [K in MemberItemKind]: Kind<K> } = {
  link_preset: {
    ...{ one: 'preset', many: 'presets' },
    keyOf: ({ name }) => foldText(name).replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, ''),
    renamed: ({ name, search }, number) => {
      const suffix = ` (${number})`
      const room = name.slice(0, longestPresetName - suffix.length).toWellFormed()
      return { name: room.replace(/\ufffd$/, '').trimEnd() + suffix, search }
    },
  },
  link_filter: {
    ...{ one: 'custom filter', many: 'custom filters' },
    keyOf: ({ name, code }) => `${name}\n${code}`,
    renamed: null,
  },
}

/** The kind of an entry, for its own values. */
function kindOf(kind: MemberItemKind): Kind<MemberItemKind> {
  // The cast holds wherever a value comes with its kind, as in every MemberItemInput.
  return kinds[kind] as Kind<MemberItemKind>
}

/** What is compared of an entry, made once of each. */
export type Compared = {
  kind: MemberItemKind
  /** SHA-256 of the key; no two of a kind. */
  key: Buffer
  /** The value without its name, as one text whatever the order of its fields. */
  content: string
  /** Of the value's JSON. */
  characters: number
}

export function compared({ kind, value }: MemberItemInput): Compared {
  const { name: _, ...content } = value
  return {
    kind,
    key: keyHash(kind, value),
    content: JSON.stringify(content, (_key, part: unknown) =>
      isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
    ),
    characters: JSON.stringify(value).length,
  }
}

const isRecord = (part: unknown): part is Record<string, unknown> =>
  typeof part === 'object' && part !== null && !Array.isArray(part)

/** The one of these that has the key of an entry. */
export function holderOf<T extends Compared>(items: readonly T[], { kind, key }: Compared): T | undefined {
  return items.find((item) => item.kind === kind && item.key.equals(key))
}

/** Why an entry can't be added to those a member has, or null. */
export function refusalOf(items: readonly Compared[], added: Compared): AppError | null {
  const { many } = kinds[added.kind]
  if (items.filter(({ kind }) => kind === added.kind).length >= maximumItems)
    return new AppError(
      'CONFLICT',
      `You have ${maximumItems} ${many}, and no room for more. Remove some first.`,
    )
  return roomRefusal([...items, added])
}

/** Why entries are too much together, or null. */
export function roomRefusal(items: readonly Compared[]): AppError | null {
  const sum = items.reduce((before, { characters }) => before + characters, 0)
  if (sum <= maximumItemCharacters) return null
  return new AppError('CONFLICT', 'All that you keep is too large together. Remove some of it first.')
}

/** What is said when another entry has the key already. */
export function takenRefusal({ kind, value }: MemberItemInput): AppError {
  const message = `There is already a ${kinds[kind].one} named “${value.name}”.`
  return new AppError('CONFLICT', message, { fields: { name: message } })
}

const keyHash = (kind: MemberItemKind, value: MemberItemInput['value']) =>
  hash('sha256', kindOf(kind).keyOf(value), 'buffer')

/**
 * What an entry stored elsewhere becomes beside those a member has: itself where its name is free, else null when its content
 * is there already, else the entry under a name with a number. So nothing is lost, and the same entry twice is one.
 */
export function planMerge(items: readonly Compared[], given: MemberItemInput): MemberItemInput | null {
  const own = compared(given)
  if (!holderOf(items, own)) return given
  const { renamed } = kindOf(given.kind)
  if (!renamed || items.some(({ kind, content }) => kind === own.kind && content === own.content)) return null
  const taken = new Set(items.filter(({ kind }) => kind === own.kind).map(({ key }) => key.toString('hex')))
  // Where there is no room, a name for it would be looked for in vain, at length.
  if (taken.size >= maximumItems) return given
  for (let number = 2; ; number++) {
    const value = renamed(given.value, number)
    if (taken.has(keyHash(given.kind, value).toString('hex'))) continue
    // The cast holds: a kind's renamed values are its own.
    return { kind: given.kind, value } as MemberItemInput
  }
}

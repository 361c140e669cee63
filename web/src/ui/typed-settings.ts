import type { SettingField, SettingValue } from '@dealdeck/contract/setting-fields'
import { plainNumber } from '../platform/typed-number.ts'

/** What a form of settings holds: everything as it was typed, so that nothing that makes no sense yet is lost. */
export type TypedSettings = {
  /** By name of the field. Numbers as text, lists with an entry a line. */
  settings: Record<string, string | boolean>
  /** Only those that were typed; '' removes a stored one. */
  secrets: Record<string, string>
}

/** What is wrong by field, as the server names fields: `name`, `settings.url`. */
export type Problems = Record<string, string>

/** What a form begins with: what is stored, or else the fields' own initial values. */
export function typedSettings(
  fields: readonly SettingField[],
  stored: Record<string, SettingValue> = {},
): TypedSettings {
  const typed = fields
    .filter(({ type }) => type !== 'secret')
    .map(({ name, type, initial }): [string, string | boolean] => {
      const value = stored[name] ?? initial
      return [name, type === 'switch' ? value === true : typedOf(value)]
    })
  return { settings: Object.fromEntries(typed), secrets: {} }
}

function typedOf(value: SettingValue): string {
  if (value === null) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

/** A field's value as the server takes it; undefined where what is typed can't be one. */
function settingValueOf(field: SettingField, typed: string | boolean | undefined): SettingValue | undefined {
  if (field.type === 'switch') return typed === true
  const text = String(typed ?? '').trim()
  if (field.type === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  // A text that is left empty says something; a number or a choice that is doesn't.
  if (text === '' && (field.type === 'number' || field.type === 'choice')) return null
  if (field.type !== 'number') return text
  // What is stored stands there as it is, with as many decimals as a script has sent.
  return [text, plainNumber(text)].map(Number).find(Number.isFinite)
}

/** The settings as the server takes them, and what is wrong with them as far as can be said without it. */
export function settingsOf(
  fields: readonly SettingField[],
  typed: TypedSettings,
  stored: readonly string[] = [],
) {
  const settings: Record<string, SettingValue> = {}
  const problems: Problems = {}
  for (const field of fields) {
    if (field.type === 'secret') {
      const secret = typed.secrets[field.name]
      const isThere = secret === undefined ? stored.includes(field.name) : secret !== ''
      if (field.is_required && !isThere) problems[`settings.${field.name}`] = 'Please fill this in'
      continue
    }
    const value = settingValueOf(field, typed.settings[field.name])
    const problem = problemOf(field, value)
    if (problem) problems[`settings.${field.name}`] = problem
    if (value !== undefined) settings[field.name] = value
  }
  return { settings, problems }
}

function problemOf(field: SettingField, value: SettingValue | undefined): string | undefined {
  if (value === undefined) return 'Please type a number'
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty) return field.is_required ? 'Please fill this in' : undefined
  if (typeof value !== 'number') return undefined
  const unit = field.unit === null ? '' : ` ${field.unit}`
  if (field.least !== null && value < field.least) return `At least ${field.least}${unit}`
  return field.most !== null && value > field.most ? `At most ${field.most}${unit}` : undefined
}

/** The secrets that were typed. */
export const typedSecrets = ({ secrets }: TypedSettings): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).filter(([, text]) => text !== ''))

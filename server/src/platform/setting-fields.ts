import type { SettingField } from '@dealdeck/contract/setting-fields'
import { z } from 'zod'

type FieldFacts = Partial<Omit<SettingField, 'name' | 'label' | 'type' | 'choices'>> & {
  /** Labels by value. */
  choices?: Readonly<Record<string, string>>
}

/** A field of a kind's form, with what most of them have. */
export function settingField(
  name: string,
  label: string,
  type: SettingField['type'],
  { choices = {}, ...facts }: FieldFacts = {},
): SettingField {
  return {
    ...{ name, label, type, help: null, is_required: false, is_advanced: false, unit: null },
    ...{ initial: null, least: null, most: null },
    choices: Object.entries(choices).map(([value, text]) => ({ value, label: text })),
    ...facts,
  }
}

/** A number in a form, which may be left empty. */
export function optionalNumber(least: number, most: number) {
  return requiredNumber(least, most).nullable().default(null)
}

/** A number in a form. */
export function requiredNumber(least: number, most: number) {
  const error = `must be a number from ${least} to ${most}`
  return z.number({ error }).min(least, error).max(most, error)
}

/** A whole number in a form. */
export function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, error).max(most, error)
}

/** A text in a form, '' where it is left empty. */
export function optionalText(longest: number) {
  return z
    .string({ error: 'must be a text' })
    .trim()
    .max(longest, `must be ${longest} characters or less`)
    .nullable()
    .default('')
    .transform((text) => text ?? '')
}

/** Texts in a form, each of which `pattern` knows; `what` says what they are. */
export function textList(pattern: RegExp, most: number, what: string) {
  return z
    .array(z.string().trim().regex(pattern, `must be ${what}`), { error: `must be a list of ${what}` })
    .max(most, `must be ${most} or less`)
    .nullable()
    .default([])
    .transform((list) => list ?? [])
}

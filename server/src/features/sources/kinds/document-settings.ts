import type { SettingField } from '@dealdeck/contract/setting-fields'
import { z } from 'zod'

const longestUrl = 2_000

/** What a field of a form is unless it says otherwise. */
export const plainField = {
  ...{ help: null, type: 'text', is_required: false, is_advanced: false, initial: '' },
  ...{ choices: [], least: null, most: null, unit: null },
} satisfies Omit<SettingField, 'name' | 'label'>

/** An address as a setting. Whether it may be asked is decided when it is. */
export const urlSetting = z
  .string({ error: 'must be an address' })
  .trim()
  .min(1, 'must be given')
  .max(longestUrl, `must have at most ${longestUrl} characters`)
  .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), 'must begin with https:// or http://')
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'must not hold a user or a password',
  })

export const textSetting = (longest: number) =>
  z
    .string({ error: 'must be a text' })
    .trim()
    .max(longest, `must have at most ${longest} characters`)
    .default('')
export const switchSetting = z.boolean({ error: 'must be true or false' }).default(false)
export const availabilitySetting = textSetting(200).default('In stock')

export const availabilityField: SettingField = {
  ...plainField,
  name: 'availability',
  label: 'Availability',
  help: 'What deals that state none are said to be. Empty: they stay hidden.',
  initial: 'In stock',
}
export const listsAllField: SettingField = {
  ...plainField,
  ...{ name: 'lists_all', label: 'It lists all current deals', type: 'switch', initial: false },
  help: 'Deals that it leaves out twice in a row are over.',
}

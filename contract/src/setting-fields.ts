import { z } from 'zod'

const longText = z.string().max(4_000, 'must have at most 4,000 characters')
const line = z.string().max(300, 'must have at most 300 characters')

/** The value of one setting, as a form has it. */
export const settingValueSchema = z.union(
  [longText, z.number(), z.boolean(), z.array(line).max(500), z.null()],
  { error: 'must be a text, a number, true, false, or at most 500 lines' },
)
export type SettingValue = z.infer<typeof settingValueSchema>

/** One field of a kind's form. */
export const settingFieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  /** One sentence below the field; null where the label says enough. */
  help: z.string().nullable(),
  /** `list`: several texts. `secret`: goes in and never out. */
  type: z.enum(['text', 'url', 'number', 'switch', 'choice', 'list', 'secret']),
  is_required: z.boolean(),
  /** Folded away until somebody asks for more. */
  is_advanced: z.boolean(),
  /** What a new source begins with. */
  initial: settingValueSchema,
  /** Of a choice. */
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
  /** Of a number. */
  least: z.number().nullable(),
  most: z.number().nullable(),
  unit: z.string().nullable(),
})
export type SettingField = z.infer<typeof settingFieldSchema>

/** Settings and secrets as they are sent, by the names of their fields. */
export const settingsInput = z.record(z.string().max(60), settingValueSchema)
export const secretsInput = z.record(z.string().max(60), longText)

import { z } from 'zod'

/** The value of one setting, as a form has it. */
export const settingValueSchema = z.union([
  z.string().max(4_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(300)).max(500),
  z.null(),
])
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
export const secretsInput = z.record(z.string().max(60), z.string().max(4_000))

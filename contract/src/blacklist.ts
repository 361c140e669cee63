import { z } from 'zod'
import { route } from './access.ts'
import { queryBoolean, rowId } from './query.ts'

/** So many words an installation holds at most, inactive ones included; all of them travel in one answer. */
export const maximumWords = 10_000
export const longestWord = 200

/** Hides every deal whose title contains it, whatever its case, while it is active. */
export const blacklistedWordSchema = z.object({
  id: z.number(),
  /** As it is compared: trimmed, lower case. */
  word: z.string(),
  is_active: z.boolean(),
  created_at: z.string(),
})
export type BlacklistedWord = z.infer<typeof blacklistedWordSchema>

const needed = 'Please enter a word'
const unseen = /(?![\u200c\u200d])\p{Cf}/gu
const wordSchema = z
  .string({ error: needed })
  // Titles hold single spaces only, and of what nobody sees just the joiners.
  .transform((text) => text.replace(/\s+/gu, ' ').replace(unseen, '').replace(/ {2,}/g, ' ').trim())
  .pipe(
    z
      .string()
      .min(1, needed)
      .max(longestWord, `A word must be at most ${longestWord} characters long`)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'A word must not contain invisible characters'),
  )

const wordPreviewSchema = z.object({
  word: z.string(),
  /** What the list knows of it now. */
  state: z.enum(['new', 'active', 'inactive']),
  /** How many deals that everybody sees now it would hide; counting stops at a limit. */
  hidden: z.number(),
  /** Whether there are more than `hidden`. */
  has_more: z.boolean(),
  /** Up to five of their titles. */
  titles: z.array(z.string()),
})
export type WordPreview = z.infer<typeof wordPreviewSchema>

const path = '/api/blacklisted_words'
const idInput = z.strictObject({ id: rowId })

export const blacklistRoutes = {
  list: route
    .route({
      method: 'GET',
      path,
      summary: 'Active words alphabetically; all of them, the newest first, for administrators',
    })
    .meta({ access: 'user' })
    .input(z.strictObject({ include_inactive: queryBoolean.default(false) }))
    .output(z.array(blacklistedWordSchema)),
  preview: route
    .route({ method: 'GET', path: `${path}/preview`, summary: 'What a word would hide' })
    .meta({ access: 'admin' })
    .input(z.strictObject({ word: wordSchema }))
    .output(wordPreviewSchema),
  create: route
    .route({ method: 'POST', path, summary: 'Add a word, or activate it again', successStatus: 201 })
    .meta({ access: 'admin' })
    .input(z.strictObject({ word: wordSchema }))
    /** `hidden`: how many deals disappeared from the feed. */
    .output(blacklistedWordSchema.extend({ hidden: z.number() })),
  update: route
    .route({ method: 'PATCH', path: `${path}/{id}`, summary: 'Activate or deactivate a word' })
    .meta({ access: 'admin' })
    .input(idInput.extend({ is_active: z.boolean({ error: 'must be true or false' }) }))
    .output(blacklistedWordSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Deactivate a word; it stays in the list of all words',
      successStatus: 204,
    })
    .meta({ access: 'admin' })
    .input(idInput),
}

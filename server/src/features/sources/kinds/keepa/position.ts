import { z } from 'zod'

/**
 * Where the list of deals has been read to, in Keepa's minutes: everything up to `mark` by lists read to their end. `pass` is one
 * that isn't yet: its next page, and when its newest deal was seen. `begun` and `at`, the last page, are milliseconds since 1970.
 */
const positionSchema = z.object({
  question: z.string(),
  mark: z.int().nullable(),
  pass: z
    .object({
      page: z.int().min(0),
      top: z.int().nullable(),
      ...{ begun: z.int(), at: z.int() },
      /** The last page that was read a second time. */
      repeated: z.int().nullable(),
    })
    .nullable(),
})
export type Position = z.infer<typeof positionSchema>
export type Pass = NonNullable<Position['pass']>

/** Deals of the last so many minutes are handed over again: Keepa may list one a little after it has looked. */
export const overlap = 10
/** A list left off longer ago, in milliseconds, is begun anew: Keepa lists the deals of twelve hours. */
const longestPass = 6 * 3_600_000
/** In less time, in milliseconds, hardly a deal goes from the list. */
const shortPause = 5 * 60_000

/** A time in Keepa's minutes. */
export const keepaMinute = (time: Date): number => Math.floor(time.getTime() / 60_000) - 21_564_000

/** Where to go on with a question; at the beginning where it is another one than before. */
export function positionOf(stored: unknown, question: string, now: Date): Position {
  const { data } = positionSchema.safeParse(stored)
  if (!data || data.question !== question) return { question, mark: null, pass: null }
  // A time that has not come yet would hide all that is new until it has.
  if (Math.max(data.mark ?? 0, data.pass?.top ?? 0) > keepaMinute(now))
    return { question, mark: null, pass: null }
  const { pass } = data
  if (!pass || now.getTime() - pass.begun > longestPass) return { ...data, pass: null }
  // Deals that are gone move all later ones up, so some may stand on the page before. Once only, or it would never get further.
  const isLong = now.getTime() - pass.at > shortPause
  const before = pass.page - 1
  if (!isLong || pass.repeated === before || before < 0) return data
  return { ...data, pass: { ...pass, page: before, repeated: before } }
}

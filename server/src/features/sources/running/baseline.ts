import { z } from 'zod'
import { rememberedSizes } from '../../quarantine/rules.ts'

/**
 * What is remembered of the documents of a source (`sources.baseline`), with all that anybody writes there. Runs, people who decide and people
 * who change a source do so at once: each changes in SQL what is its own, and a run never writes back what it has read.
 */
const baselineSchema = z.object({
  /** Items of the last good documents, the newest last: added by a run, and by who decides the last row of a document that waited. */
  sizes: z.array(z.number()).catch([]),
  /** Those that were too short since. */
  shrunken: z
    .object({ items: z.number(), most: z.number().optional(), polls: z.number() })
    // Another version has counted those of one size only.
    .transform(({ most, ...polls }) => ({ ...polls, most: most ?? polls.items }))
    .nullable()
    .catch(null),
  /** Whether the last document gave reason to doubt what it left out, and whether it lists all there is. */
  is_doubtful: z.boolean().catch(false),
  lists_all: z.boolean().catch(false),
  /** Why no row of it became a deal: all refused, or all waiting for a person. */
  all_refused: z.string().nullable().catch(null),
  all_held: z.string().nullable().catch(null),
  /** When it was read: polls that say the same are none. */
  read_at: z.string().nullable().catch(null),
  /** Rows of it that found no room to wait in. */
  unstored: z.number().catch(0),
  /** The documents that waited as a whole, by run and rule: of which something was let through, and whose size counts by now. */
  released: z.string().nullable().catch(null),
  accepted: z.string().nullable().catch(null),
  /** The run that counted last for what a list leaves out, and when. */
  counted_run: z.number().nullable().catch(null),
  counted_at: z.string().nullable().catch(null),
})
export type Baseline = z.infer<typeof baselineSchema>
/** What a run has to say of it; what it doesn't name stays. */
export type BaselineChange = Partial<Omit<Baseline, 'sizes'>> & { newSizes?: readonly number[] }

/** What is stored, with nothing where there is none, or another version has written it. */
export const readBaseline = (stored: unknown): Baseline =>
  baselineSchema.safeParse(stored).data ?? baselineSchema.parse({})

/** Sizes of `baseline` with one more, or several, in SQL: `added` is JSON. */
export const sizesWith = (added: string) => `(select coalesce(jsonb_agg(size order by place), '[]') from (
  select size, place from jsonb_array_elements(coalesce(baseline -> 'sizes', '[]') || ${added})
    with ordinality as s(size, place) order by place desc limit ${rememberedSizes}) newest)`

/** The same without sizes, in SQL: once more or fewer rows count, that is no surprise. */
export const baselineWithoutSizes = `case when jsonb_typeof(baseline) = 'object' then baseline - '{sizes,shrunken}'::text[] end`

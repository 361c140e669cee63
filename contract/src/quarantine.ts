import { z } from 'zod'
import { route } from './access.ts'
import { queryInteger, rowId } from './query.ts'

const heldValue = z.union([z.string(), z.number(), z.null()])
/** A row that waits for a person. It is no deal yet: nobody but administrators sees it. */
const heldRowSchema = z.object({
  id: z.number(),
  source: z.object({ id: z.number(), name: z.string() }),
  asin: z.string(),
  title: z.string(),
  image_url: z.string().nullable(),
  product_url: z.string(),
  /** The rule that holds it, by its name, and why in words. */
  rule: z.string(),
  reason: z.string(),
  /** What is stored of the deal, null where it is new, and what the row says, by field: those that people compare, whatever the rule. */
  old: z.record(z.string(), heldValue).nullable(),
  new: z.record(z.string(), heldValue),
  held_at: z.string(),
  /** When the row was last seen in the source. */
  seen_at: z.string(),
})
export type HeldRow = z.infer<typeof heldRowSchema>

const quarantinePageSchema = z.object({
  items: z.array(heldRowSchema),
  total: z.number(),
  next_cursor: z.string().nullable(),
  /** How many wait of each source and rule. */
  groups: z.array(
    z.object({
      source_id: z.number(),
      source: z.string(),
      rule: z.string(),
      label: z.string(),
      count: z.number(),
    }),
  ),
})
export type QuarantinePage = z.infer<typeof quarantinePageSchema>

/** So many rows of a source wait at most, and so many are decided by one request. */
export const mostHeld = 5_000

const id = z.int({ error: 'must be an id' }).min(1)
const chosenRows = z.strictObject({
  ids: z.array(id).min(1, 'must name a row').max(mostHeld, `must be at most ${mostHeld} rows`).optional(),
  /** Instead of `ids`: all that wait of a source and rule, up to the newest that somebody has seen there; the oldest first. */
  group: z.strictObject({ source: id, rule: z.string().max(60), newest: id }).optional(),
})
type ChosenRows = z.infer<typeof chosenRows>
const isEither = ({ ids, group }: ChosenRows) => (ids === undefined) !== (group === undefined)
const neither = { error: 'must name rows, or a group instead', path: ['ids'] }
const always = z.boolean({ error: 'must be true or false' }).default(false)
/** `trust`: rows of these sources are never held by these rules again. */
const releasedRows = chosenRows.extend({ trust: always }).refine(isEither, neither)
/** `always`: what these rules object to of these sources is refused from now on, without waiting. */
const refusedRows = chosenRows.extend({ always }).refine(isEither, neither)
/** How many rows it was done to; others were decided by somebody else meanwhile, or a newer poll says something else of them. */
const decidedSchema = z.object({
  decided: z.number(),
  gone: z.number(),
  /** Of those let through: how many changed nothing, as what is stored is newer or the same, or as their time was over. */
  unchanged: z.number(),
})

export const quarantineRoutes = {
  list: route
    .route({
      method: 'GET',
      path: '/api/quarantine',
      summary: 'Rows that wait for a person, the newest first',
    })
    .meta({ access: 'admin' })
    .input(
      z.strictObject({
        source: rowId.optional(),
        rule: z.string().max(60).optional(),
        limit: queryInteger(1, 200).default(50),
        cursor: rowId.optional(),
      }),
    )
    .output(quarantinePageSchema),
  release: route
    .route({ method: 'POST', path: '/api/quarantine/release', summary: 'Let held rows through' })
    .meta({ access: 'admin' })
    .input(releasedRows)
    .output(decidedSchema),
  refuse: route
    .route({ method: 'POST', path: '/api/quarantine/refuse', summary: 'Refuse held rows' })
    .meta({ access: 'admin' })
    .input(refusedRows)
    .output(decidedSchema),
}

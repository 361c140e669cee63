import { filterCategories } from '@dealdeck/marketplace/filters'
import { z } from 'zod'
import { route } from './access.ts'
import { queryBoolean, rowId } from './query.ts'

/** So many filters an installation holds at most; the next one is refused. All of them travel in one answer. */
export const maximumFilters = 10_000
export const longestFilterName = 120
/** Also of a code as it is typed, which may be a whole pasted address. */
export const longestFilterCode = 2_000

export const filterCategorySchema = z.enum(filterCategories, {
  error: `must be one of ${filterCategories.join(', ')}`,
})

/** A filter as stored: its code is a fragment in normal form. Times in ISO 8601 UTC, whole milliseconds. */
export const filterRecordSchema = z.object({
  id: z.number(),
  category: filterCategorySchema,
  name: z.string(),
  code: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type FilterRecord = z.infer<typeof filterRecordSchema>

export const filterListInputSchema = z.strictObject({ category: filterCategorySchema.optional() })

const bothNeeded = 'Please enter both name and code'

/** Letters of any script, but no control characters, none that reorder what stands after them, no halves of a pair. */
export const plainText = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u
/** Something that is seen: a letter, a digit or a sign, but none of those that are drawn as nothing. */
export const visible = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u{2800}]/u

const name = z
  .string({ error: bothNeeded })
  .transform((text) => text.trim().replace(/\s+/gu, ' '))
  .pipe(
    z
      .string()
      .min(1, bothNeeded)
      .max(longestFilterName, `Name must be at most ${longestFilterName} characters long`)
      .regex(plainText, 'Name must not contain invisible characters')
      .regex(visible, bothNeeded),
  )
const code = z
  .string({ error: bothNeeded })
  .trim()
  .min(1, bothNeeded)
  .max(longestFilterCode, `Code must be at most ${longestFilterCode} characters long`)
  .regex(plainText, 'Code must not contain invisible characters')

export const filterInputSchema = z.object({ category: filterCategorySchema, name, code })
export type FilterInput = z.infer<typeof filterInputSchema>

/** The `updated_at` that a change was based on. When the filter has changed since, nothing happens and CONFLICT says so. */
const basedOn = {
  expected_updated_at: z.iso
    .datetime({ offset: true, error: 'must be the updated_at of the filter as it was read' })
    .optional(),
}

const filterChangeSchema = z.object({
  category: filterCategorySchema.optional(),
  name: name.optional(),
  code: code.optional(),
  ...basedOn,
})
export type FilterChange = z.infer<typeof filterChangeSchema>

/** Event `filters` of the live stream: the list has this version now. It has no `id:` and is not sent again; fetch the list when a stream opens. */
export const filtersEventSchema = z.object({ version: z.number() })

/** Answered through the contract's handler. */
export const filterRoutes = {
  create: route
    .route({ method: 'POST', path: '/api/amazon_filters', summary: 'Add a filter', successStatus: 201 })
    .meta({ access: 'admin' })
    .input(filterInputSchema.strict())
    .output(filterRecordSchema),
  update: route
    .route({ method: 'PATCH', path: '/api/amazon_filters/{id}', summary: 'Change a filter' })
    .meta({ access: 'admin' })
    .input(z.strictObject({ id: rowId, ...filterChangeSchema.shape }))
    .output(filterRecordSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: '/api/amazon_filters/{id}',
      inputStructure: 'detailed',
      summary: 'Remove a filter',
      successStatus: 204,
    })
    .meta({ access: 'admin' })
    .input(
      z.object({
        params: z.object({ id: rowId }),
        query: z.strictObject(basedOn).default({}),
        // What nobody looks at there is refused, such as what the change of a filter has in its body.
        body: z.strictObject({}).optional(),
      }),
    ),
}

export const filterExportInputSchema = z.strictObject({
  format: z.enum(['json', 'csv'], { error: 'must be json or csv' }).default('json'),
})

export const filterImportInputSchema = z.strictObject({
  /** Also remove every filter that is not in the file. */
  replace: queryBoolean.default(false),
  /** Only say what would happen. */
  dry_run: queryBoolean.default(false),
})
export type FilterImportInput = z.infer<typeof filterImportInputSchema>

const filterImportResultSchema = z.object({
  added: z.number(),
  changed: z.number(),
  removed: z.number(),
  unchanged: z.number(),
  dry_run: z.boolean(),
})
export type FilterImportResult = z.infer<typeof filterImportResultSchema>

/**
 * Answered by plain routes: the list from cached bytes, since every open screen asks for it every 30 seconds,
 * the others because they speak in files.
 */
export const plainFilterRoutes = {
  list: route
    .route({ method: 'GET', path: '/api/amazon_filters', summary: 'All filters, by category then name' })
    .meta({ access: 'user' })
    .input(filterListInputSchema)
    .output(z.array(filterRecordSchema)),
  export: route
    .route({
      method: 'GET',
      path: '/api/amazon_filters/export',
      summary: 'All filters as a file: category, name and code',
    })
    .meta({ access: 'admin' })
    .input(filterExportInputSchema)
    .output(z.array(filterInputSchema)),
  import: route
    .route({
      method: 'POST',
      path: '/api/amazon_filters/import',
      summary: 'Take filters from such a file, JSON or CSV: all of it or, when a line is wrong, nothing',
      inputStructure: 'detailed',
    })
    .meta({ access: 'admin' })
    .input(z.object({ query: filterImportInputSchema }))
    .output(filterImportResultSchema),
}

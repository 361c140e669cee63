import type { filterCategories } from '@dealdeck/marketplace/filters'
import { longestAddress } from '@dealdeck/marketplace/shop-addresses'
import { z } from 'zod'
import { route } from './access.ts'
import { longestFilterCode, longestFilterName, maximumFilters } from './filters.ts'
import { queryMoney } from './query.ts'

const names = z
  .array(z.string().max(longestFilterName, `must be at most ${longestFilterName} characters long`))
  .max(maximumFilters)
const price = queryMoney.nullable()

/** A custom filter read from an address may be called by its code, so the name may be as long. */
const customText = z.string().max(longestFilterCode, `must be at most ${longestFilterCode} characters long`)
const customFilterSchema = z.strictObject({ name: customText, code: customText })

/** The names of the filters chosen in each category. */
const chosenSchema = z.strictObject({
  brands: names,
  deals: names,
  percent_off: names,
  departments: names,
  sold_by: names,
  sort_by: names,
} satisfies Record<(typeof filterCategories)[number], typeof names>)

/** A search: prices in the marketplace's currency, filters by name, custom filters with a blank name or code ignored. */
const linkInputSchema = z.strictObject({
  keyword: z.string().max(500, 'must be at most 500 characters long').default(''),
  min_price: price.optional(),
  max_price: price.optional(),
  filters: chosenSchema.partial().default({}),
  custom: z.array(customFilterSchema).max(maximumFilters).default([]),
  /** Of an answer of `parse`, which builds its link again as it stands; nothing is built from it. */
  unrecognised: z.array(z.string()).optional(),
})
export type LinkInput = z.infer<typeof linkInputSchema>

/** What an address asks for: a search that builds the same link again, and the parts no filter can stand for. */
const parsedLinkSchema = z.object({
  keyword: z.string(),
  min_price: z.number().nullable(),
  max_price: z.number().nullable(),
  filters: chosenSchema,
  custom: z.array(z.object({ name: z.string(), code: z.string() })),
  unrecognised: z.array(z.string()),
})
export type ParsedLink = z.infer<typeof parsedLinkSchema>

export const linkRoutes = {
  build: route
    .route({ method: 'POST', path: '/api/links', summary: 'The link of a search in the marketplace' })
    .meta({ access: 'user' })
    .input(linkInputSchema)
    .output(z.object({ url: z.string() })),
  parse: route
    .route({ method: 'POST', path: '/api/links/parse', summary: 'What the address of a search asks for' })
    .meta({ access: 'user' })
    .input(z.strictObject({ url: z.string({ error: 'Please enter an address' }).max(longestAddress) }))
    .output(parsedLinkSchema),
}

import { codePieces } from './filter-codes.ts'
import { emptyLinkQuery, type LinkQuery } from './filters.ts'
import { resolveSearch } from './search-resolution.ts'
import { ownTemplate } from './search-templates.ts'

/** Which shop a link leads to, by its domain, and whose tag it carries; an empty tag is none. */
export type LinkShop = { domain: string; affiliateTag: string }

export const sortWarning = 'When 2 or more departments are selected, you must select a Sort By option.'

/** Whether the search breaks the rule of `sortWarning`. A custom filter that sorts counts as a sort. */
export function needsSort({ filters, custom }: LinkQuery): boolean {
  if (new Set(filters.departments.map(({ name }) => name)).size < 2 || filters.sort_by.length > 0)
    return false
  return !custom.some(({ code }) =>
    codePieces(code).some(({ kind, name }) => kind === 'parameter' && name === 's'),
  )
}

/**
 * The address of a search in the shop. Everything in it is encoded once, in one `rh=` and one of each parameter, with
 * the installation's own tag or none. A percent sign is written `%25` only where it stands for itself: in the keyword,
 * or in a name such as '100% Pure'. Filters that can't be in it are left out: `resolveSearch` tells which.
 */
export function buildSearchLink(search: LinkQuery, { domain, affiliateTag }: LinkShop): string {
  const { keyword, parameters, refinements } = resolveSearch(search)
  const query = new URLSearchParams()
  if (keyword !== '') query.append('k', keyword)
  const { i, s, ...others } = Object.fromEntries(parameters)
  if (i !== undefined) query.append('i', i)
  for (const [name, value] of Object.entries(others)) query.append(name, value)
  const fragments = Array.from(refinements, ([name, values]) =>
    // Departments stay apart; several values of anything else are one refinement.
    name === 'n' ? values.map((value) => `n:${value}`).join(',') : `${name}:${values.join('|')}`,
  )
  if (fragments.length > 0) query.append('rh', fragments.join(','))
  if (s !== undefined) query.append('s', s)
  if (affiliateTag !== '') query.append('tag', affiliateTag)
  const asked = query.toString()
  const { address } = ownTemplate(domain)
  return asked === '' ? address : `${address}?${asked}`
}

/** The search that a code alone asks for, as a link to try it by. */
export function linkOfCode(code: string, shop: LinkShop): string {
  return buildSearchLink({ ...emptyLinkQuery(), custom: [{ name: code, code }] }, shop)
}

/** What a code adds to the address of a search, such as `rh=p_8%3A50-`. */
export function fragmentOfCode(code: string): string {
  return new URL(linkOfCode(code, { domain: 'example.com', affiliateTag: '' })).search.slice(1)
}

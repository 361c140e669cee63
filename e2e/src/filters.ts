import type { FilterInput } from '@dealdeck/contract/filters'
import { foldName } from '../../server/src/features/filters/rules.ts'
import type { Databases } from '../../server/src/platform/database/database.ts'

/** A filter of invented name, by default a brand. */
export function filterRow(
  name: string,
  code = `p_89:${name}`,
  category: FilterInput['category'] = 'brands',
): FilterInput {
  return { category, name, code }
}

/** So many brands, each of its own name and code. */
export function brandRows(count: number): FilterInput[] {
  return Array.from({ length: count }, (_, index) => filterRow(`Brand ${index + 1}`))
}

/** Puts these filters in the place of all others and tells every open screen, as the product's own writes do. */
export async function setFilters(databases: Databases, filters: readonly FilterInput[]): Promise<void> {
  const rows = filters.map((filter) => ({ ...filter, name_folded: foldName(filter.name) }))
  const client = await databases.durablePool.connect()
  try {
    await client.query('begin')
    await client.query('update filter_state set version = version + 1')
    await client.query('delete from amazon_filters')
    await client.query(
      `insert into amazon_filters (category, name, name_folded, code)
       select category, name, name_folded, code
       from json_to_recordset($1::json) as f(category text, name text, name_folded text, code text)`,
      [JSON.stringify(rows)],
    )
    await client.query("select pg_notify('dealdeck_filters', version::text) from filter_state")
    await client.query('commit')
  } finally {
    client.release()
  }
}

import { type FilterRecord, maximumFilters } from '@dealdeck/contract/filters'
import type { Selectable } from 'kysely'
import type { Databases } from '../../platform/database/database.ts'
import { epochSql } from '../../platform/database/epoch.ts'
import type { Tables } from '../../platform/database/tables.ts'

export type FilterRow = Omit<Selectable<Tables['amazon_filters']>, 'name_folded'>

export const filterColumns = ['id', 'category', 'name', 'code', 'created_at', 'updated_at'] as const

/** A filter as it goes over the wire. */
export function toRecord({ created_at, updated_at, ...row }: FilterRow): FilterRecord {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}

/** All filters by category, then name, whatever its case. */
export async function readFilters({ db }: Databases): Promise<FilterRecord[]> {
  const rows = await db
    .selectFrom('amazon_filters')
    .select(filterColumns)
    .orderBy('category')
    .orderBy('name_folded')
    .limit(maximumFilters)
    .execute()
  return rows.map(toRecord)
}

/** The number of the list's last change as committed now, and the epoch in which it means something. */
export async function readVersion({
  customPlanPool,
}: Databases): Promise<{ version: number; epoch: string }> {
  const { rows } = await customPlanPool.query<{ version: number; epoch: string }>({
    name: 'filters version',
    text: `select version, ${epochSql} as epoch from filter_state, feed_state as state`,
  })
  if (!rows[0]) throw new Error('filter_state and feed_state have one row each')
  return rows[0]
}

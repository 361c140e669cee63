import type { Databases } from '../../platform/database.ts'
import { withDealWrites } from './actions.ts'

/** Removes every sample deal; returns how many there were. */
export async function removeSampleDeals(databases: Databases): Promise<number> {
  return withDealWrites(databases, async ({ client, changes }) => {
    const { rows } = await client.query<{ id: number; is_visible: boolean }>(
      'delete from deals where is_sample returning id, is_visible',
    )
    for (const row of rows) if (row.is_visible) changes.removed.push(row.id)
    return rows.length
  })
}

import type { AdminStats } from '@dealdeck/contract/admin'
import type { Databases } from '../../platform/database/database.ts'

/** The counts of the dashboard, as committed now. */
export async function readAdminStats({ customPlanPool }: Databases): Promise<AdminStats> {
  const { rows } = await customPlanPool.query<AdminStats>(
    `select (select count(*) from amazon_filters) as filters,
       (select count(*) from blacklisted_words where is_active) as words,
       (select count(*) from users) as users,
       (select count(*) from users where status = 'pending') as pending_users,
       (select count(*) from deals where is_visible) as deals`,
  )
  if (!rows[0]) throw new Error('Counting answered nothing')
  return rows[0]
}

/** How many deals are stored that would be seen if something said that they can be had. Reads all that are stored. */
export async function countUnavailableDeals({ customPlanPool }: Databases): Promise<{ count: number }> {
  const { rows } = await customPlanPool.query<{ count: number }>(
    `select count(*) from deals
     where availability is null and not is_blacklisted and not is_over and hidden_at is null`,
  )
  if (!rows[0]) throw new Error('Counting answered nothing')
  return rows[0]
}

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

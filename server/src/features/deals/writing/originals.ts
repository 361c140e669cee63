import type { Databases } from '../../../platform/database/database.ts'
import { withDealWrites } from '../actions.ts'
import { mostTimesPrice } from '../rules.ts'
import { updatedFacts } from './old-facts.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'

/** Deals changed in one transaction: some 50 ms for whoever waits for it. */
const changedAtOnce = 1_000

// The percentage, which the sort's index begins with, leaves few to be looked at.
const implausible = `is_visible and discount_order >= ${mostTimesPrice - 1} and original_price > ${mostTimesPrice} * price`

/** Whether a deal is shown with an original price that no import would believe today. */
export async function hasImplausibleOriginals({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(`select from deals where ${implausible} limit 1`)
  return rowCount === 1
}

/** Takes such original prices away, piece by piece, until the signal is aborted; how prices were seen stays recorded. */
export async function clearImplausibleOriginals(databases: Databases, signal: AbortSignal): Promise<void> {
  const before = recordedState(
    'old',
    (field) => (field === 'original_price' ? 'c.original_price' : `d.${field}`),
    updatedFacts((column) => `c.${column}`),
  )
  for (let count = changedAtOnce; count === changedAtOnce && !signal.aborted; ) {
    count = await withDealWrites(databases, async (writes) => {
      const answer = await queryRecorded<{ count: number }>(
        writes,
        `with chosen as (select id, original_price, last_updated from deals where ${implausible} limit $1), changed as (
           update deals d set original_price = null, last_updated = now() from chosen c where d.id = c.id
           returning d.id as deal_id, ${before}, ${recordedState('new', (field) => `d.${field}`)}
         ), ${recording()}
         select (select count(*)::int from changed) as count, ${recordedIds}`,
        [changedAtOnce],
      )
      return answer?.count ?? 0
    })
  }
}

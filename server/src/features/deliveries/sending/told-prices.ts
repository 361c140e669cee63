import type { Databases } from '../../../platform/database/database.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import type { ToldDeal } from '../rendering/message-reads.ts'

/**
 * Writes down what a message that was sent says that its deals cost, where that isn't what it was written down for: the next fall is
 * measured from it.
 */
export async function storeToldPrices(
  { durablePool }: Pick<Databases, 'durablePool'>,
  deliveryId: number,
  { told, content: { deals = [] } }: { told: readonly ToldDeal[]; content: DeliveryContent },
): Promise<void> {
  const known = new Map(told.map(({ deal_id, price }) => [deal_id, price]))
  const changed = deals.filter(({ id, price }) => price !== null && price !== known.get(id))
  if (changed.length === 0) return
  // A deal that is being matched is left as it is: waiting for it, this and the matcher might wait for each other.
  await durablePool.query(
    `with free as (
       select delivery_id, deal_id from delivery_deals where delivery_id = $1 and deal_id = any($2) for no key update skip locked
     )
     update delivery_deals l set price = said.price
     from free join unnest($2::bigint[], $3::numeric[]) as said (deal_id, price) using (deal_id)
     where l.delivery_id = free.delivery_id and l.deal_id = free.deal_id`,
    [deliveryId, changed.map(({ id }) => id), changed.map(({ price }) => price)],
  )
}

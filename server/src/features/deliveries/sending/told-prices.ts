import type { Databases } from '../../../platform/database/database.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import type { ToldDeal } from '../rendering/message-reads.ts'

/**
 * Writes down what a message that is about to be sent says that its deals cost, where that isn't what it was written down for: the next
 * fall is measured from it.
 */
export async function storeToldPrices(
  { durablePool }: Pick<Databases, 'durablePool'>,
  deliveryId: number,
  told: readonly ToldDeal[],
  { deals = [] }: DeliveryContent,
): Promise<void> {
  const known = new Map(told.map(({ deal_id, price }) => [deal_id, price]))
  const changed = deals.filter(({ id, price }) => price !== null && price !== known.get(id))
  if (changed.length === 0) return
  await durablePool.query(
    `update delivery_deals l set price = said.price from unnest($2::bigint[], $3::numeric[]) as said (deal_id, price)
     where l.delivery_id = $1 and l.deal_id = said.deal_id`,
    [deliveryId, changed.map(({ id }) => id), changed.map(({ price }) => price)],
  )
}

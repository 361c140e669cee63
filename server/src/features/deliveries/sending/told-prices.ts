import { sql } from 'kysely'
import type { Databases } from '../../../platform/database/database.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import type { ToldDeal } from '../rendering/message-reads.ts'

/** What a message said that a deal costs. */
export type ToldPrice = { dealId: number; price: number }

/** Of the prices that a message says those that aren't noted yet. */
export function pricesToNote({ deals = [] }: DeliveryContent, told: readonly ToldDeal[]): ToldPrice[] {
  const noted = new Map(told.map(({ deal_id, noted_price }) => [deal_id, noted_price]))
  return deals.flatMap(({ id: dealId, price }) => {
    const before = noted.get(dealId) ?? null
    return price === null || before === null || price === before ? [] : [{ dealId, price }]
  })
}

/**
 * Notes of the episodes of a message what it told of, from which the next fall is measured: the price may have been another one when it
 * was written down. Where another message of the episode was sent, the lowest that one was written down for stays. While one waits the price is its.
 */
export async function noteToldPrices(
  { durableDb }: Pick<Databases, 'durableDb'>,
  deliveryId: number,
  told: readonly ToldPrice[],
): Promise<void> {
  const dealIds = told.map(({ dealId }) => dealId)
  await durableDb.transaction().execute(async (transaction) => {
    // Locked first, so that the next statement sees all that was written down until then. One that is being matched is left as it is:
    // waiting for it, this and the matcher might wait for each other.
    const { rows } = await sql<{ id: number }>`
      select e.id from delivery_deals l join alert_episodes e on e.id = l.episode_id
      where l.delivery_id = ${deliveryId} and l.deal_id = any(${dealIds}) and e.closed_at is null
      for no key update of e skip locked`.execute(transaction)
    await sql`
      update alert_episodes e set price = case
        when exists (select from delivery_deals o join deliveries y on y.id = o.delivery_id
          where o.episode_id = e.id and y.id <> l.delivery_id and y.sent_at is not null) then least(e.price, said.price)
        else said.price end
      from delivery_deals l
        join unnest(${dealIds}::bigint[], ${told.map(({ price }) => price)}::numeric[]) as said (deal_id, price) using (deal_id)
      where l.delivery_id = ${deliveryId} and e.id = l.episode_id and e.id = any(${rows.map(({ id }) => id)})
        and not exists (select from delivery_deals o join deliveries y on y.id = o.delivery_id
          where o.episode_id = e.id and y.state in ('held', 'queued', 'sending'))`.execute(transaction)
  })
}

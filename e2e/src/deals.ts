import { randomUUID } from 'node:crypto'
import { withDealWrites } from '../../server/src/features/deals/actions.ts'
import {
  noState,
  recordedIds,
  recordedState,
  recording,
} from '../../server/src/features/deals/writing/recording.ts'
import type { Databases } from '../../server/src/platform/database/database.ts'

/** A row as an importing script would send it. */
export type DealRow = Record<string, string | number | boolean | null> & {
  asin: string
  title: string
  price: number
}

let counter = 0

/** A complete, visible deal of its own ASIN; override what the test is about. */
export function dealRow(values: Partial<DealRow> = {}): DealRow {
  counter += 1
  const asin = values.asin ?? `B0${counter.toString(36).toUpperCase().padStart(8, '0')}`
  return {
    title: `Folding camp lantern ${counter}`,
    price: 9.99,
    original_price: 19.99,
    rating: 4.3,
    review_count: 1280,
    image_url: `https://m.media-amazon.com/images/I/${asin}.jpg`,
    product_url: `https://www.amazon.com/dp/${asin}`,
    availability: 'In stock',
    prime_eligible: true,
    ...values,
    asin,
  }
}

/** So many different deals, with prices and discounts spread out. */
export function dealRows(count: number, values: Partial<DealRow> = {}): DealRow[] {
  return Array.from({ length: count }, (_, index) =>
    dealRow({ price: 2 + (index % 25), original_price: 30 + (index % 40), ...values }),
  )
}

/** Empties the feed and the word list through the product's own write path, so that open streams and caches hear of it. */
export async function removeAllDeals(databases: Databases): Promise<void> {
  await withDealWrites(databases, async ({ client, recorded }) => {
    await client.query('delete from blacklisted_words')
    // What a test has hidden in the table itself nobody was told of: to its readers it is there, and goes now.
    await client.query('update deals set hidden_at = null, is_sample = false')
    const { rows } = await client.query<{ recorded: number[] }>(
      `with changed as (
         delete from deals
         returning id as deal_id, ${recordedState('old', (field) => field)}, ${noState('new')}
       ), ${recording()} select ${recordedIds}`,
    )
    for (const row of rows) recorded.push(...row.recorded)
  })
}

/** A text that no other test has used. */
export function uniqueText(prefix: string): string {
  return `${prefix} ${randomUUID().slice(0, 8)}`
}

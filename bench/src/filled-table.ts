import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { foldText } from '@dealdeck/query/folding'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { type MadeDeal, madeDeals } from './made-deals.ts'

const columns =
  'asin, title, title_folded, price, original_price, rating, review_count, image_url, product_url, availability, ' +
  'prime_eligible, first_seen, last_updated, observed_at, posted_to_discord, discord_timestamp'

/**
 * Fills the empty table `deals` with `count` made deals, as one COPY, then builds the indexes of the migrations anew
 * (much faster than keeping them up to date) and vacuums.
 */
export async function fillDeals(client: pg.Client, count: number): Promise<void> {
  await client.query("set maintenance_work_mem = '512MB'")
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'deals' and indexname not in (select conname from pg_constraint where conrelid = 'deals'::regclass)`,
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await copyDeals(client, 'deals', count)
  for (const { definition } of indexes) await client.query(definition)
  await client.query('vacuum (analyze) deals, title_words')
  // Judging the prices of all these for the first time would take part of a core for long, whatever is measured meanwhile.
  await client.query('update price_state set next_deal = null')
}

/** Streams `count` made deals into a table with the columns of `deals`. */
export async function copyDeals(client: pg.Client, table: string, count: number): Promise<void> {
  await pipeline(
    Readable.from(copyChunks(count)),
    client.query(copyFrom(`copy ${table} (${columns}) from stdin`)),
  )
}

function* copyChunks(count: number): Generator<string> {
  let chunk = ''
  for (const deal of madeDeals(count)) {
    chunk += copyLine(deal)
    if (chunk.length < 60_000) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

// Made texts hold no tab, newline or backslash, so nothing needs escaping.
function copyLine(deal: MadeDeal): string {
  const values = [
    ...[
      deal.asin,
      deal.title,
      foldText(deal.title),
      deal.price,
      deal.original_price,
      deal.rating,
      deal.review_count,
    ],
    ...[
      deal.image_url,
      deal.product_url,
      deal.availability,
      deal.prime_eligible,
      deal.first_seen,
      deal.first_seen,
    ],
    ...[deal.first_seen, deal.discord_timestamp !== null, deal.discord_timestamp],
  ]
  return `${values.map((value) => value ?? '\\N').join('\t')}\n`
}

import type pg from 'pg'
import { type Shares, shareOfPrices } from './places.ts'
import type { FeedQuery } from './statements.ts'

/** How long the shares of places are believed, and how long it is that there are none, in milliseconds. */
const [sharesMs, noSharesMs] = [10 * 60_000, 10_000]
const knownShares = new WeakMap<object, { until: number; shares: Promise<Shares> }>()

/** What the planner has counted of the places; asked for so seldom that no search waits for it twice. */
export function sharesOfPlaces(pool: pg.Pool | pg.PoolClient): Promise<Shares> {
  const known = knownShares.get(pool)
  if (known && known.until > performance.now()) return known.shares
  const asked = performance.now()
  const entry = { until: asked + sharesMs, shares: readShares(pool) }
  knownShares.set(pool, entry)
  entry.shares.then(
    ({ size }) => {
      if (size === 0) entry.until = asked + noSharesMs
    },
    () => knownShares.delete(pool),
  )
  return entry.shares
}

async function readShares(pool: pg.Pool | pg.PoolClient): Promise<Shares> {
  const { rows } = await pool.query<{ place: number; share: number }>(
    `select place, share
     from pg_stats, unnest(most_common_elems::text::bigint[], most_common_elem_freqs) as counted (place, share)
     where schemaname = current_schema() and tablename = 'deals_words' and attname = 'deal_places' and place is not null
     limit 10000`,
  )
  return new Map(rows.map(({ place, share }) => [place, share]))
}

/** With fewer deals in the filters, the planner may know a better way than past all the others. */
const walkedShare = 1 / 20

/** Whether walking the sort's index is the right way to a page without a search, whatever the values of its filters. */
export async function isWalked(pool: pg.Pool | pg.PoolClient, query: FeedQuery): Promise<boolean> {
  const { sort, min_price = 0, max_price = Infinity, seenSince, updatedSince, includeHidden } = query
  if (updatedSince || includeHidden) return false
  if (seenSince && sort !== 'newest') return false
  if (sort === 'price' || (min_price === 0 && max_price === Infinity)) return true
  return shareOfPrices(min_price, max_price, await sharesOfPlaces(pool)) >= walkedShare
}

import type pg from 'pg'
import type { BucketShares } from './sort-buckets.ts'

/** How long the shares are cached, and how long it is cached that there are none, in milliseconds. */
const [sharesMs, noSharesMs] = [10 * 60_000, 10_000]
const sharesCache = new WeakMap<object, { until: number; shares: Promise<BucketShares> }>()

/** The shares that `analyze` last counted; read every ten minutes at most, so that hardly a page waits for them. */
export function readBucketShares(pool: pg.Pool | pg.PoolClient): Promise<BucketShares> {
  const cached = sharesCache.get(pool)
  if (cached && cached.until > performance.now()) return cached.shares
  const asked = performance.now()
  const entry = { until: asked + sharesMs, shares: queryShares(pool) }
  sharesCache.set(pool, entry)
  entry.shares.then(
    ({ size }) => {
      if (size === 0) entry.until = asked + noSharesMs
    },
    () => sharesCache.delete(pool),
  )
  return entry.shares
}

async function queryShares(pool: pg.Pool | pg.PoolClient): Promise<BucketShares> {
  const { rows } = await pool.query<{ bucket: number; share: number }>(
    `select bucket, share
     from pg_stats, unnest(most_common_elems::text::bigint[], most_common_elem_freqs) as counted (bucket, share)
     where schemaname = current_schema() and tablename = 'deals_words' and attname = 'deal_places' and bucket is not null
     limit 10000`,
  )
  return new Map(rows.map(({ bucket, share }) => [bucket, share]))
}

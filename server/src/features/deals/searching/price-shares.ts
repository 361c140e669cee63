import type pg from 'pg'

/** How the prices of all deals are spread, as `analyze` last estimated it. */
export type PriceSpread = {
  /** The most frequent prices, each with its share of all deals. */
  common: readonly { price: number; share: number }[]
  /** Other prices, ascending: between any two neighbours are equally many deals. Empty where all prices are common. */
  bounds: readonly number[]
}

/** How long a spread is cached, and how long it is cached that there is none, in milliseconds. */
const [spreadMs, noSpreadMs] = [10 * 60_000, 10_000]
type Read = Promise<PriceSpread | undefined>
const cache = new WeakMap<object, { until: number; spread: Read }>()

/**
 * PostgreSQL's own statistics of prices, undefined while it has none; read every ten minutes at most, so that hardly a page
 * waits for them.
 */
export function readPriceSpread(pool: pg.Pool | pg.PoolClient): Read {
  const cached = cache.get(pool)
  if (cached && cached.until > performance.now()) return cached.spread
  const asked = performance.now()
  const entry = { until: asked + spreadMs, spread: querySpread(pool) }
  cache.set(pool, entry)
  entry.spread.then(
    (spread) => {
      if (!spread) entry.until = asked + noSpreadMs
    },
    () => cache.delete(pool),
  )
  return entry.spread
}

type StatisticsRow = { prices: number[] | null; shares: number[] | null; bounds: number[] | null }

async function querySpread(pool: pg.Pool | pg.PoolClient): Read {
  const { rows } = await pool.query<StatisticsRow>(
    `select most_common_vals::text::float8[] as prices, most_common_freqs as shares, histogram_bounds::text::float8[] as bounds
     from pg_stats where schemaname = current_schema() and tablename = 'deals' and attname = 'price' and not inherited`,
  )
  const [row] = rows
  if (!row) return undefined
  const { prices, shares, bounds } = row
  return {
    common: (prices ?? []).map((price, at) => ({ price, share: shares?.[at] ?? 0 })),
    bounds: bounds ?? [],
  }
}

/** The share of all deals whose prices are between two, both included. */
export function shareOfPrices(from: number, to: number, { common, bounds }: PriceSpread): number {
  let [between, others] = [0, 1]
  for (const { price, share } of common) {
    others -= share
    if (price >= from && price <= to) between += share
  }
  return between + others * Math.max(0, shareBelow(to, bounds) - shareBelow(from, bounds))
}

/** The share of the deals among these bounds that are below a price; between two bounds as if they were spread evenly. */
function shareBelow(price: number, bounds: readonly number[]): number {
  const above = bounds.findIndex((bound) => bound > price)
  if (above < 0) return 1
  const [lower, upper] = [bounds[above - 1], bounds[above]]
  if (lower === undefined || upper === undefined) return 0
  return (above - 1 + (price - lower) / (upper - lower)) / (bounds.length - 1)
}

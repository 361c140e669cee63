import type pg from 'pg'

/** How long an answer is cached, in milliseconds. */
const cachedMs = 10_000
type Answer = Promise<boolean> | boolean
const cache = new WeakMap<object, { until: number; isCurrent: Answer }>()

/**
 * Whether the stored JSON of all deals is of the version that the database makes now, as it is but for the time between an
 * update of its form and the end of `refreshDealJson`. Up to ten seconds old: until then the process of an older build goes
 * on with JSON of its own form.
 */
export function isJsonCurrent(pool: pg.Pool | pg.PoolClient): Answer {
  const cached = cache.get(pool)
  if (cached && cached.until > performance.now()) return cached.isCurrent
  const until = performance.now() + cachedMs
  const asked = askVersion(pool)
  cache.set(pool, { until, isCurrent: asked })
  asked.then(
    (isCurrent) => cache.set(pool, { until, isCurrent }),
    () => cache.delete(pool),
  )
  return asked
}

async function askVersion(pool: pg.Pool | pg.PoolClient): Promise<boolean> {
  const { rowCount } = await pool.query('select from feed_state where json_version = deal_json_version()')
  return rowCount !== 0
}

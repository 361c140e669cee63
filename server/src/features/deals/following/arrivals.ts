import type { DealFacts } from '@dealdeck/query/facts'
import { plainText } from '@dealdeck/query/folding'
import type pg from 'pg'
import { epochSql, type Stamp } from '../../../platform/database/epoch.ts'
import { readEvents } from './revisions.ts'

/** A visible deal as questions see it, and the revision with which it came into the feed last. */
type Arrival = { id: number; revision: number; facts: DealFacts }

/** The last deals that came, the newest first. */
export type LastArrivals = Stamp & {
  /** Whatever came after this revision is among them. */
  since: number
  arrivals: Arrival[]
}

/** What happened after a revision. */
export type LaterArrivals = {
  revision: number
  arrivals: Arrival[]
  /** Deals that were changed or removed; those that are visible now have facts. */
  others: { id: number; facts: DealFacts | null }[]
}

/** Events and deals read at once at most; whoever is further behind reads the last ones anew. */
const [mostEvents, mostDeals] = [50, 5_000]

// Of a deal that came several times the last one counts.
const lastArrivals = `
  with came as materialized (
    select e.revision, added.id from feed_events e cross join lateral unnest(e.added) as added (id)
    order by e.revision desc limit $1
  )
  select state.revision as current, ${epochSql} as epoch,
    case when (select count(*) from came) < $1 then (select min(revision) - 1 from feed_events)
      else (select min(revision) from came) end as since,
    c.id, c.revision
  from feed_state state left join (select id, max(revision) as revision from came group by id) c on true
  order by c.revision desc, c.id desc`

/** The last deals that came into the feed and are visible now, up to `most` of those that events are stored of. */
export async function readLastArrivals(pool: pg.Pool, most: number): Promise<LastArrivals> {
  const { rows } = await pool.query<{
    current: number
    epoch: string
    since: number | null
    id: number | null
    revision: number
  }>(lastArrivals, [most])
  const { current = 0, epoch = '', since = null } = rows[0] ?? {}
  const came = rows.flatMap(({ id, revision }) => (id === null ? [] : [{ id, revision }]))
  const facts = await readFacts(
    pool,
    came.map(({ id }) => id),
  )
  return {
    ...{ revision: current, epoch, since: since ?? current },
    arrivals: came.flatMap(({ id, revision }) => {
      const found = facts.get(id)
      return found ? [{ id, revision, facts: found }] : []
    }),
  }
}

/**
 * What happened after a revision of that epoch; of the deals that changed only those that `isWanted` says yes to. Null when it is too much, or
 * not known any more.
 */
export async function readLaterArrivals(
  pool: pg.Pool,
  { revision, epoch }: Stamp,
  isWanted: (id: number) => boolean,
): Promise<LaterArrivals | null> {
  const read = await readEvents(pool, revision, mostEvents)
  const through = read.events?.at(-1)?.revision ?? revision
  if (read.epoch !== epoch || read.events === null || through !== read.current) return null
  const came = new Map<number, number>()
  const others = new Set<number>()
  for (const { revision: at, added, changed, removed } of read.events) {
    for (const id of added) came.set(id, at)
    for (const id of changed) if (isWanted(id) && !came.has(id)) others.add(id)
    for (const id of removed) {
      came.delete(id)
      if (isWanted(id)) others.add(id)
    }
  }
  if (came.size + others.size > mostDeals) return null
  const facts = await readFacts(pool, [...came.keys(), ...others])
  return {
    revision: through,
    arrivals: [...came].flatMap(([id, at]) => {
      const found = facts.get(id)
      return found ? [{ id, revision: at, facts: found }] : []
    }),
    others: [...others].filter((id) => !came.has(id)).map((id) => ({ id, facts: facts.get(id) ?? null })),
  }
}

const times = ['first_seen', 'observed_at', 'last_updated', 'ends_at', 'dropped_at'] as const

const factsOf = `select id, title_folded, asin, brand, category, condition, price, discount_percentage, rating,
    review_count, prime_eligible, original_price is not null as has_list_price, is_sample,
    verdict_kind, under_typical, low_days, price_drop,
    ${times.map((name) => `extract(epoch from ${name}) * 1000 as ${name}`).join(', ')}
  from deals where id = any($1) and is_visible`

type FactRow = {
  id: number
  title_folded: string
  asin: string
  brand: string | null
  category: string | null
  condition: string | null
  price: number
  discount_percentage: number | null
  rating: number | null
  review_count: number | null
  prime_eligible: boolean
  has_list_price: boolean
  is_sample: boolean
  verdict_kind: string | null
  under_typical: number | null
  low_days: number | null
  price_drop: number | null
  ends_at: number | null
  dropped_at: number | null
} & { [Name in Exclude<(typeof times)[number], 'ends_at' | 'dropped_at'>]: number }

/** What questions ask of these deals, as far as they are visible; times in milliseconds since 1970. */
async function readFacts(pool: pg.Pool, ids: readonly number[]): Promise<Map<number, DealFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await pool.query<FactRow>(factsOf, [ids])
  return new Map(
    rows.map((row) => [
      row.id,
      {
        title: plainText(row.title_folded),
        asin: row.asin,
        brand: row.brand === null ? null : plainText(row.brand),
        category: row.category === null ? null : plainText(row.category),
        condition: row.condition,
        price: row.price,
        off: row.discount_percentage,
        rating: row.rating,
        reviews: row.review_count,
        isPrime: row.prime_eligible,
        hasListPrice: row.has_list_price,
        firstSeen: row.first_seen,
        lastChecked: row.observed_at,
        lastUpdated: row.last_updated,
        endsAt: row.ends_at,
        verdict: row.verdict_kind,
        underTypical: row.under_typical,
        lowDays: row.low_days,
        drop: row.price_drop,
        droppedAt: row.dropped_at,
        isSample: row.is_sample,
        isVisible: true,
      },
    ]),
  )
}

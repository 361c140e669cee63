import type { DealFacts } from '@dealdeck/query/facts'
import type pg from 'pg'
import { epochSql, type Stamp } from '../../../platform/database/epoch.ts'
import { readFacts } from './facts.ts'
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

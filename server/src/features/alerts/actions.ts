import type { DealFacts } from '@dealdeck/query/facts'
import { type Matcher, matcherOf } from '@dealdeck/query/matching'
import type pg from 'pg'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { prepared } from '../../platform/database/prepared.ts'
import { TimeSlice } from '../../platform/time-slice.ts'
import { readFacts } from '../deals/following/facts.ts'
import { openCondition } from '../searches/rules.ts'
import { Moments } from './matching/judging.ts'
import { allAlerts, sendingAlerts } from './matching/known-alerts.ts'
import { mayBeSent } from './peace/peace-rules.ts'

/** What was found is kept for so long after its episode, in days, as long as the log of what was sent. */
const keptDays = 30
/** Rows deleted in one statement. */
const deletedAtOnce = 5_000

/** What the outbox asks before it sends. */
export const sendingRules = { mayBeSent, stillMatches }

type Asked = { id: number; question: string | null; target_price: number | null; time_zone: string }

const askedColumns = `select a.id, s.question, a.target_price, coalesce(p.time_zone, 'UTC') as time_zone`
const sendingAsked = prepared('alerts asked', `${askedColumns} ${sendingAlerts} and a.id = any($1)`)
const anyAsked = prepared('any alerts asked', `${askedColumns} ${allAlerts} where a.id = any($1)`)

/**
 * Which of the deals, in their order, at least one of their alerts still finds: it may still send something, and the deal as it is
 * now, which everybody sees, meets it. For what has waited since it was found: how long ago something was, such as when the deal was first
 * seen, may be asked as of then. `alsoSilent`: also of alerts that may send nothing now.
 */
export async function stillMatches(
  client: Pick<pg.ClientBase, 'query'>,
  deals: readonly { dealId: number; alertIds: readonly number[] }[],
  clock: Clock = () => new Date(),
  { alsoSilent = false }: { alsoSilent?: boolean } = {},
): Promise<boolean[]> {
  const alertIds = [...new Set(deals.flatMap((deal) => deal.alertIds))]
  const dealIds = [...new Set(deals.map(({ dealId }) => dealId))]
  const asking = alsoSilent ? anyAsked : sendingAsked
  const { rows } = await client.query<Asked>({ ...asking, values: [alertIds] })
  const facts = await readFacts(client, dealIds)
  const found = await readFoundTimes(client, deals)
  const now = clock()
  const moments = new Moments(now)
  const slice = new TimeSlice()
  const asked = new Map<number, { matches: Matcher; zone: string }>()
  for (const row of rows) {
    await slice.pause()
    asked.set(row.id, { matches: matcherFor(row), zone: row.time_zone })
  }
  const isFound: boolean[] = []
  for (const { dealId, alertIds } of deals) {
    await slice.pause()
    const deal = facts.get(dealId)
    const isFoundBy = (id: number) => {
      const one = asked.get(id)
      if (!deal || !one) return false
      const at = found.get(`${id} ${dealId}`)
      return (
        one.matches(deal, moments.now(one.zone)) ||
        (at !== undefined && one.matches(factsAt(deal, at, now.getTime()), moments.at(at, one.zone)))
      )
    }
    isFound.push(alertIds.some(isFoundBy))
  }
  return isFound
}

const foundTimes = prepared(
  'when alerts found',
  `select a.id as alert_id, given.deal_id, coalesce(m.matched_at, (
       select max(opened_at) from alert_episodes e where e.destination_id = a.destination_id and e.deal_id = given.deal_id and e.closed_at is null
     )) as at
     from unnest($1::bigint[], $2::bigint[]) as given (alert_id, deal_id) join alerts a on a.id = given.alert_id
       left join alert_matches m on m.alert_id = a.id and m.deal_id = given.deal_id`,
)

/** When alerts have found these deals, in milliseconds since 1970, by the ids of both. */
async function readFoundTimes(
  client: Pick<pg.ClientBase, 'query'>,
  deals: readonly { dealId: number; alertIds: readonly number[] }[],
): Promise<Map<string, number>> {
  const pairs = deals.flatMap(({ dealId, alertIds }) => alertIds.map((alertId) => ({ alertId, dealId })))
  // An alert that was made anew stands for one that has found it before.
  const { rows } = await client.query<{ alert_id: number; deal_id: number; at: Date | null }>({
    ...foundTimes,
    values: [pairs.map(({ alertId }) => alertId), pairs.map(({ dealId }) => dealId)],
  })
  return new Map(
    rows.flatMap(({ alert_id, deal_id, at }) => (at ? [[`${alert_id} ${deal_id}`, at.getTime()]] : [])),
  )
}

/** A deal with nothing that has happened to it later than that: what it is now, as old as it was then, and with as long to go. */
function factsAt(deal: DealFacts, at: number, now: number): DealFacts {
  const { firstSeen, lastChecked, lastUpdated, endsAt, droppedAt } = deal
  return {
    ...deal,
    firstSeen: Math.min(firstSeen, at),
    lastChecked: Math.min(lastChecked, at),
    lastUpdated: Math.min(lastUpdated, at),
    endsAt: endsAt === null ? null : endsAt - (now - at),
    droppedAt: droppedAt === null ? null : Math.min(droppedAt, at),
  }
}

/** Questions of messages sent lately: understanding one takes up to a millisecond, and a message may be of hundreds. */
const understood = new BoundedMap<string, Matcher>(1_000)

function matcherFor({ question, target_price }: Asked): Matcher {
  if (target_price !== null) return (deal) => deal.isVisible && deal.price <= target_price
  if (question === null) return () => false
  const known = understood.get(question)
  if (known) return known
  const condition = openCondition(question)
  const matches = condition === undefined ? () => false : matcherOf(condition)
  understood.set(question, matches)
  return matches
}

const oldEpisodes = `alert_episodes where closed_at < now() - interval '${keptDays} days'`
const oldMatches = `alert_matches where not is_matching and matched_at < now() - interval '${keptDays} days'`

/** Whether anything was found so long ago that `forgetMatches` deletes it. */
export async function hasForgettable({ customPlanPool }: Databases): Promise<boolean> {
  const { rows } = await customPlanPool.query<{ due: boolean }>(
    `select exists (select from ${oldEpisodes}) or exists (select from ${oldMatches}) as due`,
  )
  return rows[0]?.due ?? false
}

/** Deletes what was found so long ago, and is found no more, piece by piece until the signal is aborted. */
export async function forgetMatches({ durablePool }: Databases, signal: AbortSignal): Promise<void> {
  for (let count = deletedAtOnce; count === deletedAtOnce && !signal.aborted; ) {
    const matches = await durablePool.query(
      `delete from alert_matches where ctid = any(array(select ctid from ${oldMatches} limit ${deletedAtOnce}))
         and not is_matching`,
    )
    const episodes = await durablePool.query(
      `delete from alert_episodes where id in (select id from ${oldEpisodes} limit ${deletedAtOnce})`,
    )
    count = Math.max(matches.rowCount ?? 0, episodes.rowCount ?? 0)
  }
}

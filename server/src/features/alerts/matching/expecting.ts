import { matcherOf } from '@dealdeck/query/matching'
import { type Condition, combine, conjunctsOf, leavesOf } from '@dealdeck/query/question'
import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { readFacts } from '../../deals/following/facts.ts'
import { conditionSql } from '../../deals/searching/questions.ts'
import { Moments } from './judging.ts'
import { countMatchesOf, type SeenPrice } from './past-matches.ts'

const dayMs = 86_400_000
/** Days looked back at most, and deals and prices of each that are looked at. */
const [mostDays, mostDeals, mostPrices] = [7, 2_000, 100]
/** Where more deals than that are asked for, those among so many ids stand for all. */
const sampledIds = 20_000
/** A question that takes longer is not counted, in milliseconds. */
const patienceMs = 1_500
/** What is true of a deal at any time, so that prices alone decide. */
const lasting = new Set([
  'title',
  'brand',
  'category',
  'asin',
  'condition',
  'prime',
  'rating',
  'reviews',
  'is',
])

/**
 * How many messages a day an alert of a question would have brought in the last week, and over how many days that was counted: each deal is
 * judged by the prices that were seen of it. Null where less than a day was seen, or it takes too long to find out.
 */
export async function expectedPerDay(
  { customPlanPool }: Pick<Databases, 'customPlanPool'>,
  condition: Condition | null,
  { now, zone, againPercent = 5 }: { now: Date; zone: string; againPercent?: number },
): Promise<{ perDay: number | null; days: number }> {
  const client = await customPlanPool.connect()
  try {
    await client.query('begin read only')
    await client.query(`set local statement_timeout = ${patienceMs}`)
    const days = await readDays(client, now)
    if (days < 1) return { perDay: null, days: 0 }
    const { ids, share } = await findDeals(client, condition, now, zone)
    // Of many too few to tell from.
    if (share === 0) return { perDay: null, days: 0 }
    const facts = await readFacts(client, ids, 'not is_blacklisted and hidden_at is null')
    const seen = await readPrices(client, ids)
    const [matches, moments] = [matcherOf(condition), new Moments(now)]
    const window = { since: now.getTime() - days * dayMs, zone, moments, againPercent }
    const count = await countMatchesOf(matches, facts, seen, window)
    return { perDay: count / share / days, days }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '57014') return { perDay: null, days: 0 }
    throw error
  } finally {
    await client.query('rollback').catch(() => undefined)
    client.release()
  }
}

/** For how many days deals have come, without the first hour, in which all were new. */
async function readDays(client: pg.ClientBase, now: Date): Promise<number> {
  const { rows } = await client.query<{ first: Date | null }>('select min(started_at) as first from imports')
  const first = rows[0]?.first
  return first ? Math.min(mostDays, Math.floor((now.getTime() - first.getTime() - dayMs / 24) / dayMs)) : 0
}

/** Deals that could have matched, and which share of all such deals these are. */
async function findDeals(client: pg.ClientBase, condition: Condition | null, now: Date, zone: string) {
  const parts = conjunctsOf(condition).filter((part) =>
    leavesOf(part).every((leaf) => leaf.kind === 'text' || lasting.has(leaf.field)),
  )
  const whole = combine('all', parts)
  const values: unknown[] = []
  const value = (given: unknown) => `$${values.push(given)}`
  const moment = new Moments(now).now(zone)
  const asked = whole ? conditionSql({ condition: whole, moment }, value) : 'true'
  const find = async (among: string, limit: number) => {
    const { rows } = await client.query<{ id: number }>(
      `select id from deals where ${among} and not is_sample and observed_at > now() - interval '${mostDays} days' and (${asked})
       limit ${limit}`,
      values,
    )
    return rows.map(({ id }) => id)
  }
  const all = await find('true', mostDeals + 1)
  if (all.length <= mostDeals) return { ids: all, share: 1 }
  const { rows } = await client.query<{ least: number; most: number }>(
    'select min(id) as least, max(id) as most from deals',
  )
  const { least = 0, most = 0 } = rows[0] ?? {}
  const span = most - least + 1
  const some = Array.from(
    { length: Math.min(sampledIds, span) },
    () => least + Math.floor(Math.random() * span),
  )
  const drawn = [...new Set(some)]
  const ids = await find(`id = any(${value(drawn)}::bigint[])`, sampledIds)
  const step = Math.ceil(ids.length / mostDeals)
  const looked = ids.filter((_, at) => at % step === 0)
  return { ids: looked, share: (drawn.length / span) * (looked.length / Math.max(1, ids.length)) }
}

/** What was seen of each deal's price within the days, and right before, the oldest first. */
async function readPrices(client: pg.ClientBase, ids: readonly number[]): Promise<Map<number, SeenPrice[]>> {
  const { rows } = await client.query<{ id: number; seen: [number, number | null, number | null][] }>(
    `select id, (
       select json_agg(json_build_array(extract(epoch from seen_at) * 1000, price, original_price) order by seen_at) from (
         select seen_at, price, original_price from price_points
         where deal_id = id and not is_wrong and seen_at > now() - interval '${2 * mostDays} days' order by seen_at desc limit ${mostPrices}
       ) newest
     ) as seen from unnest($1::bigint[]) as id`,
    [ids],
  )
  return new Map(
    rows.map(({ id, seen }) => [id, (seen ?? []).map(([at, price, original]) => ({ at, price, original }))]),
  )
}

import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { readSettings } from '../../platform/settings.ts'
import type { StoredPoint } from './judging/history.ts'
import { day } from './judging/thresholds.ts'
import { findVerdict, listPrices, readDueOne } from './queries.ts'
import { judgeHistory } from './rules.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})
const now = Date.UTC(2025, 10, 7, 12)
const asked = { includeHidden: false, now: new Date(now), marketplace }

/** Numbers from 0 to 1, always the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Points up to now, oldest first, `minutes` apart on average, with silences, gaps and, of each, until when it was confirmed. */
function manyPoints(count: number, minutes: number, seed: number): StoredPoint[] {
  const next = numbers(seed)
  const points: StoredPoint[] = []
  let at = now
  for (let index = 0; index < count; index++) {
    // Most of the time the usual price, so that no median lies on an edge; once in the middle the low of all.
    const price = [20, 20, 20, 25, 18.5, 26, 20, null][Math.floor(next() * 8)] ?? null
    const length = (0.2 + 1.6 * next()) * minutes * 60_000 + (next() < 0.004 ? 5 * day : 0)
    const seenAt = Math.round(at - length)
    const confirmedUntil = next() < 0.3 ? null : Math.floor(seenAt + (at - seenAt) * next() * 0.99)
    const isLow = index === Math.floor(count * 0.6)
    points.unshift({
      ...{ seenAt, confirmedUntil, price: isLow ? 12 : price, listPrice: next() < 0.5 ? 26 : 30 },
      ...{ importId: null, isWrong: next() < 0.02 && index > 0 && !isLow },
    })
    at = seenAt
  }
  return points
}

async function dealWith(points: readonly StoredPoint[]): Promise<number> {
  const last = points.at(-1)
  const { id } = await makeDeal(databases, {
    ...{
      price: last?.price ?? 20,
      original_price: 30,
      availability: last?.price === null ? null : 'In stock',
    },
    observed_at: new Date(last?.seenAt ?? now),
  })
  await durablePool.query(
    `insert into price_points (deal_id, seen_at, confirmed_until, price, original_price, is_wrong)
     select $1, to_timestamp("seenAt" / 1000), to_timestamp("confirmedUntil" / 1000), price, "listPrice", "isWrong"
     from json_to_recordset($2::json) as p("seenAt" float8, "confirmedUntil" float8, price numeric, "listPrice" numeric, "isWrong" boolean)`,
    [id, JSON.stringify(points)],
  )
  return id
}

test.each([
  [3_000, 60, 1],
  [3_000, 60, 2],
  [3_000, 180, 3],
  [5_000, 40, 4],
  [900, 180, 5],
])(
  'of %d points, %d minutes apart, figures are those of all to within a day',
  async (count, minutes, seed) => {
    const points = manyPoints(count, minutes, seed)
    const id = await dealWith(points)
    const read = await findVerdict(customPlanPool, id, { ...asked, includeHidden: true })
    const last = points.at(-1)
    const whole = judgeHistory(
      {
        ...{ price: last?.price ?? 20, original_price: 30, observed_at: last?.seenAt ?? now },
        ...{ is_offered: last?.price !== null, points },
      },
      now,
      marketplace,
    ).verdict
    const { changes_30, ...figures } = read.figures
    for (const [name, days] of [
      ...(['coverage_30', 'coverage_90', 'coverage_365'] as const).map(
        (name) => [name, 1 / Number(name.slice(9))] as const,
      ),
      ...(['days_known_90', 'days_known_365', 'days_at_or_below'] as const).map((name) => [name, 1] as const),
      ['list_ever_charged', 1 / whole.figures.days_known_365] as const,
    ])
      expect(Math.abs(Number(figures[name]) - Number(whole.figures[name])), name).toBeLessThanOrEqual(days)
    for (const name of ['usual', 'typical', 'prior_30', 'spread'] as const)
      expect(figures[name], name).toEqual(whole.figures[name])
    for (const name of ['low_30', 'low_90', 'low_365', 'low_since_rise', 'high_90'] as const) {
      expect(figures[name]?.price, name).toBe(whole.figures[name]?.price)
      const [one, other] = [figures[name], whole.figures[name]].map((low) => Date.parse(low?.seen_at ?? ''))
      expect(Math.abs(Number(one) - Number(other)), name).toBeLessThanOrEqual(day)
      const [held, heldInAll] = [figures[name]?.days, whole.figures[name]?.days]
      expect(Math.abs(Number(held) - Number(heldInAll)), name).toBeLessThanOrEqual(1)
    }
    expect([figures.watched_since, read.kind]).toEqual([whole.figures.watched_since, whole.kind])
    // The newest 1,000 are read one by one.
    if (30 * day < 1_000 * minutes * 60_000) expect(changes_30).toBe(whole.figures.changes_30)
    expect((await listPrices(customPlanPool, id, { ...asked, includeHidden: true })).length).toBe(
      Math.min(count, 1_000),
    )
  },
)

test('of what is older than the newest 1,000 points little is read, from the first on', async () => {
  const id = await dealWith(manyPoints(3_000, 60, 6))
  await durablePool.query('insert into price_verdicts (deal_id, due_at) values ($1, now())', [id])
  const history = (await readDueOne(durablePool, id))?.history
  const [first] = await listAll(id)
  expect(history?.points[0]?.seenAt).toBe(first)
  // Eighty-four days with ten prices at most, and the first of each of them once more.
  expect(history?.points.length).toBeLessThan(1_000 + 85 * 11)
})

async function listAll(id: number): Promise<number[]> {
  const { rows } = await customPlanPool.query(
    'select floor(extract(epoch from seen_at) * 1000)::float8 as at from price_points where deal_id = $1 and not is_wrong order by seen_at',
    [id],
  )
  return rows.map(({ at }) => at)
}

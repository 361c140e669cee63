import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { readSettings } from '../../platform/settings.ts'
import { judgeHistory } from '../prices/rules.ts'
import { importBody } from './actions.ts'
import { sentBodies } from './reading/limits.ts'

// A real file that may lie beside the checkout; it is never part of it.
const folder = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))
const file = `${folder}01_us_deal_radar_2026.ndjson`

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
const pollOf = (line: string) => /"_snapshot_at": ?"([^"]+)"/.exec(line)?.[1] ?? ''
const polls = [...Map.groupBy(lines, pollOf).values()]
const lastPoll = Date.parse(pollOf(lines.at(-1) ?? ''))

/** Times in milliseconds, with parts of one. */
type Point = { price: number; listPrice: number | null; seenAt: number; confirmedUntil: number }
type Seen = { price: number; original_price: number | null; observed_at: number; points: Point[] }

/** Imports the parts one after another into nothing. Returns what is known of each deal then, by ASIN. */
async function seenAfter(parts: readonly string[][]): Promise<Map<string, Seen>> {
  await databases.durablePool.query('truncate deals, price_points restart identity')
  const options = { dry_run: false, map: '', availability: '', source: 'polls.ndjson', limits: sentBodies }
  for (const part of parts) {
    const body = Readable.from([Buffer.from(`${part.join('\n')}\n`)])
    await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
  }
  const millis = (time: string) => `extract(epoch from ${time})::float8 * 1000`
  const { rows } = await databases.customPlanPool.query<Seen & { asin: string }>(
    `select d.asin, d.price, d.original_price, ${millis('d.observed_at')} as observed_at,
       json_agg(json_build_object('price', p.price, 'listPrice', p.original_price, 'seenAt', ${millis('p.seen_at')},
         'confirmedUntil', ${millis('p.confirmed_until')}) order by p.seen_at) as points
     from deals d join price_points p on p.deal_id = d.id group by d.id order by d.asin`,
  )
  return new Map(rows.map(({ asin, ...seen }) => [asin, seen]))
}

/** What is said of a deal some time after its last poll, and when anything else would be. */
function said({ points, ...deal }: Seen, days: number) {
  const history = {
    ...{ ...deal, is_offered: true },
    points: points.map((point) => ({ ...point, importId: null, isWrong: false })),
  }
  const judgement = judgeHistory(history, lastPoll + days * 86_400_000, marketplace)
  return { ...judgement, nextDue: judgement.nextDue() }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** What stays the same however the halves of a run that was cut are told: all but times, and what counts them. */
function mayNotDiffer(seen: Seen) {
  const { verdict } = said(seen, 0.01)
  const { watched_since, low_30, low_90, low_since_rise, high_90, changes_30 } = verdict.figures
  return {
    ...{ ...seen, points: seen.points.map(({ price, listPrice }) => [price, listPrice]) },
    ...{ kind: verdict.kind, watched_since, changes_30 },
    lows: [low_30, low_90, low_since_rise, high_90].map((low) => low?.price),
  }
}

/** The same things always in the same other order. */
function shuffled<T>(things: readonly T[], seed: number): T[] {
  let state = seed
  const keyed = things.map((thing) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return { thing, key: state }
  })
  return keyed.sort((one, other) => one.key - other.key).map(({ thing }) => thing)
}

describe.runIf(lines.length > 0)('39 polls', () => {
  let asked: Promise<Map<string, Seen>> | undefined
  const inOneBody = () => {
    asked ??= seenAfter([lines])
    return asked
  }

  test('one after another end in the points, figures and verdicts of all in one body', async () => {
    const expected = await inOneBody()
    const found = await seenAfter(polls)
    expect([...found.keys()]).toEqual([...expected.keys()])
    const differing = [...expected].filter(([asin, seen]) => {
      const other = found.get(asin) ?? seen
      const isSaid = [0.01, 20].every((days) => isSame(said(other, days), said(seen, days)))
      return !isSaid || !isSame(other, seen)
    })
    expect(differing).toEqual([])
  })

  test.each([1, 2, 3])(
    'in another order (%d) they end in the same, but for when a price began or ended beside another',
    async (seed) => {
      const expected = await inOneBody()
      const found = await seenAfter(shuffled(polls, seed))
      expect([...found.keys()]).toEqual([...expected.keys()])
      const differing = [...expected].filter(([asin, seen]) => !isSame(found.get(asin), seen))
      expect(differing.length).toBeLessThan(expected.size / 100)
      for (const [asin, seen] of differing) {
        const other = found.get(asin) ?? seen
        expect(mayNotDiffer(other), asin).toEqual(mayNotDiffer(seen))
        // A sight in the middle of a run is not kept: where another price turns out to lie in it, its halves end and begin with sights that
        // are. So each is within what was seen, and where no price came again, the same.
        for (const [at, point] of other.points.entries()) {
          const whole = seen.points[at] ?? point
          expect(point.seenAt, asin).toBeGreaterThanOrEqual(whole.seenAt)
          expect(point.confirmedUntil, asin).toBeLessThanOrEqual(whole.confirmedUntil)
          const isThere = ({ price, listPrice }: Point) =>
            price === whole.price && listPrice === whole.listPrice
          if (!seen.points.slice(0, at).some(isThere)) expect(point.seenAt, asin).toBe(whole.seenAt)
          if (!seen.points.slice(at + 1).some(isThere))
            expect(point.confirmedUntil, asin).toBe(whole.confirmedUntil)
        }
      }
    },
  )
})

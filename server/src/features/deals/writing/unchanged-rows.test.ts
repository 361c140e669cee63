import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import type { MergeRules, Noted, StagedPart } from './merge-sql.ts'
import { findUnchanged, noteUnchanged, takeOutUnchanged } from './unchanged-rows.ts'

const databases = await testDatabases()
const pool = databases.customPlanPool
const { MARKETPLACE: marketplace } = readSettings({})
const hour = 3_600_000
/** Two days and a half ago: by the database's own clock some of the ends below have passed, some not. */
const start = Date.now() - 61 * hour

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  )

/** What a row says of its item; `at` is the hour it was seen, null where the time of its import counts. */
const sight = fc.record({
  price: mostly(5, 6),
  original: mostly(9, null),
  availability: mostly('In stock', ''),
  brand: fc.constantFrom('Acme', null),
  state: mostly('', 'expired'),
  end: mostly(null, 2, 5, 200),
  posted: fc.constantFrom(null, 1),
  at: fc.constantFrom(null, null, 0, 1, 2, 3),
})
type Sight = typeof sight extends fc.Arbitrary<infer S> ? S : never
const time = (at: number | null) => (at === null ? null : new Date(start + at * hour).toISOString())

const rowOf = (asin: string, { original, at, end, posted, ...rest }: Sight) => ({
  ...{ asin, title: 'Copper kettle', ...rest, original_price: original },
  ...{ observed_at: time(at), ends_at: time(end), discord_timestamp: time(posted) },
})

async function importRows(rows: object[], at: number, more: Partial<ImportOptions> = {}) {
  const body = Readable.from([Buffer.from(JSON.stringify(rows))])
  const options = { dry_run: false, map: '', availability: '' as const, source: 'test', limits: sentBodies }
  const clock = () => new Date(start + at * hour)
  return importBody({ databases, marketplace, clock }, body, { ...options, ...more })
}

/** Everything stored of some items, with which transaction wrote it. */
async function stored(asins: string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ asin: string; state: string }>(
    `select asin, concat((d.*, d.xmin)::text, array(select (p.*, p.xmin)::text from price_points p where p.deal_id = d.id order by seen_at)) as state
     from deals d where asin = any($1)`,
    [asins],
  )
  return new Map(rows.map(({ asin, state }) => [asin, state]))
}

type Has = Pick<MergeRules, 'hasOriginalPrice' | 'hasAvailability' | 'keepsHistory'>

/** Of a staged part, the items whose rows would be taken out, and the counts, by one look or three; it stays as it is. */
async function takenOut(part: StagedPart, has: Has, looks: 1 | 3) {
  const { client, table } = part
  // One more, which is never taken out: where nothing else is left nothing is taken out either.
  const other = 'ZZZZZZZZZZ'
  const items = async () => {
    const { rows } = await client.query<{ asin: string }>(`select asin from ${table}`)
    return rows.map(({ asin }) => asin)
  }
  const all = await items()
  await client.query('begin')
  await client.query(`insert into ${table} (row_no, asin, observed, title) values (0, $1, 0, '')`, [other])
  const rules = { domain: marketplace.domain, importId: null, ...has }
  const whole = { client, table, count: all.length + 1 }
  const noted = looks === 3 ? await noteEarly(whole, rules) : undefined
  const { counts, left } = await takeOutUnchanged({ ...whole, noted }, rules)
  const rest = new Set(await items())
  await client.query('rollback')
  const taken = all.filter((asin) => !rest.has(asin))
  expect(counts).toMatchObject({ created: 0, updated: 0, unchanged: taken.length, superseded: 0 })
  expect(left.count).toBe(all.length + 1 - taken.length)
  return { taken, counts }
}

/** As while the last third is still to come, after a look at each of the others. */
async function noteEarly(part: StagedPart, rules: MergeRules): Promise<Noted> {
  const { client, table, count } = part
  const third = Math.ceil(count / 3)
  await client.query(
    `create temp table late_rows on commit drop as select * from ${table} where row_no > ${third}`,
  )
  await client.query(`delete from ${table} where row_no > ${third}`)
  const add = (rows: string) =>
    client.query(`insert into ${table} select * from late_rows where ${rows} order by row_no`)
  const first = await noteUnchanged(part, rules, await findUnchanged(part, rules))
  await add(`row_no <= ${2 * third}`)
  const known = { ...part, noted: first }
  const both = await noteUnchanged(known, rules, await findUnchanged(known, rules))
  await add(`row_no > ${2 * third}`)
  return both
}

const item = fc.record({
  before: fc.array(sight, { maxLength: 4 }),
  isInOrder: mostly(true, false),
  isMarkedWrong: mostly(false, true),
  // Mostly the same again.
  isSame: fc.constantFrom(true, true, false),
  last: fc.array(sight, { minLength: 1, maxLength: 2 }),
})
const histories: fc.Arbitrary<NonNullable<ImportOptions['history']>> = fc.constantFrom('keep', 'none')
const told = (sight: Sight) => sight.at ?? 3

test('rows that are taken out would have changed nothing, of many that change nothing', async () => {
  const totals = { taken: 0, untouched: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 20, maxLength: 40 }),
      fc.array(histories, { minLength: 5, maxLength: 5 }),
      fc.constantFrom(3, 3.5, 4, 4.5, 60),
      fc.subarray(['original_price', 'availability']),
      async (items, [history, ...earlier], at, left) => {
        const asins = nextAsins(items.length)
        const given = items.map(({ before, isInOrder, ...each }, n) => ({
          ...{ ...each, asin: asins[n] ?? '' },
          before: isInOrder ? before.toSorted((one, other) => told(one) - told(other)) : before,
        }))
        for (const [turn, history = 'keep'] of earlier.entries()) {
          const rows = given.flatMap(({ asin, before }) =>
            before.slice(turn, turn + 1).map((one) => rowOf(asin, one)),
          )
          if (rows.length > 0) await importRows(rows, 3, { history })
        }
        await databases.durablePool.query(
          'update price_points set is_wrong = true where deal_id in (select id from deals where asin = any($1))',
          [given.filter(({ isMarkedWrong }) => isMarkedWrong).map(({ asin }) => asin)],
        )
        const rows = given
          .flatMap(({ asin, before, isSame, last }) => {
            const newest = before.at(-1)
            return (isSame && newest ? [newest] : last).map((one) => rowOf(asin, one))
          })
          .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !left.includes(name))))
        const before = await stored(asins)
        let found: Awaited<ReturnType<typeof takenOut>> | undefined
        const result = await importRows(rows, at, {
          history,
          screen: async ({ parts: [part], has: columns }) => {
            if (!part) throw new Error('Nothing is staged')
            const has = {
              hasOriginalPrice: columns.originalPrice,
              hasAvailability: columns.availability,
              keepsHistory: history !== 'none',
            }
            found = await takenOut(part, has, 1)
            expect(await takenOut(part, has, 3)).toEqual(found)
          },
        })
        const after = await stored(asins)
        const untouched = asins.filter((asin) => before.has(asin) && before.get(asin) === after.get(asin))
        const { taken = [], counts } = found ?? {}
        expect(taken.filter((asin) => !untouched.includes(asin))).toEqual([])
        expect(result.unchanged).toBeGreaterThanOrEqual(taken.length)
        totals.taken += taken.length
        totals.untouched += untouched.length
        const alone = rows.filter(({ asin }) => taken.includes(String(asin)))
        if (alone.length === 0) return
        expect(await importRows(alone, at, { history, dry_run: true })).toMatchObject({
          unchanged: taken.length,
          hidden_without_availability: counts?.hidden,
          hidden_over: counts?.over,
        })
      },
    ),
    { numRuns: 40 },
  )
  expect(totals.taken).toBeGreaterThan(totals.untouched / 4)
})

import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { type ImportOptions, importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { type MergeCounts, type StagedPart, takeOutUnchanged } from './merge-sql.ts'

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

/** Of a staged part, the items whose rows would be taken out, and the count; it stays as it is. */
async function takenOut(part: StagedPart, keepsHistory: boolean) {
  const items = async () => {
    const { rows } = await part.client.query<{ asin: string }>(`select asin from ${part.table}`)
    return rows.map(({ asin }) => asin)
  }
  const all = await items()
  const rules = { domain: marketplace.domain, hasOriginalPrice: true, hasAvailability: true, keepsHistory }
  await part.client.query('begin')
  // As if there were more rows: where all of them are unchanged, they are only counted.
  const { counts } = await takeOutUnchanged({ ...part, count: all.length + 1 }, { ...rules, importId: null })
  const left = new Set(await items())
  await part.client.query('rollback')
  const taken = all.filter((asin) => !left.has(asin))
  expect(counts).toMatchObject({ created: 0, updated: 0, unchanged: taken.length, superseded: 0 })
  return { taken, counts }
}

test('rows that are taken out would have changed nothing, of most that change nothing', async () => {
  const item = fc.record({
    before: fc.array(sight, { maxLength: 4 }),
    // Mostly the same again.
    again: fc.constantFrom(true, true, false),
    last: fc.array(sight, { minLength: 1, maxLength: 2 }),
  })
  const totals = { taken: 0, untouched: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 20, maxLength: 40 }),
      fc.constantFrom('keep', 'none') satisfies fc.Arbitrary<ImportOptions['history']>,
      fc.constantFrom(3, 3.5, 4, 4.5, 60),
      async (items, history, at) => {
        const asins = nextAsins(items.length)
        const given = items.map(({ before, ...each }, n) => ({
          ...{ ...each, asin: asins[n] ?? '' },
          before: before.toSorted((one, other) => (one.at ?? 3) - (other.at ?? 3)),
        }))
        for (const turn of [0, 1, 2, 3]) {
          const rows = given.flatMap(({ asin, before }) =>
            before.slice(turn, turn + 1).map((one) => rowOf(asin, one)),
          )
          if (rows.length > 0) await importRows(rows, 3, { history: turn === 0 ? 'keep' : history })
        }
        const rows = given.flatMap(({ asin, before, again, last }) => {
          const newest = before.at(-1)
          return (again && newest ? [newest] : last).map((one) => rowOf(asin, one))
        })
        let found: { taken: string[]; counts: Pick<MergeCounts, 'hidden' | 'over'> } = {
          taken: [],
          counts: { hidden: 0, over: 0 },
        }
        const before = await stored(asins)
        const result = await importRows(rows, at, {
          history,
          screen: async ({ parts: [part] }) => {
            if (!part) throw new Error('Nothing is staged')
            found = await takenOut(part, history !== 'none')
          },
        })
        const after = await stored(asins)
        const untouched = new Set(
          [...before].filter(([asin, state]) => after.get(asin) === state).map(([asin]) => asin),
        )
        expect(found.taken.filter((asin) => !untouched.has(asin))).toEqual([])
        expect(result.unchanged).toBeGreaterThanOrEqual(found.taken.length)
        const alone = rows.filter(({ asin }) => found.taken.includes(asin))
        if (alone.length === 0) return
        expect(await importRows(alone, at, { history, dry_run: true })).toMatchObject({
          unchanged: found.taken.length,
          hidden_without_availability: found.counts.hidden,
          hidden_over: found.counts.over,
        })
        totals.taken += found.taken.length
        totals.untouched += untouched.size
      },
    ),
    { numRuns: 40 },
  )
  expect(totals.taken).toBeGreaterThan(totals.untouched / 3)
})

import { dealSchema } from '@dealdeck/contract/deals'
import { type DealFacts, factsOf } from '@dealdeck/query/facts'
import fc from 'fast-check'
import { signs, tidy } from '../../query/testing/questions.ts'
import type { FeedQuery } from '../src/features/deals/searching/conditions.ts'
import { verdictColumns } from '../src/features/deals/writing/verdicts.ts'
import type { Databases } from '../src/platform/database/database.ts'
import { makeDeal } from './factories.ts'

const minute = 60_000
const now = Date.parse('2026-03-04T12:00:00Z')
export const moment = { now, midnight: now - 345 * minute }
/** Asks for everything. */
export const plain: FeedQuery = {
  ...{
    sort: 'newest',
    search: '',
    min_price: undefined,
    max_price: undefined,
    prime_only: false,
    limit: 1000,
  },
}

/** Few different values, so that questions and deals meet at their boundaries. */
const words = [
  'lamp',
  'LAMP',
  'Lámpa',
  'e\u0301',
  'é',
  'Éa',
  'ﬁ',
  'ａｂ',
  '机ab',
  'ЛАМПА',
  'Σς',
  'İi',
  'o’b',
  "O'B",
  'a–b',
  'a-b',
  '50%',
  '_',
  '\\',
  'ß',
  'SS',
  '🎁',
  'lamps',
  'Lámpas,',
  'batteries',
  'battery',
  'Ｂatterý.',
  '27"',
  "27''",
  '27″',
]
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 3 }).map((some) => some.join('')),
)
const texts = tidy(fc.array(word, { minLength: 1, maxLength: 3 }).map((some) => some.join(' ')))
const minutes = fc.constantFrom(1, 59, 60, 61, 344, 345, 346, 1440, 1441)
/** What questions about such deals compare with. */
export const values = {
  numbers: fc.constantFrom(0, 0.01, 1, 3.9, 4, 4.5, 4.55, 5, 9.98, 9.99, 10, 49, 49.5, 50, 51, 100),
  minutes,
  texts,
  words: fc.constantFrom('lamp', 'lamps', 'lámpas', 'Lamps', 'battery', 'batteries', '27"', "27''", '27″'),
  asins: fc.constantFrom('B', 'B0', 'B00000000A', 'B00000000B', '0', 'A'),
}

const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { freq: 3 })
const past = fc.tuple(minutes, fc.constantFrom('', '-1', '+1')).map(([ago, more]) => ({ ago, more }))
const deals = fc.record({
  title: texts,
  brand: nullable(texts),
  category: nullable(fc.array(texts, { minLength: 1, maxLength: 2 }).map((path) => path.join(' > '))),
  condition: nullable(fc.constantFrom('new' as const, 'renewed' as const, 'used' as const)),
  price: fc.constantFrom(0.01, 1, 4, 9.98, 9.99, 10, 49.5, 100),
  original_price: nullable(fc.constantFrom(1, 10, 20, 99.5)),
  rating: nullable(fc.constantFrom(0, 3.9, 4, 4.5, 4.6, 5)),
  review_count: nullable(fc.constantFrom(0, 1, 49, 50, 100)),
  availability: fc.constantFrom('In stock', 'In stock', 'In stock', null),
  prime_eligible: fc.boolean(),
  is_sample: fc.boolean(),
  verdict: nullable(
    fc.record({
      kind: fc.constantFrom('lowest', 'good', 'usual', 'high', 'raised', 'listnotseen', 'unchanged', 'new'),
      short: fc.constant('Some, "words"'),
      best: nullable(fc.constantFrom(-3.5, 0, 0.01, 12.35, 12.36)),
      under_typical: nullable(fc.constantFrom(0, 1, 4, 49, 50, 51)),
      low_days: nullable(fc.constantFrom(30, 90, 365)),
      drop: nullable(fc.constantFrom(0, 1, 4, 49, 50, 51)),
      dropped_at: nullable(past),
      sparkline: fc.constant('M0 0H90'),
    }),
  ),
  times: fc.record({ first_seen: past, observed_at: past, last_updated: past, ends_at: nullable(past) }),
})

/** As JSON has it: so long before now, or a microsecond beside. */
function timeText({ ago, more }: { ago: number; more: string }): string {
  const [ms, micros] = { '': [0, '000'], '-1': [0, '001'], '+1': [-1, '999'] }[more] ?? [0, '000']
  return `${new Date(now - ago * minute + Number(ms)).toISOString().slice(0, -1)}${micros}Z`
}

/** Makes deals that questions can hardly tell apart: times whole minutes from now, or a microsecond beside. */
export async function makeAskedDeals(databases: Databases, count: number): Promise<void> {
  for (const { times, verdict, ...deal } of fc.sample(deals, count)) {
    const { id } = await makeDeal(databases, deal)
    if (verdict) {
      const { dropped_at } = verdict
      const dropped = dropped_at && timeText(dropped_at)
      const given = JSON.stringify({ ...verdict, dropped_at: dropped })
      await databases.durablePool.query(`update deals set ${verdictColumns('$2::text')} where id = $1`, [
        id,
        given,
      ])
    }
    for (const [column, time] of Object.entries(times)) {
      if (!time) continue
      const ago = `interval '${column === 'ends_at' ? -time.ago : time.ago} minutes' + interval '${time.more || 0} microseconds'`
      await databases.durablePool.query(
        `update deals set ${column} = $2::timestamptz - (${ago}) where id = $1`,
        [id, new Date(now)],
      )
    }
  }
  await databases.durablePool.query('analyze deals, title_words')
}

const asked = dealSchema.pick({
  ...{ id: true, title: true, asin: true, brand: true, category: true, condition: true, price: true },
  ...{ original_price: true, discount_percentage: true, rating: true, review_count: true },
  ...{ prime_eligible: true, first_seen: true, observed_at: true, last_updated: true, ends_at: true },
  is_sample: true,
  verdict: true,
})

/** By id what questions ask of all deals, as a browser makes it of their JSON. */
export async function readAskedFacts({ customPlanPool }: Databases): Promise<Map<number, DealFacts>> {
  const { rows } = await customPlanPool.query<{ deal: string; is_visible: boolean }>(
    `select deal_json || case when is_sample then '' else '"","verdict":' || coalesce(verdict, 'null') || '}' end as deal, is_visible
     from deals order by id`,
  )
  return new Map(
    rows.map(({ deal, is_visible }) => {
      const read = asked.parse(JSON.parse(deal))
      return [read.id, factsOf(read, is_visible)]
    }),
  )
}

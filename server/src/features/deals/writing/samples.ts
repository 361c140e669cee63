import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { verdictKindSchema } from '@dealdeck/contract/prices'
import { foldText } from '@dealdeck/query/folding'
import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { Settings } from '../../../platform/settings.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import { judgeHistory, toStored } from '../../prices/rules.ts'
import { type DealWrites, withDealWrites } from '../actions.ts'
import { noState, queryRecorded, recordedIds, recordedState, recording } from './recording.ts'
import { storeVerdicts, verdictColumns } from './verdicts.ts'

/** Where the pictures of sample deals lie; the application serves them at `sampleImagesPath`. */
export const sampleImagesFolder = fileURLToPath(new URL('../../../../sample-deals/images/', import.meta.url))
export const sampleImagesPath = '/sample-images/'

const dealsFile = new URL('../../../../sample-deals/deals.json', import.meta.url)

const minutes = z.number().int().min(0)
const money = z.number().positive()

/** A deal of the file: times are minutes before the moment of loading, oldest history first; without a price it wasn't offered. */
const sampleDealSchema = z.strictObject({
  asin: z.string().regex(/^SAMPLE\d{4}$/),
  title: z.string().min(1),
  price: money,
  original_price: money.nullable(),
  rating: z.number().min(0).max(5).nullable(),
  review_count: z.number().int().min(0).nullable(),
  image: z.string().nullable(),
  availability: z.string().min(1).nullable(),
  prime_eligible: z.boolean(),
  age_minutes: minutes,
  discord_age_minutes: minutes.nullable(),
  /** What its prices say when it is loaded; a test holds the file to it. */
  shows: verdictKindSchema,
  history: z.array(
    z.strictObject({ age_minutes: minutes, price: money.nullable(), original_price: money.nullable() }),
  ),
  price_age_minutes: minutes,
})
type SampleDeal = z.infer<typeof sampleDealSchema>

/**
 * Fills an empty installation with the sample deals, their ages counted back from now, with what their prices say. Returns how many there are;
 * 0 and nothing written when the table already holds any deal.
 */
export async function loadSampleDeals(
  databases: Databases,
  settings: Pick<Settings, 'MARKETPLACE'>,
  clock: Clock,
): Promise<number> {
  const samples = z.array(sampleDealSchema).parse(JSON.parse(await readFile(dealsFile, 'utf8')))
  const now = clock()
  return withDealWrites(databases, async (writes) => {
    const { client } = writes
    const { rows: existing } = await client.query('select from deals limit 1')
    if (existing.length > 0) return 0
    const judged = samples.map((sample) => judgedSample(sample, settings.MARKETPLACE, now))
    const inserted = await queryRecorded<{ ids: Record<string, number> }>(writes, insertDeals, [
      JSON.stringify(judged.map(({ row }) => row)),
      now,
    ])
    const ids = inserted?.ids ?? {}
    const points = judged.flatMap(({ row, points }) =>
      points.map((point) => ({ deal_id: ids[row.asin], ...point })),
    )
    await client.query(insertPoints, [JSON.stringify(points)])
    const { rows: due } = await client.query<{ deal_id: number; was_due: string }>(insertDue, [
      Object.values(ids),
    ])
    const wasDue = new Map(due.map(({ deal_id, was_due }) => [deal_id, was_due]))
    const verdicts = judged.map(({ row, judgement }) => {
      const id = ids[row.asin] ?? 0
      return toStored(id, wasDue.get(id) ?? '', judgement)
    })
    // Not recorded: who is told that they came finds them with it.
    await client.query(insertVerdicts, [JSON.stringify(verdicts)])
    await storeVerdicts(writes, verdicts)
    return judged.length
  })
}

/** Removes every sample deal with its prices, for the audit list by `actor`. Returns how many there were. */
export async function removeSampleDeals(databases: Databases, actor?: Actor): Promise<number> {
  return withDealWrites(databases, async (writes) => {
    const deals = await deleteSamples(writes)
    if (actor && deals > 0) {
      const subject = { kind: 'import' as const, id: null, name: 'sample deals' }
      await recordChange(writes.client, { actor, action: 'remove', subject, before: { deals }, after: null })
    }
    return deals
  })
}

/** Deletes every sample deal inside the caller's transaction. Returns how many there were. */
export async function deleteSamples(writes: DealWrites): Promise<number> {
  const row = await queryRecorded<{ deleted: number }>(writes, deletion)
  return row?.deleted ?? 0
}

// Each import asks for it, and next to none finds one.
const deletion = prepared(
  'delete samples',
  `with changed as (
     delete from deals where is_sample
     returning id as deal_id, ${recordedState('old', (field) => field)}, ${noState('new')}
   ), ${recording()}
   select (select count(*) from changed) as deleted, ${recordedIds}`,
)

// Oldest first, so that ids follow first_seen as they do for real deals.
const insertDeals = `
  with changed as (
  insert into deals (asin, title, title_folded, price, original_price, rating, review_count, image_url, product_url,
    availability, prime_eligible, first_seen, last_updated, observed_at, posted_to_discord, discord_timestamp,
    is_blacklisted, is_sample)
  select asin, title, title_folded, price, original_price, rating, review_count, image_url, product_url,
    availability, prime_eligible, first_seen, $2::timestamptz, $2::timestamptz, discord_timestamp is not null,
    discord_timestamp,
    exists (select from blacklisted_words w where w.is_active and strpos(title_folded, w.word) > 0), true
  from json_to_recordset($1::json) as s(asin text, title text, title_folded text, price numeric, original_price numeric,
    rating numeric, review_count integer, image_url text, product_url text, availability text, prime_eligible boolean,
    first_seen timestamptz, discord_timestamp timestamptz)
  order by first_seen, asin desc
  returning asin, id as deal_id, ${noState('old')}, ${recordedState('new', (field) => field)}
  ), ${recording()}
  select (select json_object_agg(asin, deal_id) from changed) as ids, ${recordedIds}`

const insertPoints = `
  insert into price_points (deal_id, seen_at, confirmed_until, price, original_price)
  select deal_id, seen_at, confirmed_until, price, original_price
  from json_to_recordset($1::json) as p(deal_id bigint, seen_at timestamptz, confirmed_until timestamptz, price numeric, original_price numeric)`

const insertDue = `
  insert into price_verdicts (deal_id, due_at) select id, clock_timestamp() from unnest($1::bigint[]) as id
  returning deal_id, due_at::text as was_due`

const insertVerdicts = `
  update deals d set ${verdictColumns('v.verdict')}
  from json_to_recordset($1::json) as v(deal_id bigint, verdict text) where d.id = v.deal_id`

/** A sample as it is written, its price points, and what these say. */
function judgedSample(sample: SampleDeal, marketplace: Settings['MARKETPLACE'], now: Date) {
  const row = toRow(sample, marketplace, now)
  const points = pricePoints(sample, marketplace, now)
  const judgement = judgeHistory(
    {
      ...{ price: row.price, original_price: row.original_price, observed_at: now.getTime() },
      is_offered: sample.availability !== null,
      points: points.map(({ seen_at, confirmed_until, price, original_price }) => ({
        ...{ seenAt: Date.parse(seen_at), confirmedUntil: Date.parse(confirmed_until) },
        ...{ price, listPrice: original_price, importId: null, isWrong: false },
      })),
    },
    now.getTime(),
    marketplace,
  )
  return { row, points, judgement }
}

function toRow(sample: SampleDeal, marketplace: Settings['MARKETPLACE'], now: Date) {
  const { asin, title, rating, review_count, image, availability, prime_eligible } = sample
  return {
    ...{ asin, title, rating, review_count, availability, prime_eligible },
    title_folded: foldText(title),
    price: inCurrency(sample.price, marketplace),
    original_price: sample.original_price === null ? null : inCurrency(sample.original_price, marketplace),
    image_url: image === null ? null : sampleImagesPath + image,
    // No such product exists: the nearest useful page is a search for its title.
    product_url: `https://www.${marketplace.domain}/s?k=${encodeURIComponent(title)}`,
    first_seen: before(now, sample.age_minutes),
    discord_timestamp: sample.discord_age_minutes === null ? null : before(now, sample.discord_age_minutes),
  }
}

/** What was observed: the history, the current price, and that it isn't offered where none is stated; each held until the next. */
function pricePoints(sample: SampleDeal, marketplace: Settings['MARKETPLACE'], now: Date) {
  const current = {
    age_minutes: sample.price_age_minutes,
    price: sample.price,
    original_price: sample.original_price,
  }
  const gap = { age_minutes: Math.min(60, sample.price_age_minutes - 1), price: null, original_price: null }
  const points = [...sample.history, current, ...(sample.availability === null ? [gap] : [])]
  return points.map((point, at) => ({
    seen_at: before(now, point.age_minutes),
    confirmed_until: before(now, points[at + 1]?.age_minutes ?? 0),
    price: point.price === null ? null : inCurrency(point.price, marketplace),
    original_price: point.original_price === null ? null : inCurrency(point.original_price, marketplace),
  }))
}

/** Samples are priced in cents; a currency without them gets the same digits as whole units. */
function inCurrency(amount: number, marketplace: Settings['MARKETPLACE']): number {
  return marketplace.decimals === 0 ? Math.round(amount * 100) : amount
}

function before(now: Date, ageMinutes: number): string {
  return new Date(now.getTime() - ageMinutes * 60_000).toISOString()
}

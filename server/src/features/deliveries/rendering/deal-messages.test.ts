import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { makeSource } from '../../../../testing/sources.ts'
import { systemClock } from '../../../platform/clock.ts'
import { readSettings } from '../../../platform/settings.ts'
import { readDealsToTell, sayDeal } from './deal-messages.ts'

const databases = await testDatabases()
const settings = readSettings({ PUBLIC_URL: 'https://deals.example' })
const deps = { databases, settings, clock: systemClock }
const say = async (id: number, affiliateTag = '') => {
  const [known] = await readDealsToTell(deps, [id])
  return known && sayDeal(known, settings, affiliateTag)
}

/** Has the deal's last price come from an import of this name. */
async function importedFrom(deal: { id: number; price: number }, by: string, sourceId?: number) {
  const { rows } = await databases.durablePool.query<{ id: number }>(
    'insert into imports (source, handed_in_by) values ($1, $1) returning id',
    [by],
  )
  await databases.durablePool.query(
    'insert into price_points (deal_id, seen_at, price, import_id) values ($1, now(), $2, $3)',
    [deal.id, deal.price, rows[0]?.id],
  )
  if (sourceId !== undefined)
    await databases.durablePool.query(
      `insert into source_runs (source_id, state, import_ids) values ($1, 'done', array[$2::bigint])`,
      [sourceId, rows[0]?.id],
    )
}

test('a deal is said with money, links and rating as people read them', async () => {
  const deal = await makeDeal(databases, {
    ...{ title: 'Blue\tmug \u202Efo\u2066\n x', price: 1234.5, original_price: 2469, rating: 4.6 },
    ...{ review_count: 1203, image_url: 'https://pictures.example/a.jpg', prime_eligible: true },
  })
  expect(await say(deal.id, 'me-20')).toEqual({
    state: 'live',
    deal: expect.objectContaining({
      ...{ title: 'Blue mug fo x', price: '$1,234.50', amount: 1234.5, originalPrice: '$2,469.00', off: 50 },
      pageUrl: `https://deals.example/deals/${deal.asin}`,
      shopUrl: `https://www.amazon.com/dp/${deal.asin}?tag=me-20`,
      ...{ imageUrl: 'https://pictures.example/a.jpg', rating: '4.6 of 5, 1,203 reviews', isPrime: true },
      ...{ verdict: null, sparkline: null },
    }),
  })
})

test('a title of 500 characters is whole', async () => {
  const title = '**Mug** @everyone <b>'.repeat(25).slice(0, 500).trim()
  const deal = await makeDeal(databases, { title })
  expect((await say(deal.id))?.deal.title).toBe(title)
})

test('an address that a row states for its product is never handed on', async () => {
  const deal = await makeDeal(databases, { product_url: 'https://elsewhere.example/dp/B000000000' })
  expect((await say(deal.id))?.deal.shopUrl).toBe(`https://www.amazon.com/dp/${deal.asin}`)
})

test('what the prices of a deal say is said, of its points as they are', async () => {
  const deal = await makeDeal(databases, { price: 5 })
  await databases.durablePool.query(
    `insert into price_points (deal_id, seen_at, confirmed_until, price)
     select $1::bigint, now() - day * interval '1 day', now() - (day - 1) * interval '1 day', 10 from generate_series(2, 60) day
     union all select $1::bigint, now() - interval '90 minutes', now(), 5`,
    [deal.id],
  )
  const said = await say(deal.id)
  expect(said?.deal.verdict).toMatch(/lowest/i)
  expect(said?.deal.sparkline).toMatch(/^█+▁$/)
})

test.each([
  [{ hidden_at: new Date() }, 'gone'],
  [{ is_blacklisted: true }, 'gone'],
  [{ is_over: true }, 'ended'],
  [{ availability: null }, 'ended'],
  [{ ends_at: new Date(Date.now() - 1_000) }, 'ended'],
])('of a deal that is %j it is said that it is %s', async (values, state) => {
  const deal = await makeDeal(databases, values)
  const said = await say(deal.id)
  expect(said?.state).toBe(state)
  if (state === 'gone')
    expect(said?.deal).toMatchObject({ title: '', price: null, imageUrl: null, pageUrl: null })
})

test('what a source doesn’t let leave the site isn’t said, by its last run or by its name', async () => {
  const image_url = 'https://pictures.example/a.jpg'
  const [byRun, byName] = [await makeDeal(databases, { image_url }), await makeDeal(databases, { image_url })]
  const source = await makeSource(databases, { name: 'Careful' })
  await databases.durablePool.query("update sources set may_leave = '{title}' where id = $1", [source])
  await importedFrom(byRun, 'source Careful of before', source)
  await importedFrom(byName, 'source Careful')
  for (const { id, title } of [byRun, byName])
    expect((await say(id))?.deal).toMatchObject({
      ...{ title, price: null, amount: null, off: null, verdict: null, sparkline: null, imageUrl: null },
    })
})

test('of several sources that have a deal the strictest counts, one that nobody knows any more says nothing, and people may say all', async () => {
  const [listed, unknown, handed] = [
    await makeDeal(databases),
    await makeDeal(databases),
    await makeDeal(databases),
  ]
  const [open, closed] = [await makeSource(databases, { name: 'Open' }), await makeSource(databases)]
  await databases.durablePool.query("update sources set may_leave = '{price,picture}' where id = $1", [
    closed,
  ])
  await importedFrom(listed, 'source Open', open)
  await databases.durablePool.query(
    'insert into source_deals (source_id, asin, listed_at) values ($1, $2, now())',
    [closed, listed.asin],
  )
  await importedFrom(unknown, 'source Removed')
  await importedFrom(handed, 'admin')
  expect((await say(listed.id))?.deal).toMatchObject({ title: listed.asin, price: '$9.99' })
  expect((await say(unknown.id))?.deal).toMatchObject({ title: unknown.asin, price: null })
  expect((await say(handed.id))?.deal).toMatchObject({ title: handed.title, price: '$9.99' })
})

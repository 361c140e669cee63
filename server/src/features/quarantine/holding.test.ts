import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { kindThat, makeSource, rowsOf, testBox } from '../../../testing/sources.ts'

const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat(async () => ({ state: 'done' }))], secrets: testBox },
})
const { headers } = await signIn('admin')
const { poll } = pollSources(databases)

const waiting = async (source: number) =>
  (await app.inject({ url: `/api/quarantine?source=${source}&limit=200`, headers })).json()
const decide = async (what: 'release' | 'refuse', payload: object) =>
  (await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload })).json()
const priceOf = async (asin: string) =>
  (await databases.customPlanPool.query('select price from deals where asin = $1', [asin])).rows[0]?.price

test('a price that nobody would believe waits, beside what is stored, and the rest of its list is imported', async () => {
  const source = await makeSource(databases)
  const [cheap = '', dear = '', usual = ''] = nextAsins(3)
  await poll(
    source,
    rowsOf([cheap, dear, usual], () => 100),
  )
  const prices = [4, 1_500, 60]
  const run = await poll(
    source,
    rowsOf([cheap, dear, usual], (at) => prices[at] ?? 0),
  )
  expect(run).toMatchObject({ received: 3, updated: 1, held: 2, text: '2 rows went into quarantine.' })
  expect([await priceOf(cheap), await priceOf(dear), await priceOf(usual)]).toEqual([100, 100, 60])
  const page = await waiting(source)
  expect(page).toMatchObject({ total: 2, next_cursor: null })
  expect(page.groups).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        source_id: source,
        rule: 'price_low',
        label: 'Price far below what it was',
        count: 1,
      }),
    ]),
  )
  expect(page.items.find(({ asin }: { asin: string }) => asin === cheap)).toMatchObject({
    ...{ rule: 'price_low', old: { price: 100 }, new: { price: 4 } },
    reason: '$4.00 is less than a ninth of the last price, $100.00.',
    product_url: `https://www.amazon.com/dp/${cheap}`,
  })
})

test('of a deal with a typical price that is what counts', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(
    source,
    rowsOf([asin], () => 30),
  )
  await databases.durablePool.query(
    `insert into price_verdicts (deal_id, due_at, typical) select id, now() + interval '1 day', 100 from deals where asin = $1
     on conflict (deal_id) do update set typical = 100`,
    [asin],
  )
  expect(
    (
      await poll(
        source,
        rowsOf([asin], () => 9),
      )
    ).held,
  ).toBe(1)
  // Far from the last one alone is a deal.
  expect(
    (
      await poll(
        source,
        rowsOf([asin], () => 12),
      )
    ).updated,
  ).toBe(1)
})

test('of a deal that nobody has stored what its source says is usual counts', async () => {
  const source = await makeSource(databases)
  const [odd = '', fine = ''] = nextAsins(2)
  const usual = new Map([
    [odd, 300],
    [fine, 30],
  ])
  expect(await poll(source, rowsOf([odd, fine]), { usual })).toMatchObject({ held: 1, created: 1 })
  expect([await priceOf(odd), await priceOf(fine)]).toEqual([undefined, 20])
})

test('another title, and a price that is nothing beside its list price, wait', async () => {
  const source = await makeSource(databases)
  const [one = '', two = ''] = nextAsins(2)
  await poll(source, rowsOf([one]))
  const renamed = { ...rowsOf([one])[0], title: 'Winter boots of real leather, brown' }
  const given = { ...rowsOf([two])[0], price: 4, original_price: 99 }
  expect(await poll(source, [renamed, given])).toMatchObject({ held: 2, created: 0, updated: 0 })
  const rules = (await waiting(source)).items.map(({ rule }: { rule: string }) => rule)
  expect(rules.sort()).toEqual(['list_price', 'title'])
  // The same thing in other words passes.
  const reworded = { ...rowsOf([one])[0], title: `Lantern, folding: camping, hiking ${one} (2 pack)` }
  expect(await poll(source, [reworded])).toMatchObject({ held: 0, updated: 1 })
})

test('a row that waits already becomes what it is now, and is gone once it passes', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(
    source,
    rowsOf([asin], () => 100),
  )
  await poll(
    source,
    rowsOf([asin], () => 1),
  )
  await poll(
    source,
    rowsOf([asin], () => 2),
  )
  const { total, items: held } = await waiting(source)
  expect([total, held[0].new.price]).toEqual([1, 2])
  await poll(
    source,
    rowsOf([asin], () => 90),
  )
  expect([(await waiting(source)).total, await priceOf(asin)]).toEqual([0, 90])
})

test('a list that shrank to less than half, or doubled, or changed a third of its prices, waits as a whole', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(90)
  await poll(source, rowsOf(all.slice(0, 40)))
  const shrunk = await poll(
    source,
    rowsOf(all.slice(0, 15), () => 18),
  )
  expect(shrunk).toMatchObject({ held: 15, updated: 0 })
  expect(shrunk.text).toBe(
    '15 rows, where there were 40. 15 rows that would change something went into quarantine.',
  )
  for (let count = 0; count < 2; count++) await poll(source, rowsOf(all.slice(0, 40)))
  const doubled = await poll(source, rowsOf(all))
  expect(doubled).toMatchObject({ held: 50, created: 0, unchanged: 40 })
  const changed = await poll(
    source,
    rowsOf(all.slice(0, 40), (at) => (at < 20 ? 19 : 20)),
  )
  expect(changed).toMatchObject({ held: 20, updated: 0, unchanged: 20 })
  // None of these is what the next one is compared with.
  expect(
    (
      await poll(
        source,
        rowsOf(all.slice(0, 41), (at) => (at < 10 ? 19 : 20)),
      )
    ).held,
  ).toBe(0)
})

test('lists that are sometimes short and sometimes long hold nothing for their size', async () => {
  const source = await makeSource(databases)
  const all = nextAsins(200)
  await poll(source, rowsOf(all.slice(0, 30)))
  await poll(source, rowsOf(all.slice(0, 55)))
  await poll(source, rowsOf(all.slice(0, 58)))
  // That is held, and all of it let through by a person; from then on this source is one of those.
  const long = await poll(source, rowsOf(all))
  expect(long.held).toBe(142)
  const ids = (await waiting(source)).items.map(({ id }: { id: number }) => id)
  expect(await decide('release', { ids })).toEqual({ decided: 142, gone: 0, unchanged: 0, unreadable: 0 })
  expect((await poll(source, rowsOf(all.slice(0, 10)))).held).toBe(0)
  expect((await poll(source, rowsOf(all))).held).toBe(0)
})

test('what was refused is left out at the same price, and asked about at another', async () => {
  const source = await makeSource(databases)
  const [asin = ''] = nextAsins(1)
  await poll(
    source,
    rowsOf([asin], () => 100),
  )
  await poll(
    source,
    rowsOf([asin], () => 1),
  )
  const [held] = (await waiting(source)).items
  expect(await decide('refuse', { ids: [held.id] })).toEqual({
    decided: 1,
    gone: 0,
    unchanged: 0,
    unreadable: 0,
  })
  expect(
    await poll(
      source,
      rowsOf([asin], () => 1),
    ),
  ).toMatchObject({ held: 0, refused_before: 1, updated: 0 })
  expect(
    await poll(
      source,
      rowsOf([asin], () => 1.5),
    ),
  ).toMatchObject({ held: 1, refused_before: 0 })
})

test('what is let through is imported as it was seen then, by one of two who do it at once', async () => {
  const source = await makeSource(databases, { name: 'A feed that is watched' })
  const [asin = ''] = nextAsins(1)
  const seen = new Date(Date.now() - 3_600_000)
  await poll(
    source,
    rowsOf([asin], () => 100).map((row) => ({ ...row, observed_at: new Date(seen.getTime() - 60_000) })),
  )
  await poll(
    source,
    rowsOf([asin], () => 1).map((row) => ({ ...row, observed_at: seen, rating: 4.5 })),
  )
  const ids = (await waiting(source)).items.map(({ id }: { id: number }) => id)
  const answers = await Promise.all([decide('release', { ids, trust: true }), decide('release', { ids })])
  expect(answers.map(({ decided, gone }) => [decided, gone]).sort()).toEqual([
    [0, 1],
    [1, 0],
  ])
  const { rows } = await databases.customPlanPool.query(
    `select d.price, d.rating, d.observed_at, d.availability, i.source, i.handed_in_by,
       (select count(*) from imports where source = i.source) as imports
     from deals d join price_points p on p.deal_id = d.id and p.price = 1 join imports i on i.id = p.import_id where d.asin = $1`,
    [asin],
  )
  expect(rows).toEqual([
    {
      ...{ price: 1, rating: 4.5, observed_at: seen, availability: 'In stock' },
      ...{ source: 'A feed that is watched', handed_in_by: 'source A feed that is watched', imports: 2 },
    },
  ])
  expect((await waiting(source)).total).toBe(0)
})

test('a rule that is trusted holds nothing of that source any more', async () => {
  const source = await makeSource(databases, { trusted_rules: ['price_low'] })
  const [asin = ''] = nextAsins(1)
  await poll(
    source,
    rowsOf([asin], () => 100),
  )
  expect(
    await poll(
      source,
      rowsOf([asin], () => 1),
    ),
  ).toMatchObject({ held: 0, updated: 1 })
})

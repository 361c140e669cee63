import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { makeSource, runNow, testSources } from '../../../testing/sources.ts'

const { app, databases, signIn } = await buildTestApp()
const { headers } = await signIn('admin')
const get = async (url: string) => {
  const { statusCode, body } = await app.inject({ url, headers })
  return `${statusCode} ${body}`
}

// A word that is in nothing else: whoever shows it shows what waits.
const [known, unknown, word] = [nextAsin(), nextAsin(), 'quagmirelamp']
const row = (asin: string, price: number, title: string, original_price = 100) => ({
  ...{ asin, price, title, original_price, availability: 'In stock', brand: word, category: word },
})
const plain = { asin: known, price: 50, title: 'Garden lamp with three arms', availability: 'In stock' }

test('nobody sees anything of what waits, wherever they look', async () => {
  let rows: object[] = [plain]
  let document = { isWhole: false, listsAll: false }
  const deps = testSources(databases, async (context) => {
    await context.hand({ body: rows, ...document })
    return { state: 'done' }
  })
  const source = await makeSource(databases)
  await runNow(deps, source)
  const tables = async () => {
    const { rows: found } = await databases.customPlanPool.query(
      `select (select json_agg(d order by id) from deals d) as deals, (select json_agg(p order by seen_at) from price_points p) as points,
         (select json_agg(e order by revision) from feed_events e) as events, (select json_agg(c order by id) from deal_changes c) as changes,
         (select revision from feed_state) as revision, (select count(*) from title_words where word like '%quag%') as words`,
    )
    return found[0]
  }
  const { rows: deals } = await databases.customPlanPool.query('select id from deals where asin = $1', [
    known,
  ])
  const pages = async () =>
    Promise.all(
      [
        '/api/products',
        `/api/products?q=${word}`,
        '/api/products?sort=price&max_price=5',
        ...['/api/products/count', '/api/products/stats', `/api/products/by-asin/${unknown}`],
        ...['/api/query/suggestions?field=brand', '/api/query/suggestions?field=category&prefix=quag'],
        `/api/products/${deals[0].id}`,
        `/api/products/${deals[0].id}/prices`,
      ].map(get),
    )
  const shown = await pages()
  const before = [await tables(), shown]
  const statuses = shown.map((page) => page.slice(0, 3))
  expect(statuses).toEqual(statuses.map((_, at) => (at === 5 ? '404' : '200')))
  rows = [row(known, 1, `${word} of gold plated marble`), row(unknown, 1, `${word} on offer`)]
  expect(await runNow(deps, source)).toMatchObject({ held: 2, created: 0, updated: 0 })
  expect([await tables(), await pages()]).toEqual(before)
  // Of other shops nothing is odd but that.
  const elsewhere = [
    { ...row(known, 49, `Garden lamp ${word}`), currency: 'EUR' },
    { ...row(unknown, 49, `${word} on offer`), marketplace: 'amazon.de' },
  ]
  for (const listsAll of [false, true]) {
    rows = listsAll ? [...elsewhere, plain] : elsewhere
    document = { isWhole: true, listsAll }
    expect(await runNow(deps, source)).toMatchObject({ created: 0, updated: 0, rejected: 0, ended: 0 })
    expect([await tables(), await pages()]).toEqual(before)
  }
  expect(await get('/api/quarantine')).toContain(word)
})

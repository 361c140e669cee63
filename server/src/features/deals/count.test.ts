import { mostCounted } from '@dealdeck/contract/deals'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { plain } from '../../../testing/asked-deals.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { countDeals, listDeals } from './queries.ts'

let testApp: TestApp
let user: SignedIn

beforeAll(async () => {
  testApp = await buildTestApp()
  user = await testApp.signIn('user')
  const { databases } = testApp
  await makeDeal(databases, { title: 'blue kettle', price: 5, original_price: 10, rating: 4.5 })
  await makeDeal(databases, { title: 'blue mug', price: 30, prime_eligible: true })
  await makeDeal(databases, { title: 'red mug', price: 31, availability: null })
})

async function count(query: string) {
  const { app } = testApp
  const answer = await app.inject({ url: `/api/products/count${query}`, headers: user.headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

test('counts the visible deals that meet the conditions a list has', async () => {
  for (const [query, expected] of [
    ['', 2],
    ['?max_price=30', 2],
    ['?max_price=29.99', 1],
    ['?prime_only=true', 1],
    ['?min_discount=50', 1],
    ['?min_discount=51', 0],
    ['?min_rating=4.5&discounted_only=true', 1],
    ['?search=BLUE', 2],
    ['?search=mug', 1],
    ['?search=ug', 1],
    ['?search=nowhere%20to%20be%20found', 0],
    ['?search=mug&prime_only=true&today=true&time_zone=Asia/Kathmandu', 1],
    ['?max_price=5&min_price=30', 0],
  ] as const)
    expect(await count(query), query).toEqual({ count: expected, has_more: false })
})

test('a list asks for no sort, no page and no hidden deals when it is counted', async () => {
  const { app } = testApp
  for (const query of ['sort=price', 'limit=5', 'include_hidden=true', 'ids=1']) {
    const answer = await app.inject({ url: `/api/products/count?${query}`, headers: user.headers })
    expect(answer.statusCode, query).toBe(400)
  }
})

test('is answered from memory until the feed changes', async () => {
  const { app } = testApp
  const ask = (tag = '') =>
    app.inject({ url: '/api/products/count?max_price=7', headers: { ...user.headers, 'if-none-match': tag } })
  const first = await ask()
  expect([first.statusCode, (await ask(String(first.headers.etag))).statusCode]).toEqual([200, 304])
})

test('counts no further than a screen says', async () => {
  const { databases } = await buildTestApp()
  const query = { sort: 'newest', search: '', prime_only: false, limit: 1 } as const
  const fill = `insert into deals (asin, title, title_folded, price, product_url, availability)
    select 'B0' || lpad(n::text, 8, '0'), 'a lantern', 'a lantern', 5, 'https://www.amazon.com/', 'In stock'
    from generate_series($1::int, $2::int) n`
  await databases.durablePool.query(fill, [1, mostCounted])
  for (const search of ['', 'lantern', 'an'])
    expect(await countDeals(databases.customPlanPool, { ...query, search })).toEqual({
      count: mostCounted,
      has_more: false,
    })
  await databases.durablePool.query(fill, [mostCounted + 1, mostCounted + 5])
  for (const search of ['', 'lantern', 'an'])
    expect(await countDeals(databases.customPlanPool, { ...query, search })).toEqual({
      count: mostCounted,
      has_more: true,
    })
})

test('prices that stand the wrong way round are met by nothing, and no database is asked', async () => {
  const { databases } = testApp
  const asked = vi.spyOn(databases.customPlanPool, 'connect')
  onTestFinished(() => asked.mockRestore())
  const query = { ...plain, min_price: 30, max_price: 5 }
  const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
  expect(JSON.parse(await listDeals(databases, query, shop))).toEqual({ items: [], next_cursor: null })
  expect(await countDeals(databases.customPlanPool, query)).toEqual({ count: 0, has_more: false })
  expect(asked).not.toHaveBeenCalled()
  const url = '/api/products?q=price:%3E%3D30+price:%3C5'
  expect((await testApp.app.inject({ url, headers: user.headers })).json()).toMatchObject({ items: [] })
})

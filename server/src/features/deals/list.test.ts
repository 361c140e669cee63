import type { Deal } from '@dealdeck/contract/deals'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'

let testApp: TestApp
let user: SignedIn
let admin: SignedIn

beforeAll(async () => {
  testApp = await buildTestApp()
  user = await testApp.signIn('user')
  admin = await testApp.signIn('admin')
})

async function get(query: string, who: SignedIn = user) {
  return testApp.app.inject({ url: `/api/products${query}`, headers: who.headers })
}

async function titles(query: string, who?: SignedIn): Promise<string[]> {
  const answer = await get(query, who)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ items: Deal[] }>().items.map((deal) => deal.title)
}

describe('a page', () => {
  test('walks every sort to its end without repeating or skipping while others arrive', async () => {
    const { databases } = testApp
    for (let n = 0; n < 30; n += 1) {
      await makeDeal(databases, {
        title: `walk ${n}`,
        price: 1 + (n % 5),
        original_price: n % 3 === 0 ? null : 10,
        // Equal times and prices on purpose: the id must break the tie.
        first_seen: new Date(Date.UTC(2026, 1, 1 + (n % 4))),
        last_updated: new Date(Date.UTC(2026, 1, 5 + (n % 4))),
        discord_timestamp: n % 2 === 0 ? null : new Date(Date.UTC(2026, 2, n)),
      })
    }
    for (const sort of ['newest', 'discount', 'price', 'discord', 'updated']) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const answer = await get(
          `?sort=${sort}&search=walk&limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        const page = answer.json<{ items: Deal[]; next_cursor: string | null }>()
        seen.push(...page.items.map((deal) => deal.title))
        cursor = page.next_cursor
        await makeDeal(databases, { title: `late ${sort} ${seen.length}` })
      }
      expect(seen.length, sort).toBe(30)
      expect(new Set(seen).size, sort).toBe(30)
    }
  })

  test('what changed last comes first where that is asked for, whenever it was first seen', async () => {
    const { databases } = testApp
    for (const [title, day] of Object.entries({ earlier: 2, latest: 3, earliest: 1 }))
      await makeDeal(databases, { title: `change ${title}`, last_updated: new Date(Date.UTC(2026, 3, day)) })
    const inOrder = ['change latest', 'change earlier', 'change earliest']
    expect(await titles('?search=change&sort=updated')).toEqual(inOrder)
    expect(await titles('?search=change&sort=updated&max_price=1000000')).toEqual(inOrder)
    expect(await titles('?search=change')).not.toEqual(inOrder)
  })

  test('orders by discount, price and discord time, those without one last', async () => {
    const { databases } = testApp
    await makeDeal(databases, { title: 'order a', price: 5, original_price: 10 })
    await makeDeal(databases, {
      title: 'order b',
      price: 1,
      original_price: null,
      discord_timestamp: '2026-01-02T00:00:00Z',
    })
    await makeDeal(databases, {
      title: 'order c',
      price: 3,
      original_price: 4,
      discord_timestamp: '2026-01-01T00:00:00Z',
    })
    expect(await titles('?search=order&sort=discount')).toEqual(['order a', 'order c', 'order b'])
    expect(await titles('?search=order&sort=price')).toEqual(['order b', 'order c', 'order a'])
    expect(await titles('?search=order&sort=discord')).toEqual(['order b', 'order c', 'order a'])
    expect(await titles('?search=order')).toEqual(['order c', 'order b', 'order a'])
  })

  test('has prices as numbers, times in UTC, and a discount only from a higher original price', async () => {
    await makeDeal(testApp.databases, {
      title: 'shape one',
      price: 7.5,
      original_price: 30,
      asin: 'B0SHAPE001',
    })
    await makeDeal(testApp.databases, { title: 'shape two', price: 9, original_price: 9 })
    await makeDeal(testApp.databases, { title: 'shape three', price: 1, original_price: 3 })
    const { items } = (await get('?search=shape')).json<{ items: Deal[] }>()
    expect(items.map((deal) => deal.discount_percentage)).toEqual([67, null, 75])
    expect(items[2]).toMatchObject({
      price: 7.5,
      product_url: 'https://www.amazon.com/dp/B0SHAPE001',
      is_sample: false,
    })
    expect(items[2]?.first_seen).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
    expect(items[2]).not.toHaveProperty('cursor_key')
  })
})

describe('filters', () => {
  test('keep to prices, prime and the search text, hiding what is not available', async () => {
    const { databases } = testApp
    await makeDeal(databases, { title: 'filter cheap', price: 2 })
    await makeDeal(databases, { title: 'filter prime', price: 12, prime_eligible: true })
    await makeDeal(databases, { title: 'filter gone', price: 3, availability: null })
    expect(await titles('?search=filter&max_price=5')).toEqual(['filter cheap'])
    expect(await titles('?search=filter&min_price=2.01')).toEqual(['filter prime'])
    expect(await titles('?search=filter&prime_only=true')).toEqual(['filter prime'])
    expect(await titles('?search=filter&include_hidden=true', admin)).toContain('filter gone')
    expect((await get('?include_hidden=true')).statusCode).toBe(403)
  })

  test('keep to a least discount, a least rating and discounted deals, both bounds included', async () => {
    const { databases } = testApp
    await makeDeal(databases, { title: 'cut half', price: 5, original_price: 10, rating: 4.5 })
    await makeDeal(databases, { title: 'cut little', price: 99, original_price: 100, rating: 4.4 })
    // Rounds to nothing, and is below its original price all the same.
    await makeDeal(databases, { title: 'cut hair', price: 999, original_price: 1000, rating: null })
    await makeDeal(databases, { title: 'cut none', price: 5, original_price: null, rating: 5 })
    await makeDeal(databases, { title: 'cut dearer', price: 5, original_price: 4, rating: 0 })
    const found = async (query: string) => (await titles(`?search=cut&${query}`)).sort()
    expect(await found('min_discount=50')).toEqual(['cut half'])
    expect(await found('min_discount=51')).toEqual([])
    expect(await found('min_discount=1')).toEqual(['cut half', 'cut little'])
    expect(await found('min_discount=0')).toEqual(['cut hair', 'cut half', 'cut little'])
    expect(await found('discounted_only=true')).toEqual(['cut hair', 'cut half', 'cut little'])
    expect(await found('discounted_only=true&min_discount=50')).toEqual(['cut half'])
    expect(await found('min_rating=4.5')).toEqual(['cut half', 'cut none'])
    expect(await found('min_rating=5')).toEqual(['cut none'])
    expect(await found('min_rating=0')).toEqual(['cut dearer', 'cut half', 'cut little', 'cut none'])
    for (const sort of ['newest', 'discount', 'price', 'discord'])
      expect(await found(`min_discount=1&min_rating=4.4&sort=${sort}`)).toEqual(['cut half', 'cut little'])
  })

  test('search is a case-insensitive substring in any script, with %, _ and \\ as themselves', async () => {
    const { databases } = testApp
    for (const title of ['100% Wool_Mix \\ ÄRMEL', 'रसोई स्केल', 'ПОДУШКА для кота', '100 Wool Mix']) {
      await makeDeal(databases, { title })
    }
    expect(await titles(`?search=${encodeURIComponent('100% wool')}`)).toEqual(['100% Wool_Mix \\ ÄRMEL'])
    expect(await titles(`?search=${encodeURIComponent('wool_m')}`)).toEqual(['100% Wool_Mix \\ ÄRMEL'])
    expect(await titles(`?search=${encodeURIComponent('\\ ärm')}`)).toEqual(['100% Wool_Mix \\ ÄRMEL'])
    expect(await titles(`?search=${encodeURIComponent('सोई')}`)).toEqual(['रसोई स्केल'])
    expect(await titles(`?search=${encodeURIComponent('подуш')}`)).toEqual(['ПОДУШКА для кота'])
  })

  test('today begins at midnight where the user is', async () => {
    const now = new Date('2026-03-10T20:00:00Z')
    const { app, databases, signIn } = await buildTestApp({ clock: () => now })
    const { headers } = await signIn('user')
    await makeDeal(databases, { title: 'kathmandu morning', first_seen: '2026-03-10T18:20:00Z' })
    await makeDeal(databases, { title: 'utc morning', first_seen: '2026-03-10T00:05:00Z' })
    const today = async (zone: string) => {
      const answer = await app.inject({ url: `/api/products?today=true&time_zone=${zone}`, headers })
      return answer.json<{ items: Deal[] }>().items.map((deal) => deal.title)
    }
    expect(await today('Asia/Kathmandu')).toEqual(['kathmandu morning'])
    expect(await today('UTC')).toEqual(['kathmandu morning', 'utc morning'])
  })

  test('the last 24 hours count from the last change, not from when a deal came', async () => {
    const now = new Date('2026-03-10T20:00:00Z')
    const { app, databases, signIn } = await buildTestApp({ clock: () => now })
    const { headers } = await signIn('user')
    const first_seen = '2026-01-01T00:00:00Z'
    for (const [title, last_updated] of [
      ['a day ago', '2026-03-09T20:00:00Z'],
      ['a minute more', '2026-03-09T19:59:00Z'],
      ['now', '2026-03-10T19:59:59Z'],
    ])
      await makeDeal(databases, { title, first_seen, last_updated })
    const answer = await app.inject({ url: '/api/products?last_24_hours=true', headers })
    const found = answer.json<{ items: Deal[] }>().items.map((deal) => deal.title)
    expect(found.sort()).toEqual(['a day ago', 'now'])
  })
})

describe('bad input', () => {
  test.each([
    ['?sort=cheapest', 'sort'],
    ['?max_price=abc', 'max_price'],
    ['?min_price=-1', 'min_price'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?prime_only=maybe', 'prime_only'],
    ['?min_discount=-1', 'min_discount'],
    ['?min_discount=101', 'min_discount'],
    ['?min_discount=12.5', 'min_discount'],
    ['?min_rating=5.1', 'min_rating'],
    ['?min_rating=4.25', 'min_rating'],
    ['?min_rating=good', 'min_rating'],
    ['?discounted_only=2', 'discounted_only'],
    ['/count?min_rating=6', 'min_rating'],
    ['/count?today=perhaps', 'today'],
    ['?cursor=nonsense', 'cursor'],
    [`?cursor=${Buffer.from('["newest","2026-13-99 00:00:00+00",5]').toString('base64url')}`, 'cursor'],
    [
      `?sort=price&cursor=${Buffer.from('["newest","2026-01-09 00:00:00+00",5]').toString('base64url')}`,
      'cursor',
    ],
    ['?time_zone=Mars/Base', 'time_zone'],
  ])('%s names the field', async (query, field) => {
    const answer = await get(query)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'INVALID_INPUT', fields: { [field]: expect.any(String) } })
  })
})

describe('stats, one deal and its prices', () => {
  test('stats count visible deals only', async () => {
    const { app, databases, signIn } = await buildTestApp()
    const { headers } = await signIn('user')
    const read = async () => (await app.inject({ url: '/api/products/stats', headers })).json()
    expect(await read()).toEqual({
      total_deals: 0,
      prime_eligible: 0,
      with_discounts: 0,
      average_price: null,
      sample_deals: 0,
    })
    await makeDeal(databases, { price: 1, prime_eligible: true })
    await makeDeal(databases, { price: 2.01, original_price: 4 })
    await makeDeal(databases, { price: 900, availability: null })
    // Written behind the application's back, so only the next revision makes it look again.
    for (const tell of databases.onRevision) tell(1)
    expect(await read()).toMatchObject({
      total_deals: 2,
      prime_eligible: 1,
      with_discounts: 1,
      average_price: 1.51,
    })
  })

  test('a hidden deal does not exist for a user and does for an administrator', async () => {
    const deal = await makeDeal(testApp.databases, { availability: null })
    const read = (who: SignedIn, path = '') =>
      testApp.app.inject({ url: `/api/products/${deal.id}${path}`, headers: who.headers })
    expect((await read(user)).statusCode).toBe(404)
    expect((await read(user, '/prices')).statusCode).toBe(404)
    expect((await read(admin)).statusCode).toBe(200)
    expect((await read(admin, '/prices')).json()).toEqual([])
  })
})

describe('the same page again', () => {
  test('is answered with 304 until the feed changes', async () => {
    const first = await get('?sort=price')
    const again = await testApp.app.inject({
      url: '/api/products?sort=price',
      headers: { ...user.headers, 'if-none-match': String(first.headers.etag) },
    })
    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 304, ''])
  })

  test('is another once links carry another tag', async () => {
    const { databases } = testApp
    const other = await buildTestApp({ databases, settings: { AFFILIATE_TAG: 'group-21' } })
    const ask = async ({ app }: TestApp) =>
      (await app.inject({ url: '/api/products', headers: user.headers })).headers.etag
    expect(await ask(other)).not.toBe(await ask(testApp))
  })

  test('is packed in one way, once; whoever names another gets it as it is', async () => {
    for (let n = 0; n < 10; n += 1) await makeDeal(testApp.databases)
    const ask = async (encoding: string) => {
      const headers = { ...user.headers, 'accept-encoding': encoding }
      return (await testApp.app.inject({ url: '/api/products', headers })).headers['content-encoding']
    }
    expect([await ask('gzip, br'), await ask('br')]).toEqual(['gzip', undefined])
  })
})

import { parseFeed } from '@rowanmanning/feed-parser'
import { parseJsonFeed } from 'feedsmith'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { addWord } from '../blacklist/actions.ts'
import { removeUser, updateUser } from '../users/actions.ts'

const settings = { PUBLIC_URL: 'https://deals.example.org' }
const { app, databases, signIn } = await buildTestApp({ settings })
const started = Math.floor(Date.now() / 1000) * 1000
let admin: SignedIn
beforeAll(async () => {
  admin = browser(await signIn('admin'))
})

/** As a browser that comes by https. */
function browser(who: SignedIn): SignedIn {
  const { cookie } = who.headers
  const secure = cookie.replace('dealdeck_session', '__Host-dealdeck_session')
  return {
    ...who,
    headers: { host: 'deals.example.org', origin: 'https://deals.example.org', cookie: secure },
  }
}
const member = async () => browser(await signIn('user'))

async function call(
  who: SignedIn,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  const answer = await app.inject({ method, url, headers: who.headers, ...(payload && { payload }) })
  return answer.body === '' ? null : answer.json()
}

async function hand(...rows: object[]): Promise<string[]> {
  const payload = rows.map((row) => ({ asin: nextAsin(), availability: 'In stock', ...row }))
  expect(await call(admin, 'POST', '/api/products/import', payload)).toMatchObject({ rejected: [] })
  return payload.map(({ asin }) => asin)
}

async function makeFeed(who: SignedIn, q: string, kind: 'deals' | 'events' = 'deals', more: object = {}) {
  const search = await call(who, 'POST', '/api/searches', { name: 'Finds & <more>', q, ...more })
  const feed = await call(who, 'POST', `/api/searches/${search.id}/feeds`, { kind })
  return { search, feed, path: new URL(feed.url).pathname }
}
const daysAgo = (days: number) => new Date(started - days * 86_400_000).toISOString()
const read = (path: string, headers: object = {}) =>
  app.inject({ url: path, headers: { host: 'deals.example.org', ...headers } })
async function entries(path: string) {
  const { items } = parseFeed((await read(`${path}.atom`)).body)
  return items.map(({ id, title }) => ({ id, title }))
}

test('a feed says the same in three formats, which parsers read back', async () => {
  const who = await member()
  const title = 'Märchen lamp & "co" \u000b]]> 机 🎁 O’Neil'
  const [asin] = await hand({
    ...{ title, price: 19.99, original_price: 40, brand: 'A & B', category: 'Home > Lamps', rating: 4.5 },
    ...{ review_count: 1234, prime_eligible: true, image_url: 'https://img.example/i.jpg?a=1&b=2' },
  })
  const { search, feed, path } = await makeFeed(who, 'märchen price:<30')
  expect(feed).toEqual({
    ...{ id: expect.any(Number), kind: 'deals', created_at: expect.any(String), last_used_at: null },
    url: expect.stringMatching(/^https:\/\/deals\.example\.org\/feeds\/[\w-]{43}$/),
  })
  const [atom, rss, json] = await Promise.all(
    ['atom', 'rss', 'json'].map((format) => read(`${path}.${format}`)),
  )
  expect([atom, rss, json].map((answer) => [answer?.statusCode, answer?.headers['content-type']])).toEqual([
    [200, 'application/atom+xml; charset=utf-8'],
    [200, 'application/rss+xml; charset=utf-8'],
    [200, 'application/feed+json; charset=utf-8'],
  ])
  const shown = title.replace('\u000b', '').replace(/\s+/g, ' ')
  const item = {
    id: expect.stringMatching(/^tag:dealdeck,2026:[\da-f-]{36}\/deal\/\d+$/),
    title: `$19.99, 50 % off: ${shown}`,
    url: `https://www.amazon.com/dp/${asin}`,
  }
  const about = {
    ...{ title: 'Finds & <more>', description: expect.stringContaining('under $30.00') },
    url: 'https://deals.example.org/amazon-haul?q=m%C3%A4rchen+price%3A%3C30',
  }
  for (const text of [atom?.body ?? '', rss?.body ?? '']) {
    const parsed = parseFeed(text).toJSON()
    expect(parsed).toMatchObject({ ...about, items: [item] })
    expect(Date.parse(String(parsed.items[0]?.published))).toBeGreaterThan(Date.now() - 600_000)
    expect(parsed.items[0]?.content ?? parsed.items[0]?.description).toContain(
      '<img src="https://img.example/i.jpg?',
    )
    expect(parsed.items[0]?.categories.map(({ term }) => term)).toEqual(['A & B', 'Home', 'Lamps'])
  }
  const parsed = parseJsonFeed(JSON.parse(json?.body ?? ''))
  expect(parsed).toMatchObject({ title: about.title, home_page_url: about.url, items: [item] })
  expect(JSON.parse(json?.body ?? '')).toMatchObject({
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ tags: ['A & B', 'Home', 'Lamps'], content_html: expect.stringContaining('4.5 (1,234)') }],
  })
  // The secret stands nowhere in what a reader may pass on.
  for (const answer of [atom, rss, json]) expect(answer?.body).not.toContain(path.slice(7))
  const [listed] = await call(who, 'GET', `/api/searches/${search.id}/feeds`)
  expect([listed.last_used_at === null, listed.url]).toEqual([false, undefined])
})

test('the page of a feed shows what the feed does, whatever its reader’s own highest price', async () => {
  const { path } = await makeFeed(await member(), 'viola')
  const { home_page_url: home } = JSON.parse((await read(`${path}.json`)).body)
  expect(home).toBe('https://deals.example.org/amazon-haul?q=price%3Aany+viola')
})

test('an entry of a deal stays the same one when its price changes', async () => {
  const { path } = await makeFeed(await member(), 'samovar')
  const [asin] = await hand({ title: 'Samovar', price: 30 })
  const before = await entries(path)
  await hand({ asin, title: 'Samovar', price: 20, observed_at: new Date(Date.now() + 1_000).toISOString() })
  const after = await entries(path)
  expect(before).toMatchObject([{ title: '$30.00: Samovar' }])
  expect(after).toEqual([{ id: before[0]?.id, title: '$20.00: Samovar' }])
})

test('a feed of events has an entry for each price that is lower than all before, and no other', async () => {
  const { path } = await makeFeed(await member(), 'balalaika', 'events')
  const [asin, other] = await hand({ title: 'Balalaika', price: 30 }, { title: 'Small balalaika', price: 5 })
  expect(await entries(path)).toEqual([])
  for (const [at, price] of [25, 28, 25, 24.5].entries())
    await hand({
      ...{ asin, title: 'Balalaika', price },
      observed_at: new Date(Date.now() + (at + 1) * 60_000).toISOString(),
    })
  await hand({
    asin: other,
    title: 'Small balalaika',
    price: 6,
    observed_at: new Date(Date.now() + 60_000).toISOString(),
  })
  const later = new Date(Date.now() + 600_000).toISOString()
  await hand({ asin: other, title: 'Small balalaika', price: 1, observed_at: later, availability: '' })
  await hand({ asin, title: 'Balalaika', price: 2, observed_at: later })
  await databases.durablePool.query('update price_points set is_wrong = true where price = 2')
  const found = await entries(path)
  expect(found.map(({ title }) => title)).toEqual([
    '$24.50, never lower (before $25.00): Balalaika',
    '$25.00, never lower (before $30.00): Balalaika',
  ])
  expect(new Set(found.map(({ id }) => id)).size).toBe(2)
})

test('an entry is updated when its price changes, not when the same one is seen again after a silence or a gap', async () => {
  const { path } = await makeFeed(await member(), 'ocarina')
  const [asin] = await hand({ title: 'Ocarina', price: 30, observed_at: daysAgo(20) })
  await hand({ asin, title: 'Ocarina', price: 20, observed_at: daysAgo(15) })
  await hand({ asin, title: 'Ocarina', price: 20, observed_at: daysAgo(9) })
  await hand({ asin, title: 'Ocarina', price: 20, observed_at: daysAgo(8), availability: '' })
  await hand({ asin, title: 'Ocarina', price: 20, observed_at: daysAgo(7) })
  const { items } = parseFeed((await read(`${path}.atom`)).body)
  expect(items[0]?.updated?.toISOString()).toBe(daysAgo(15))
})

test('a price far from the others that was seen once is no event, as it is no low, until it is seen again', async () => {
  const { path } = await makeFeed(await member(), 'theremin', 'events')
  const days = Array.from({ length: 20 }, (_, day) => ({ price: 30, observed_at: daysAgo(30 - day) }))
  const at = daysAgo(9.9)
  const rows = [...days, { price: 4, observed_at: at }, { price: 30, observed_at: daysAgo(9.8) }]
  const asin = nextAsin()
  await hand(...rows.map((row) => ({ asin, title: 'Theremin', ...row })))
  expect(await entries(path)).toEqual([])
  await hand({ asin, title: 'Theremin', price: 4, observed_at: daysAgo(5) })
  expect((await entries(path)).map(({ title }) => title)).toEqual([
    '$4.00, never lower (before $30.00): Theremin',
  ])
})

test('who has it is answered 304 without a search, until something changes', async () => {
  const who = await member()
  const { search, path } = await makeFeed(who, 'lute')
  const first = await read(`${path}.rss`)
  expect(first.headers).toMatchObject({
    ...{
      'cache-control': 'private, max-age=300',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    },
  })
  const bare = await read(path)
  expect([bare.statusCode, bare.json().message]).toEqual([
    404,
    expect.stringContaining('.atom, .rss or .json'),
  ])
  const headers = { 'if-none-match': String(first.headers.etag) }
  const again = await read(`${path}.rss`, headers)
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', first.headers.etag])
  // Another format is another text.
  expect((await read(`${path}.atom`, headers)).statusCode).toBe(200)
  await hand({ title: 'Lute', price: 30 })
  await expect.poll(async () => (await read(`${path}.rss`, headers)).statusCode).toBe(200)
  const { etag } = (await read(`${path}.rss`)).headers
  await call(who, 'PATCH', `/api/searches/${search.id}`, { name: 'Other' })
  expect((await read(`${path}.rss`, { 'if-none-match': String(etag) })).statusCode).toBe(200)
  // Nor do links to another shop, or with another tag, stay what they were.
  const known = String((await read(`${path}.rss`)).headers.etag)
  for (const [shop, status] of [
    [{}, 304],
    [{ AFFILIATE_TAG: 'other-20' }, 200],
    [{ MARKETPLACE: 'amazon.co.uk' }, 200],
  ] as const) {
    const { app: restarted } = await buildTestApp({ databases, settings: { ...settings, ...shop } })
    const url = `${path}.rss`
    const asked = { host: 'deals.example.org', 'if-none-match': known }
    const ask = () => restarted.inject({ url, headers: asked })
    // A process that has just started doesn't know yet what is shown.
    await expect.poll(async () => (await ask()).headers.etag).toBeDefined()
    expect((await ask()).statusCode).toBe(status)
  }
})

test('a feed is answered 60 times an hour, then told when to come again, by any process', async () => {
  const { path } = await makeFeed(await member(), 'zither')
  const other = await makeFeed(await member(), 'zither')
  for (let at = 0; at < 60; at += 1) expect((await read(`${path}.json`)).statusCode).toBe(200)
  const { app: second } = await buildTestApp({ databases, settings })
  for (const process of [app, second]) {
    const refused = await process.inject({ url: `${path}.json`, headers: { host: 'deals.example.org' } })
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500)
  }
  expect((await read(`${other.path}.json`)).statusCode).toBe(200)
  await databases.durablePool.query(
    "update search_feeds set hour_began_at = hour_began_at - interval '61 minutes'",
  )
  expect((await read(`${path}.json`)).statusCode).toBe(200)
})

test('an address is gone at once when it is revoked, its search removed or unshared, or its member shut out', async () => {
  const who = await member()
  const gone = async (path: string) => (await read(`${path}.atom`)).statusCode === 404
  const revoked = await makeFeed(who, 'lyre')
  expect(await gone(revoked.path)).toBe(false)
  const stranger = await member()
  const address = `/api/searches/${revoked.search.id}/feeds/${revoked.feed.id}`
  expect((await app.inject({ method: 'DELETE', url: address, headers: stranger.headers })).statusCode).toBe(
    404,
  )
  await call(who, 'DELETE', address)
  expect(await gone(revoked.path)).toBe(true)

  const removed = await makeFeed(who, 'lyre')
  await call(who, 'DELETE', `/api/searches/${removed.search.id}`)
  expect(await gone(removed.path)).toBe(true)
  await call(who, 'POST', `/api/searches/${removed.search.id}/restore`)
  expect(await gone(removed.path)).toBe(false)

  const shared = await makeFeed(who, 'lyre', 'deals', { is_shared: true })
  const { url } = await call(stranger, 'POST', `/api/searches/${shared.search.id}/feeds`, { kind: 'deals' })
  const path = new URL(url).pathname
  expect(await gone(path)).toBe(false)
  await call(who, 'PATCH', `/api/searches/${shared.search.id}`, { is_shared: false })
  expect([await gone(path), await gone(shared.path)]).toEqual([true, false])

  await updateUser(databases, admin.user, who.user.id, { is_active: false })
  expect(await gone(shared.path)).toBe(true)
  await updateUser(databases, admin.user, who.user.id, { is_active: true })
  expect(await gone(shared.path)).toBe(false)
  await removeUser(databases, admin.user, who.user.id)
  expect(await gone(shared.path)).toBe(true)
  for (const made of ['x', 'a'.repeat(43), `${shared.path.slice(7)}x`])
    expect((await read(`/feeds/${made}.atom`)).statusCode).toBe(404)
  expect((await read(`${path}.pdf`)).statusCode).toBe(404)
})

test('no feed tells of a hidden deal, not even an administrator’s', async () => {
  await hand({ title: 'Psaltery', price: 30 }, { title: 'Psaltery with toupee', price: 30 })
  const { path } = await makeFeed(admin, 'psaltery')
  const all = await makeFeed(admin, 'psaltery is:hidden')
  const rest = await makeFeed(admin, 'psaltery -is:hidden')
  const events = await makeFeed(admin, 'psaltery', 'events')
  expect(await entries(path)).toHaveLength(2)
  await addWord(databases, 'toupee')
  expect((await entries(path)).map(({ title }) => title)).toEqual(['$30.00: Psaltery'])
  for (const feed of [all, rest, events]) expect(await entries(feed.path)).toEqual([])
})

test('the log never has the secret of a feed', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const { app: logging } = await buildTestApp({ databases, settings, log })
  const { path } = await makeFeed(await member(), 'dulcimer')
  const headers = { host: 'deals.example.org' }
  await databases.durablePool.query('update search_feeds set requests_in_hour = 60, hour_began_at = now()')
  expect((await logging.inject({ url: `${path}.atom`, headers })).statusCode).toBe(429)
  await databases.durablePool.query('alter table search_feeds rename to search_feeds_away')
  expect((await logging.inject({ url: `${path}.atom`, headers })).statusCode).toBeGreaterThan(499)
  await databases.durablePool.query('alter table search_feeds_away rename to search_feeds')
  await logging.inject({ url: `${path}.atom`, headers: { ...headers, host: 'elsewhere.example' } })
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.join()).not.toContain(path.slice(7))
})

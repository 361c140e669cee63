import { beforeAll, expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { nextAsin } from '../../../testing/factories.ts'

const clock = () => new Date('2026-06-01T12:00:00Z')
const { app, databases, signIn } = await buildTestApp({ clock })
let admin: SignedIn
let user: SignedIn
beforeAll(async () => {
  admin = await signIn('admin')
  user = await signIn('user')
})

async function call(who: SignedIn, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) {
  const answer = await app.inject({ method, url, headers: who.headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json() }
}
const get = async (url: string, who = user) => (await call(who, 'GET', url)).body

/** A deal seen at each price on that day of May, at eight. */
async function seen(sights: [day: number, price: number, more?: object][], asin = nextAsin()) {
  const rows = sights.map(([day, price, more]) => ({
    ...{ asin, title: 'Copper kettle', price, availability: 'In stock', ...more },
    observed_at: `2026-05-${String(day).padStart(2, '0')}T08:00:00Z`,
  }))
  const { body } = await call(admin, 'POST', '/api/products/import?file=kettles.csv', rows)
  expect(body).toMatchObject({ rejected: [] })
  const { rows: found } = await databases.customPlanPool.query('select id from deals where asin = $1', [asin])
  return { id: Number(found[0].id), asin }
}
const daily = (from: number, to: number, price: number) =>
  Array.from({ length: to - from + 1 }, (_, at): [number, number] => [from + at, price])

test('the points of a deal say how long they held, where they came from, and where it was not offered', async () => {
  const { id } = await seen([
    [1, 20],
    [2, 20],
    [3, 20, { availability: '' }],
    [5, 18],
  ])
  const points = await get(`/api/products/${id}/prices`)
  const point = (price: number | null, from: string, until: string) => ({
    ...{ price, original_price: null, is_suspect: false, is_wrong: false },
    seen_at: `2026-05-${from}T08:00:00.000000Z`,
    confirmed_until: `2026-05-${until}T08:00:00.000000Z`,
    origin: { import_id: expect.any(Number), source: 'an import' },
  })
  expect(points).toEqual([point(20, '01', '02'), point(null, '03', '03'), point(18, '05', '05')])
})

test('a deal can be asked for by its ASIN', async () => {
  const { id, asin } = await seen([[1, 20]])
  expect(await get(`/api/products/by-asin/${asin}`)).toMatchObject({ id, asin, price: 20, verdict: null })
  const hidden = await seen([[1, 20, { availability: '' }]])
  for (const path of [`by-asin/${hidden.asin}`, `${hidden.id}/prices`, `${hidden.id}/verdict`]) {
    expect((await call(user, 'GET', `/api/products/${path}`)).status).toBe(404)
    expect((await call(admin, 'GET', `/api/products/${path}`)).status).toBe(200)
  }
  expect((await call(user, 'GET', '/api/products/by-asin/B0NOSUCH00')).status).toBe(404)
})

test('a verdict is of the points as they are, with its evidence', async () => {
  const { id } = await seen([...daily(1, 20, 20), ...daily(21, 31, 15)])
  expect(await get(`/api/products/${id}/verdict`)).toMatchObject({
    ...{ kind: 'good', as_of: '2026-06-01T12:00:00.000Z' },
    figures: { typical: 20, low_90: { price: 15 }, watched_since: '2026-05-01T08:00:00.000Z' },
  })
})

test('a price that an administrator marks as wrong counts for nothing, until that is taken back', async () => {
  const { id, asin } = await seen([...daily(1, 20, 20), [21, 3], [22, 3], ...daily(23, 31, 18)])
  const path = `/api/products/${id}`
  const [before, points] = [await get(`${path}/verdict`), await get(`${path}/prices`)]
  expect(before.figures.low_90).toMatchObject({ price: 3 })
  const mark = (is_wrong: boolean) =>
    call(admin, 'PUT', `${path}/prices/wrong`, { seen_at: points[1].seen_at, is_wrong })
  const marked = await mark(true)
  // Administrators alone are told who handed it in.
  const origin = { ...points[1].origin, source: admin.user.username }
  expect(marked).toEqual({ status: 200, body: { ...points[1], origin, is_suspect: false, is_wrong: true } })
  const after = await get(`${path}/verdict`)
  expect(after.figures.low_90).toMatchObject({ price: 18 })
  // The card has it at once.
  expect(await get(path)).toMatchObject({ verdict: { kind: after.kind, short: after.short } })
  const { items } = await get('/api/audit?kind=price', admin)
  expect(items[0]).toMatchObject({
    ...{ action: 'change', subject: { kind: 'price', id, name: asin } },
    ...{ before: { is_wrong: false, price: 3 }, after: { is_wrong: true, price: 3 } },
  })
  // Said once more it is no change.
  expect(await mark(true)).toEqual(marked)
  expect((await get('/api/audit?kind=price', admin)).items).toEqual(items)
  await mark(false)
  expect(await get(`${path}/verdict`)).toEqual(before)
  expect(await get(`${path}/prices`)).toEqual(points)
  const nothing = { seen_at: '2026-05-01T09:00:00Z', is_wrong: true }
  expect((await call(admin, 'PUT', `${path}/prices/wrong`, nothing)).status).toBe(404)
})

test('a price older than the newest 1,000 can be marked as wrong', async () => {
  const { id } = await seen([[1, 20]])
  await databases.durablePool.query(
    `insert into price_points (deal_id, seen_at, price) select $1, '2026-05-02T00:00:00Z'::timestamptz + n * interval '30 minutes', 10 + n % 2
     from generate_series(1, 1000) as n`,
    [id],
  )
  const mark = { seen_at: '2026-05-01T08:00:00Z', is_wrong: true }
  const answer = await call(admin, 'PUT', `/api/products/${id}/prices/wrong`, mark)
  expect(answer).toMatchObject({ status: 200, body: { price: 20, is_wrong: true } })
})

test('what may not be kept as history is judged by what is shown', async () => {
  const { id, asin } = await seen(daily(1, 31, 20))
  const row = { asin, title: 'Copper kettle', price: 17, availability: 'In stock' }
  await call(admin, 'POST', '/api/products/import?history=none', [row])
  expect((await get(`/api/products/${id}/prices`)).map(({ price }: { price: number }) => price)).toEqual([20])
  expect(await get(`/api/products/${id}/verdict`)).toMatchObject({ figures: { low_30: { price: 17 } } })
})

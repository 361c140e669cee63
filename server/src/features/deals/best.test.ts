import type { Deal } from '@dealdeck/contract/deals'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { verdictColumns } from './writing/verdicts.ts'

/** An application, deals with verdicts by which they have their places, and the titles of all pages of a question. */
async function setUp(settings: { SEARCH_INDEX?: 'on' } = {}) {
  const testApp = await buildTestApp({ settings })
  const { headers } = await testApp.signIn('user')
  const judge = (id: number, best: number | null) => {
    // A text may hold what looks like the name of a figure.
    const verdict = { kind: 'usual', short: 'So "best":1,"id":2', best, sparkline: '' }
    const text = `update deals set ${verdictColumns('$2::text')} where id = $1`
    return testApp.databases.durablePool.query(text, [id, JSON.stringify(verdict)])
  }
  const titles = async (query: string, seen: string[] = [], cursor = ''): Promise<string[]> => {
    const answer = await testApp.app.inject({ url: `/api/products?${query}${cursor}`, headers })
    expect(answer.statusCode, answer.body).toBe(200)
    const { items, next_cursor } = answer.json<{ items: Deal[]; next_cursor: string | null }>()
    seen.push(...items.map(({ title }) => title))
    return next_cursor === null ? seen : titles(query, seen, `&cursor=${next_cursor}`)
  }
  return { ...testApp, judge, titles }
}

test('what is saved for sure comes first, above the typical price behind that, and without a verdict last', async () => {
  const { databases, judge, titles } = await setUp()
  const made = { little: 0.4, most: 12.35, above: -3, early: null, unjudged: undefined }
  for (const [title, best] of Object.entries(made)) {
    const { id } = await makeDeal(databases, { title: `lamp ${title}` })
    if (best !== undefined) await judge(id, best)
  }
  // The newer of two without a figure is before the other one.
  const inOrder = ['most', 'little', 'above', 'unjudged', 'early'].map((name) => `lamp ${name}`)
  for (const query of ['', '&limit=1', '&limit=2', '&search=lamp&limit=2', '&q=lamp', '&q=lamp+sort:price'])
    expect(await titles(`sort=best${query}`), query).toEqual(inOrder)
  expect(await titles('q=sort:best')).toEqual(inOrder)
})

test('pages of one figure are told apart by id', async () => {
  const { databases, judge, titles } = await setUp()
  for (let n = 0; n < 20; n += 1) {
    const { id } = await makeDeal(databases, { title: `lamp ${n}` })
    await judge(id, (n % 3) / 4)
  }
  const seen = await titles('sort=best&limit=3')
  expect(seen).toHaveLength(20)
  expect(new Set(seen).size).toBe(20)
  expect(seen.slice(0, 7)).toEqual(['17', '14', '11', '8', '5', '2', '19'].map((name) => `lamp ${name}`))
})

test('a new price and the verdict that follows move a deal on pages already asked for, in memory and in the database', async () => {
  const { app, signIn, titles } = await setUp({ SEARCH_INDEX: 'on' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { headers } = await signIn('admin')
  const send = async (title: string, from: number, to: number, price: number) => {
    const days = Array.from({ length: from - to + 1 }, (_, at) => from - at)
    const rows = days.map((day) => ({
      ...{ asin: title === 'Kettle' ? 'B0KETTLE01' : 'B0STOOL001', title, price, availability: 'In stock' },
      observed_at: new Date(Date.now() - day * 86_400_000).toISOString(),
    }))
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    const answer = await app.inject({
      ...{ method: 'POST', url: '/api/products/import', body },
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
    })
    expect(answer.statusCode, answer.body).toBe(200)
  }
  const both = async () => [await titles('sort=best'), await titles('sort=best&q=price:any+-tent')]
  const inOrder = (...order: string[]) => expect.poll(both, { timeout: 10_000 }).toEqual([order, order])
  for (const title of ['Kettle', 'Stool']) await send(title, 60, 2, 20)
  await send('Kettle', 1, 1, 17.5)
  await inOrder('Kettle', 'Stool')
  await send('Stool', 0, 0, 17)
  await inOrder('Stool', 'Kettle')
  await send('Stool', 0, 0, 21)
  await inOrder('Kettle', 'Stool')
})

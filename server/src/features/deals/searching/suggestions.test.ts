import type { Suggestions } from '@dealdeck/contract/deals'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp } from '../../../../testing/app.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { type NameCounts, readNames, suggestByCounts } from './suggestions.ts'

const testApp = await buildTestApp()
const user = await testApp.signIn('user')
const admin = await testApp.signIn('admin')

const deal = (values: Parameters<typeof makeDeal>[1]) => makeDeal(testApp.databases, values)
for (const brand of ['Casio', 'Casio', 'casio', 'Casio Edifice', 'Séiko', 'Sony', null]) await deal({ brand })
await deal({ category: 'Clothing > Watches > Wrist Watches' })
await deal({ category: 'Clothing > Watches' })
await deal({ category: 'Electronics > Smartwatches' })
for (let at = 0; at < 10; at++) await deal({ brand: `Maker ${at}` })
await deal({ brand: 'Passing', category: 'Passing > By', title: 'Vanishing lamp' })
await deal({ brand: 'Secret Maker', category: 'Secret > Things', availability: null })

async function suggest(field: string, prefix?: string, who = user): Promise<Suggestions> {
  const query = new URLSearchParams({ field, ...(prefix !== undefined && { prefix }) })
  const answer = await testApp.app.inject({ url: `/api/query/suggestions?${query}`, headers: who.headers })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Suggestions>()
}
const values = async (...asked: Parameters<typeof suggest>) =>
  (await suggest(...asked)).values.map(({ value, count }) => `${value} ${count}`)

test.each([
  ['brand', 'cas', ['Casio 4', 'Casio Edifice 1']],
  ['brand', 'EDI', ['Casio Edifice 1']],
  ['brand', 'se', ['Séiko 1']],
  ['brand', 'SÉ', ['Séiko 1']],
  ['brand', 'io', []],
  ['brand', '%', []],
  ['brand', '\u0000\ud800', []],
  ['category', 'watch', ['Watches 3', 'Wrist Watches 1']],
  ['category', 'clo', ['Clothing 2']],
])('%s: %j suggests %j, with what each finds', async (field, prefix, expected) => {
  expect(await values(field, prefix)).toEqual(expected)
})

test('without a beginning the most frequent come first, at most eight', async () => {
  expect((await values('brand'))[0]).toBe('Casio 4')
  expect(await values('brand', 'maker')).toHaveLength(8)
})

test('a count is what the value finds', async () => {
  for (const field of ['brand', 'category'])
    for (const { value, count } of (await suggest(field)).values) {
      const q = `${field}:"${value}"`
      const url = `/api/products/count?${new URLSearchParams({ q })}`
      const found = (await testApp.app.inject({ url, headers: user.headers })).json()
      expect(found, q).toEqual({ count, has_more: false })
    }
})

test('hidden deals are neither suggested nor counted, whoever asks and whenever they were hidden', async () => {
  for (const who of [user, admin]) {
    expect(await values('brand', 'secret', who)).toEqual([])
    expect(await values('category', 'secret', who)).toEqual([])
  }
  expect(await values('brand', 'pass')).toEqual(['Passing 1'])
  const payload = { word: 'vanishing' }
  const url = '/api/blacklisted_words'
  const answer = await testApp.app.inject({ method: 'POST', url, headers: admin.headers, payload })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  await expect.poll(() => values('brand', 'pass')).toEqual([])
  expect(await values('category', 'pass', admin)).toEqual([])
})

test('of very many deals the newest are looked at, and that is said', async () => {
  const pool = testApp.databases.customPlanPool
  expect((await readNames(pool, 2)).has_more).toBe(true)
  expect((await readNames(pool, 10_000)).has_more).toBe(false)
  expect((await suggest('brand')).has_more).toBe(false)
})

test('what is no field, or too long, is refused', async () => {
  for (const query of [
    'field=title',
    'prefix=a',
    `field=brand&prefix=${'x'.repeat(101)}`,
    'field=brand&x=1',
  ]) {
    const answer = await testApp.app.inject({ url: `/api/query/suggestions?${query}`, headers: user.headers })
    expect(answer.statusCode, query).toBe(400)
  }
})

test('equally frequent ones come in the order of their names, however they were counted', () => {
  const one = (name: string): NameCounts[number] => ({ name, plain: name.toLowerCase(), count: 1 })
  const names = [one('Seiko'), one('lumen'), one('Casio'), one('casio'), { ...one('Omega'), count: 2 }]
  for (const counted of [names, names.toReversed()]) {
    const found = suggestByCounts(() => counted)('brand', '', { revision: 1, removals: 0 })
    expect(found.map(({ value }) => value)).toEqual(['Casio', 'Omega', 'lumen', 'Seiko'])
  }
})

test('names are counted once per revision, and where that takes long they are good for a while', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const casio = (count: number): NameCounts => [{ name: 'Casio', plain: 'casio', count }]
  let counts = casio(2)
  const count = vi.fn(() => {
    vi.advanceTimersByTime(5)
    return counts
  })
  const suggestOf = suggestByCounts(count)
  const of = (revision: number, removals = 0) => ({ revision, removals })
  const found = (...asked: Parameters<typeof suggestOf>) => suggestOf(...asked).map((one) => one.count)
  expect([found('brand', 'cas', of(1)), found('brand', '', of(1))]).toEqual([[2], [2]])
  counts = casio(3)
  expect(found('brand', 'cas', of(2))).toEqual([2])
  expect(count).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(150)
  expect(found('brand', 'cas', of(2))).toEqual([3])
  // What was hidden is not offered a moment longer.
  counts = casio(1)
  expect(found('brand', 'cas', of(3))).toEqual([3])
  expect(found('brand', 'cas', of(3, 1))).toEqual([1])
})

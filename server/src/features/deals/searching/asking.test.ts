import type { Deal } from '@dealdeck/contract/deals'
import { declarationOf, fieldNames } from '@dealdeck/query/fields'
import { parseQuestion } from '@dealdeck/query/parsing'
import { leavesOf } from '@dealdeck/query/question'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { typedTexts } from '../../../../../query/testing/questions.ts'
import { buildTestApp, type SignedIn, type TestApp } from '../../../../testing/app.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { mayDependOnClock, narrowed } from './asking.ts'
import type { FeedQuery } from './conditions.ts'

let testApp: TestApp
let user: SignedIn
let admin: SignedIn
let now = new Date('2026-03-04T12:00:10Z')

beforeAll(async () => {
  testApp = await buildTestApp({ clock: () => now })
  user = await testApp.signIn('user')
  admin = await testApp.signIn('admin')
  const deals = [
    {
      title: 'Casio watch, black',
      brand: 'CASIO',
      price: 20,
      original_price: 50,
      first_seen: '2026-03-04T11:00:00Z',
    },
    {
      title: 'Seiko watch',
      brand: 'Séiko',
      price: 29.99,
      original_price: 60,
      first_seen: '2026-03-04T08:00:00Z',
    },
    { title: 'Black wrist watch', price: 10, original_price: 12, first_seen: '2026-03-03T08:00:00Z' },
    { title: 'Reading lamp', price: 5, prime_eligible: true, first_seen: '2026-03-01T08:00:00Z' },
    { title: 'Hidden watch', price: 1, availability: null, first_seen: '2026-03-01T08:00:00Z' },
  ]
  for (const deal of deals) await makeDeal(testApp.databases, deal)
})

const get = (path: string, parameters: Record<string, string>, who = user) =>
  testApp.app.inject({ url: `${path}?${new URLSearchParams(parameters)}`, headers: who.headers })

async function titles(parameters: Record<string, string>, who?: SignedIn): Promise<string[]> {
  const answer = await get('/api/products', parameters, who)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ items: Deal[] }>().items.map(({ title }) => title)
}

test.each([
  ['watch black', ['Casio watch, black', 'Black wrist watch']],
  ['"black wrist"', ['Black wrist watch']],
  ['watch price:<30 off:50 -casio', ['Seiko watch']],
  ['watches under 30 at least half off, not Casio', ['Seiko watch']],
  ['watches', ['Casio watch, black', 'Seiko watch', 'Black wrist watch']],
  ['"watches"', []],
  ['brand:seiko OR lamp', ['Seiko watch', 'Reading lamp']],
  ['watch price:<ten -black', ['Seiko watch']],
  ['new:<2h', ['Casio watch, black']],
  ['new:today sort:price', ['Casio watch, black', 'Seiko watch']],
  ['-watch', ['Reading lamp']],
  ['is:hidden watch -black', ['Seiko watch']],
])("'%s' finds %j", async (q, found) => {
  expect(await titles({ q })).toEqual(found)
  const { count } = (await get('/api/products/count', { q })).json()
  expect(count).toBe(found.length)
})

test('a question narrows what the other parameters ask for, deals asked for by id too', async () => {
  expect(await titles({ q: 'watch', max_price: '19.99', search: 'black' })).toEqual(['Black wrist watch'])
  expect(await titles({ q: 'price:>25', prime_only: 'true' })).toEqual([])
  const all = (await get('/api/products', {})).json<{ items: Deal[] }>().items
  const ids = all.map(({ id }) => id).join()
  expect(await titles({ ids, q: 'watch -casio' })).toEqual(['Seiko watch', 'Black wrist watch'])
})

test("the parameter's sort counts before that of the question, and both page to the end", async () => {
  const q = 'watch sort:price'
  const byPrice = ['Black wrist watch', 'Casio watch, black', 'Seiko watch']
  expect(await titles({ q })).toEqual(byPrice)
  expect(await titles({ q, sort: 'discount' })).toEqual([
    'Casio watch, black',
    'Seiko watch',
    'Black wrist watch',
  ])
  expect(await titles({ q: 'watch sort:price', sort: 'newest', limit: '1' })).toEqual(['Casio watch, black'])
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const answer = await get('/api/products', { q, limit: '1', ...(cursor && { cursor }) })
    const page = answer.json<{ items: Deal[]; next_cursor: string | null }>()
    seen.push(...page.items.map(({ title }) => title))
    cursor = page.next_cursor
  }
  expect(seen).toEqual(byPrice)
})

test('only an administrator finds hidden deals by asking for them', async () => {
  expect(await titles({ q: 'is:hidden' }, admin)).toEqual(['Hidden watch'])
  expect(await titles({ q: 'watch -is:hidden sort:price' }, admin)).toHaveLength(3)
  expect(await titles({ q: 'lamp OR is:hidden' }, admin)).toEqual(['Hidden watch', 'Reading lamp'])
  for (const q of ['is:hidden', '-is:hidden', 'is:hidden OR lamp', '-(is:hidden)', 'IS:Hidden,sample'])
    expect(await titles({ q }), q).not.toContain('Hidden watch')
  expect((await get('/api/products/count', { q: 'hidden' })).json()).toEqual({ count: 0, has_more: false })
})

test('a question too long is refused, and what is wrong in any other is left out', async () => {
  const answer = await get('/api/products', { q: 'x'.repeat(501) })
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ code: 'INVALID_INPUT', fields: { q: expect.any(String) } })
  for (const q of [
    '"',
    '(((((((',
    '-',
    'OR',
    'price:<',
    'sort:',
    '\u0000',
    '\ud800',
    '%00',
    "'; drop table deals",
  ])
    expect((await get('/api/products', { q })).statusCode, q).toBe(200)
})

test('a page that depends on the time is made anew in the next minute', async () => {
  expect(await titles({ q: 'seen:<61m' })).toEqual(['Casio watch, black'])
  expect(await titles({ q: 'seen:<61m' })).toEqual(['Casio watch, black'])
  now = new Date('2026-03-04T12:01:10Z')
  expect(await titles({ q: 'seen:<61m' })).toEqual([])
  now = new Date('2026-03-04T12:00:10Z')
})

test('whatever is understood as asking of the time is known to depend on it, however its field is spelled', () => {
  const signs = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  const spelled = (name: string) =>
    fc.tuple(
      ...[...name].map((letter) => fc.constantFrom(...signs.filter((sign) => sign.toLowerCase() === letter))),
    )
  const names = fieldNames.flatMap((name) => [name, ...declarationOf(name).aliases])
  const field = fc.oneof(...names.map(spelled)).map((letters) => letters.join(''))
  const value = fc.constantFrom(':2h', '：today', '<1d', '≥10m', ':"2h"', ':2h,>9d', '>5')
  const asked = fc.tuple(typedTexts, fc.constantFrom('', ' ', ' -', '('), field, value, typedTexts)
  fc.assert(
    fc.property(asked, (parts) => {
      const text = parts.join('')
      const asks = leavesOf(parseQuestion(text).question.condition).some(({ kind }) => kind === 'duration')
      expect(mayDependOnClock(text) || !asks, text).toBe(true)
    }),
    { examples: [[['', '', 'chec\u212Aed', ':2h', '']]] },
  )
})

test('today begins at midnight where the reader is', async () => {
  // 17:45 there; the day began at 18:15 of the day before in UTC.
  expect(await titles({ q: 'new:today', time_zone: 'Asia/Kathmandu' })).toHaveLength(2)
  expect(await titles({ q: 'new:today', time_zone: 'Pacific/Kiritimati' })).toHaveLength(1)
})

test('what a question and the parameters have in common is planned alike', () => {
  const plain: FeedQuery = {
    ...{ sort: 'newest', search: '', min_price: undefined, max_price: 20, prime_only: false, limit: 50 },
  }
  const at = { now: now.getTime(), midnight: now.getTime() - 3_600_000 }
  const ask = (text: string) => narrowed(plain, parseQuestion(text).question.condition, at)
  expect(ask('lamp price:>5 price:<10 off:>=49.5 rating:>=4 prime:yes new:<=2h title:"a b"')).toEqual({
    ...{ ...plain, includeHidden: false, min_price: 5.01, max_price: 9.99, min_discount: 50, min_rating: 4 },
    ...{ prime_only: true, seenSince: new Date(at.now - 7_200_000) },
    asked: { condition: parseQuestion('lamp title:"a b"').question.condition, moment: at },
  })
  for (const text of ['price:<30', 'price:any'])
    expect(ask(text), text).toEqual({ ...plain, includeHidden: false })
  expect(ask('new:today updated:today')).toEqual({
    ...{ ...plain, includeHidden: false },
    ...{ seenSince: new Date(at.midnight), updatedSince: new Date(at.midnight) },
  })
  for (const text of [
    'price:<5,>15',
    'price:<0',
    'title:=a',
    'title:a,b',
    'off:<50',
    'rating:>4',
    'prime:no',
    'new:<2h',
    '-lamp',
    'checked:1h',
  ])
    expect(ask(text), text).toMatchObject({ ...plain, asked: { moment: at } })
})

test('a question is explained as text and in words, with its faults', async () => {
  const ask = (q: string, who = user) =>
    testApp.app.inject({ method: 'POST', url: '/api/query/explain', headers: who.headers, payload: { q } })
  const answer = await ask('watch price:<ten -used is:hidden')
  expect(answer.json()).toEqual({
    canonical: 'watch -used',
    words: "'watch', not 'used'",
    faults: [
      { from: 6, to: 16, message: "'price:<ten' needs a number, e.g. price:<10", suggestion: 'price:<10' },
      expect.objectContaining({ from: 23, to: 32 }),
    ],
  })
  expect((await ask('is:hidden', admin)).json()).toEqual({
    canonical: 'is:hidden',
    words: 'hidden',
    faults: [],
  })
  expect((await ask('x'.repeat(501))).statusCode).toBe(400)
})

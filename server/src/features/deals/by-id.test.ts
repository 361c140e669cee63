import type { Deal } from '@dealdeck/contract/deals'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { publish } from '../../../testing/streams.ts'

const testApp = await buildTestApp()
const { app, databases } = testApp
const user = await testApp.signIn('user')
const admin = await testApp.signIn('admin')
const get = (query: string, who = user) => app.inject({ url: `/api/products?${query}`, headers: who.headers })
const idsOf = async (query: string, who = user) => {
  const answer = await get(query, who)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ items: Deal[] }>().items.map(({ id }) => id)
}

test('deals come by their ids, in that order, each once, the hidden and unknown ones left out', async () => {
  const [a, b, hidden, c] = [
    (await makeDeal(databases, { title: 'Lamp', price: 30 })).id,
    (await makeDeal(databases, { title: 'Tray', price: 10 })).id,
    (await makeDeal(databases, { availability: null, price: 20 })).id,
    (await makeDeal(databases, { title: 'Lamp again', price: 5 })).id,
  ]
  const ids = `ids=${c},${hidden},${a},999999,${b},${a}`
  expect(await idsOf(ids)).toEqual([c, a, b])
  const answer = await get(ids)
  expect(answer.json()).toMatchObject({ next_cursor: null })
  const single = await app.inject({ url: `/api/products/${a}`, headers: user.headers })
  expect(answer.json().items[1]).toEqual(single.json())
  expect(await idsOf('ids=999999')).toEqual([])
  expect(await idsOf(`${ids}&include_hidden=true`, admin)).toEqual([c, hidden, a, b])
  expect(await idsOf(`${ids}&max_price=10&limit=1&sort=price`)).toEqual([c, b])
  expect(await idsOf(`${ids}&search=LAMP`)).toEqual([c, a])
})

test('only lists of at most a hundred ids are understood', async () => {
  const list = (length: number) => Array.from({ length }, (_, at) => at + 1).join(',')
  expect((await get(`ids=${list(100)}`)).statusCode).toBe(200)
  for (const ids of [list(101), '', 'a', '1,,2', '-1', '1.5', '1'.repeat(17), '1,'.repeat(5_000)]) {
    const answer = await get(`ids=${ids}`)
    expect([answer.statusCode, answer.json().fields], ids).toEqual([400, { ids: expect.any(String) }])
  }
})

test('ids are one page, so a cursor beside them is refused', async () => {
  const answer = await get('ids=1,2&cursor=abc')
  expect([answer.statusCode, answer.json()]).toEqual([
    400,
    {
      ...{ code: 'INVALID_INPUT', message: expect.any(String) },
      fields: { cursor: 'must be left out where ids are given: they are one page' },
    },
  ])
})

test('a thousand readers who ask for the same ids are one question to the database, until something changes', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => makeDeal(databases)))
  const url = `ids=${made.map(({ id }) => id).join(',')}`
  const readers = await Promise.all(Array.from({ length: 40 }, () => testApp.signIn('user')))
  await publish(testApp, 1)
  const statements = vi.spyOn(pg.Client.prototype, 'query')
  const asked = () =>
    JSON.stringify(statements.mock.calls.map(([statement]) => statement)).split('as asked (asked_id').length -
    1
  const everybody = () =>
    Promise.all(Array.from({ length: 1_000 }, (_, at) => get(url, readers[at % readers.length])))
  // The first comes alone: nobody knows yet that others will ask.
  expect((await get(url)).statusCode).toBe(200)
  const answers = await everybody()
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  expect(asked()).toBe(1)
  await publish(testApp, 2)
  await everybody()
  expect(asked()).toBe(2)
})

import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { abortableQuery, abortableTexts } from './abortable-query.ts'
import { byteText } from './byte-rows.ts'
import { TextQuery } from './text-query.ts'

const signal = new AbortController().signal

test('a statement of known columns is answered with their bytes, with a name and without, once and again', async () => {
  const { customPlanPool } = await testDatabases()
  const text = 'select $1::int + 1, null, $2::text[], at from unnest(array[true, false]) as at'
  const expected = [
    ['8', null, byteText('{"a b",ü}'), 't'],
    ['8', null, byteText('{"a b",ü}'), 'f'],
  ]
  const values = [7, ['a b', 'ü']]
  for (const name of ['known columns', undefined])
    for (const _ of [1, 2])
      expect(await abortableTexts(customPlanPool, { name, text, values }, signal)).toEqual(expected)
  expect(await abortableTexts(customPlanPool, { text: 'select where false' }, signal)).toEqual([])
  // Without a signal the library asks, and the answer is the same.
  expect(await abortableTexts(customPlanPool, { text, values }, undefined)).toEqual(expected)
})

test('a statement that fails or cannot be sent says so, and its connection goes on', async () => {
  const { genericPlanPool } = await testDatabases()
  const client = await genericPlanPool.connect()
  const ask = (name: string | undefined, text: string, values: unknown[] = []) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    client.query(
      new TextQuery({ name, text, values }, (error, rows) => (error ? reject(error) : resolve(rows))),
    )
    return promise
  }
  const circular: { self?: unknown } = {}
  circular.self = circular
  await expect(ask('broken', 'selec 1')).rejects.toThrow('syntax error')
  await expect(ask('broken', 'select 1')).resolves.toEqual([['1']])
  await expect(ask('broken', 'select 2')).rejects.toThrow('broken is the name of another statement')
  await expect(ask('divided', 'select 1 / $1::int', [0])).rejects.toThrow('division by zero')
  await expect(ask('divided', 'select 1 / $1::int', [1])).resolves.toEqual([['1']])
  await expect(ask(undefined, 'select $1::text', [circular])).rejects.toThrow('circular structure')
  await expect(ask(undefined, 'select 3')).resolves.toEqual([['3']])
  client.release()
  const { rows } = await abortableQuery(genericPlanPool, { text: 'select 4 as four' }, signal)
  expect(rows).toEqual([{ four: 4 }])
})

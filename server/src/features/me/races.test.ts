import { maximumItems } from '@dealdeck/contract/me'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser } from '../../../testing/factories.ts'
import { addItem, changeItem, mergeItems } from './actions.ts'
import { listItems } from './queries.ts'

// As processes do that share the database: nothing but the database itself gives them turns.
const databases = await testDatabases()
const preset = (name: string, q = name) => ({ kind: 'link_preset' as const, value: { name, search: { q } } })

async function owner() {
  const { id } = await makeUser(databases)
  const names = async () => (await listItems(databases, id)).items.map(({ value }) => value.name)
  return { id, names }
}

const codesOf = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).map((attempt) =>
    attempt.status === 'fulfilled' ? 'done' : attempt.reason.code,
  )

test('of many who save one name at once one wins, the others are told', async () => {
  const { id, names } = await owner()
  const codes = await codesOf([1, 2, 3, 4, 5].map((q) => addItem(databases, id, preset('Lamps', String(q)))))
  expect(codes.sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'done'])
  expect(await names()).toEqual(['Lamps'])
})

test('the hundredth is the last of its kind, also of many at once', async () => {
  const { id, names } = await owner()
  await mergeItems(
    databases,
    id,
    Array.from({ length: maximumItems - 2 }, (_, at) => preset(`P ${at}`)),
  )
  const codes = await codesOf(['a', 'b', 'c', 'd', 'e'].map((name) => addItem(databases, id, preset(name))))
  expect(codes.sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'done', 'done'])
  expect(await names()).toHaveLength(maximumItems)
})

test('of many who change one entry at once one wins, and what the others add is there', async () => {
  const { id, names } = await owner()
  const start = await addItem(databases, id, preset('Lamps'))
  const based = { id: start.id, expected_updated_at: start.updated_at }
  const codes = await codesOf([
    ...[1, 2, 3].map((q) => changeItem(databases, id, { ...preset('Lamps', String(q)), ...based })),
    ...['a', 'b', 'c'].map((name) => addItem(databases, id, preset(name))),
  ])
  expect(codes.slice(0, 3).sort()).toEqual(['CONFLICT', 'CONFLICT', 'done'])
  expect(codes.slice(3)).toEqual(['done', 'done', 'done'])
  expect((await names()).sort()).toEqual(['Lamps', 'a', 'b', 'c'])
})

test('several who bring the same at once bring it once', async () => {
  const { id, names } = await owner()
  const items = ['Lamps', 'Torches', 'Mugs'].map((name) => preset(name))
  await Promise.all([1, 2, 3, 4].map(() => mergeItems(databases, id, items)))
  expect(await names()).toEqual(['Lamps', 'Torches', 'Mugs'])
})

import type { Deal, DealStats } from '@dealdeck/contract/deals'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { readEvents } from '../deals/following/revisions.ts'
import { addWord, setWordActive } from './actions.ts'

async function feedOf() {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('user')
  const read = async <T>(path: string) =>
    (await app.inject({ url: `/api/products${path}`, headers })).json<T>()
  return {
    databases,
    titles: async (query = '') => (await read<{ items: Deal[] }>(query)).items.map((deal) => deal.title),
    total: async () => (await read<DealStats>('/stats')).total_deals,
    events: async () => (await readEvents(databases.customPlanPool, 0, 100)).events,
  }
}

test('a word hides its deals from page, search, stats and stream at once; removing it brings them back', async () => {
  const feed = await feedOf()
  const wig = await makeDeal(feed.databases, { title: 'Festival WIG, blue' })
  await makeDeal(feed.databases, { title: 'Garden hose' })
  expect([await feed.titles(), await feed.total()]).toEqual([['Garden hose', 'Festival WIG, blue'], 2])

  const word = await addWord(feed.databases, '  Wig ')
  expect(word).toMatchObject({ word: 'wig', hidden: 1 })
  expect([await feed.titles(), await feed.titles('?search=wig'), await feed.total()]).toEqual([
    ['Garden hose'],
    [],
    1,
  ])
  expect(await feed.events()).toEqual([{ revision: 1, added: [], changed: [], removed: [wig.id] }])

  await setWordActive(feed.databases, word.id, false)
  expect([await feed.titles('?search=wig'), await feed.total()]).toEqual([['Festival WIG, blue'], 2])
  expect(await feed.events()).toMatchObject([{}, { revision: 2, added: [wig.id], removed: [] }])
})

test('a deal two words hide comes back only when both are gone', async () => {
  const feed = await feedOf()
  await makeDeal(feed.databases, { title: 'Flag banner 100%' })
  const flag = await addWord(feed.databases, 'flag')
  const percent = await addWord(feed.databases, '0%')
  await setWordActive(feed.databases, flag.id, false)
  expect(await feed.titles()).toEqual([])
  await setWordActive(feed.databases, percent.id, false)
  expect(await feed.titles()).toEqual(['Flag banner 100%'])
})

test('a deal without availability stays hidden when its word goes', async () => {
  const feed = await feedOf()
  await makeDeal(feed.databases, { title: 'Flag', availability: null })
  const word = await addWord(feed.databases, 'flag')
  await setWordActive(feed.databases, word.id, false)
  expect([await feed.titles(), await feed.events()]).toEqual([[], []])
})

test('adding twice, adding nothing and changing an unknown word say so', async () => {
  const { databases } = await feedOf()
  const word = await addWord(databases, 'crochet')
  await expect(addWord(databases, 'CROCHET')).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(addWord(databases, '   ')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await expect(setWordActive(databases, 999_999, true)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await setWordActive(databases, word.id, false)
  expect(await addWord(databases, 'crochet')).toMatchObject({ id: word.id })
})

import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal, makeUser } from '../../../testing/factories.ts'
import { addWord, setWordActive } from '../blacklist/actions.ts'
import { addFilter } from '../filters/actions.ts'

test('the figures of the dashboard are counted, not made up', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const stats = async () => (await app.inject({ url: '/api/admin/stats', headers })).json()
  expect(await stats()).toEqual({ filters: 0, words: 0, users: 1, pending_users: 0, deals: 0 })
  await addFilter(databases, { category: 'brands', name: 'Acme', code: 'p_89:Acme' })
  await makeUser(databases, { status: 'pending' })
  await makeUser(databases, { is_active: false })
  await makeDeal(databases, { title: 'Wig' })
  await makeDeal(databases, { title: 'Garden hose' })
  await makeDeal(databases, { availability: null })
  await addWord(databases, 'wig')
  const { id } = await addWord(databases, 'flag')
  await setWordActive(databases, id, false)
  expect(await stats()).toEqual({ filters: 1, words: 1, users: 3, pending_users: 1, deals: 1 })
})

test('deals that nobody sees for want of an availability are counted, and no others', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const count = async () => (await app.inject({ url: '/api/admin/unavailable-deals', headers })).json()
  expect(await count()).toEqual({ count: 0 })
  await makeDeal(databases, { title: 'Garden hose' })
  await makeDeal(databases, { title: 'Garden rake', availability: null })
  await makeDeal(databases, { title: 'Wig', availability: null })
  await addWord(databases, 'wig')
  expect(await count()).toEqual({ count: 1 })
})

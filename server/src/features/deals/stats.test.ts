import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'

test('stats that take long are of a moment ago while deals change, and say so', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('user')
  const read = async () => (await app.inject({ url: '/api/products/stats', headers })).json()
  await expect.poll(async () => (await read()).total_deals).toBe(0)
  const client = await databases.durablePool.connect()
  await client.query('begin')
  await client.query('lock table deals in access exclusive mode')
  for (const tell of databases.onRevision) tell(1)
  const slow = read()
  await sleep(150)
  await client.query('commit')
  client.release()
  expect(await slow).not.toHaveProperty('is_changing')
  await makeDeal(databases, {})
  for (const tell of databases.onRevision) tell(2)
  expect(await read()).toMatchObject({ total_deals: 0, is_changing: true })
  await expect.poll(read).toMatchObject({ total_deals: 1 })
  expect(await read()).not.toHaveProperty('is_changing')
})

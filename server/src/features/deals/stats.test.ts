import { setTimeout as sleep } from 'node:timers/promises'
import { revisionHeader } from '@dealdeck/contract/preloads'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'

test('stats that take long are of a moment ago while deals change, and say so', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('user')
  const read = async () => {
    const answer = await app.inject({ url: '/api/products/stats', headers })
    const stats = answer.json()
    if (stats.is_changing) expect(answer.headers).not.toHaveProperty(revisionHeader)
    return stats
  }
  await expect.poll(async () => (await read()).total_deals).toBe(0)
  const client = await databases.durablePool.connect()
  let revision = 0
  const change = () => {
    revision += 1
    for (const tell of databases.onRevision) tell(revision)
  }
  const countSlowly = async () => {
    await client.query('begin')
    await client.query('lock table deals in access exclusive mode')
    change()
    const slow = read()
    // Good for ten times as long, in which the next one has to fit in on a busy machine.
    await sleep(500)
    await client.query('commit')
    return slow
  }
  // On a busy machine the count before it may have been slow enough to be good for this one too.
  await expect.poll(countSlowly).not.toHaveProperty('is_changing')
  client.release()
  await makeDeal(databases, {})
  change()
  expect(await read()).toMatchObject({ total_deals: 0, is_changing: true })
  await expect.poll(read).toMatchObject({ total_deals: 1 })
  expect(await read()).not.toHaveProperty('is_changing')
})

test('what a screen begins with names the revision from which a stream goes on', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers } = await signIn('user')
  const { asin } = await makeDeal(databases, {})
  const revisionAt = async (url: string) => (await app.inject({ url, headers })).headers[revisionHeader]
  await expect.poll(() => revisionAt('/api/products')).toMatch(/^[0-9a-f]{8}-\d+$/)
  const revision = await revisionAt('/api/products')
  for (const path of ['stats', 'count', `by-asin/${asin}`])
    expect([path, await revisionAt(`/api/products/${path}`)]).toEqual([path, revision])
})

import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeHeldRow, makeSource } from '../../../testing/sources.ts'

const { app, databases, signIn } = await buildTestApp()
const { headers } = await signIn('admin')
const page = async (query: string) => (await app.inject({ url: `/api/quarantine?${query}`, headers })).json()

test('what waits comes page by page, and how many of each source and rule with the first', async () => {
  const source = await makeSource(databases)
  const ids: number[] = []
  for (let count = 0; count < 3; count++) ids.unshift(await makeHeldRow(databases, source))
  const first = await page(`source=${source}&limit=2`)
  expect(first).toMatchObject({ total: 3, groups: [{ source_id: source, rule: 'price_low', count: 3 }] })
  const next = await page(`source=${source}&limit=2&cursor=${first.next_cursor}`)
  expect(next).toMatchObject({ total: null, groups: [], next_cursor: null })
  expect([...first.items, ...next.items].map(({ id }) => id)).toEqual(ids)
})

test.each(['release', 'refuse'] as const)(
  'every administrator hears of rows that somebody decides: %s',
  async (what) => {
    const source = await makeSource(databases)
    const ids = [await makeHeldRow(databases, source)]
    const listening = await databases.durablePool.connect()
    const heard: unknown[] = []
    listening.on('notification', ({ payload = '' }) => heard.push(JSON.parse(payload)))
    try {
      await listening.query('listen dealdeck_sources')
      await app.inject({ method: 'POST', url: `/api/quarantine/${what}`, headers, payload: { ids } })
      await expect.poll(() => heard).toContainEqual({ source_id: source, progress: null })
    } finally {
      await listening.query('unlisten *')
      listening.removeAllListeners('notification')
      listening.release()
    }
  },
)

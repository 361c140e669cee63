import { Readable } from 'node:stream'
import type { ImportHistory, ImportRejects, ImportResult } from '@dealdeck/contract/ingest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeToken, nextAsin } from '../../../testing/factories.ts'
import { systemClock } from '../../platform/clock.ts'
import { readSettings } from '../../platform/settings.ts'
import { importBody, unseenBodies } from './actions.ts'

async function historyOf() {
  const { app, databases, signIn } = await buildTestApp()
  const { headers, user } = await signIn('admin')
  const get = async <T>(url: string): Promise<T> => (await app.inject({ url, headers })).json()
  const bring = async (rows: object[], query = '', by: Record<string, string> = headers) => {
    const response = await app.inject({
      ...{ method: 'POST', url: `/api/products/import${query}`, payload: JSON.stringify(rows) },
      headers: { ...by, 'content-type': 'application/json' },
    })
    expect(response.statusCode).toBe(200)
    return response.json<ImportResult>()
  }
  return { app, databases, headers, user, get, bring }
}

const mug = (values = {}) => ({ asin: nextAsin(), title: 'Enamel mug', price: 8, ...values })

test('each import is in the history with who brought it, its counts and what it refused', async () => {
  const { databases, user, get, bring } = await historyOf()
  const token = await makeToken(databases)
  await bring([mug(), mug({ price: 'free' }), mug({ asin: 'x' })], '?file=mugs%00.json')
  await bring([mug(), mug()], '', { authorization: `Bearer ${token}` })
  await bring([mug()], '?dry_run=true')
  const { items } = await get<ImportHistory>('/api/imports')
  expect(items).toMatchObject([
    {
      source: 'http',
      handed_in_by: expect.stringMatching(/^token script/),
      received: 2,
      created: 2,
      rejected: 0,
    },
    { source: 'mugs.json', handed_in_by: user.username, received: 3, created: 1, rejected: 2 },
  ])
  const rejects = await get<ImportRejects>(`/api/imports/${items[1]?.id}/rejects`)
  expect(rejects.rejected.map(({ row }) => row)).toEqual([2, 3])
  expect(Object.values(rejects.rejected_by_reason)).toEqual([1, 1])
  expect(await get(`/api/imports/${items[0]?.id}/rejects`)).toEqual({ rejected: [], rejected_by_reason: {} })
  expect(await get('/api/imports/999999/rejects')).toMatchObject({ code: 'NOT_FOUND' })
  // Handing in deals by a token is no change by an administrator.
  const { rows } = await databases.customPlanPool.query(
    "select actor_name from audit_entries where action = 'import'",
  )
  expect(rows).toEqual([{ actor_name: user.username }])
})

test('the numbers of an import add up, whatever the body', async () => {
  const { get, bring } = await historyOf()
  const row = fc.record({
    asin: fc.constantFrom('B0NUMBER01', 'B0NUMBER02', 'B0NUMBER03', 'no ASIN'),
    title: fc.constantFrom('Enamel mug', ''),
    price: fc.constantFrom(8, 9, 'free'),
    scraped_at: fc.constantFrom('2026-01-01', '2026-01-02', ''),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 9 }), async (rows) => {
      const result = await bring(rows)
      const { items } = await get<ImportHistory>('/api/imports?limit=1')
      const [{ created, updated, unchanged, superseded, rejected, received } = noImport] = items
      expect(received).toBe(rows.length)
      expect(created + updated + unchanged + superseded + rejected).toBe(rows.length)
      expect(superseded).toBe(result.superseded)
    }),
    { numRuns: 25 },
  )
})
const noImport = { created: 0, updated: 0, unchanged: 0, superseded: 0, rejected: 0, received: -1 }

test('the history comes in pages, each import once, whatever comes meanwhile', async () => {
  const { get, bring } = await historyOf()
  for (let index = 0; index < 8; index += 1) await bring([], `?file=no-${index}`)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: ImportHistory = await get(`/api/imports?limit=3${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.items.map(({ source }) => source))
    cursor = page.next_cursor
    await bring([], '?file=later')
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((index) => `no-${index}`))
  expect(await get('/api/imports?cursor=x')).toMatchObject({ code: 'INVALID_INPUT' })
})

test('the kept rejects are bounded: 1,000 an import, the newest 200 imports', async () => {
  const { databases, get, bring } = await historyOf()
  await databases.durablePool.query(
    'insert into imports (source) select n::text from generate_series(1, 200) n',
  )
  await databases.durablePool.query("insert into import_rejects select id, '[]', '{}' from imports")
  await bring(Array.from({ length: 1_200 }, () => ({ title: 'Nothing else' })))
  const { rows } = await databases.customPlanPool.query(
    'select count(*) as n, min(import_id) as oldest, max(import_id) as newest from import_rejects',
  )
  expect(rows[0]).toMatchObject({ n: 200, oldest: 2 })
  const { rejected, rejected_by_reason: reasons } = await get<ImportRejects>(
    `/api/imports/${rows[0].newest}/rejects`,
  )
  expect([rejected.length, Object.values(reasons)]).toEqual([1_000, [1_200]])
})

test('runs of sources are no lines of it, and what they refuse pushes out nothing that others handed in', async () => {
  const { databases, get, bring } = await historyOf()
  const deps = { databases, clock: systemClock, marketplace: readSettings({}).MARKETPLACE }
  const run = async (rows: object[], by = 'source Mugs') => {
    const ids: number[] = []
    await importBody(deps, Readable.from([Buffer.from(JSON.stringify(rows))]), {
      ...{ dry_run: false, map: '', availability: 'In stock', limits: unseenBodies, forgetsUnchanged: true },
      ...{ source: 'Mugs', by, onRecorded: (id: number) => ids.push(id) },
    })
    return ids
  }
  await bring([mug({ price: 'free' })], '?file=by-hand')
  const known = mug()
  const early = { ...known, observed_at: new Date(Date.now() - 3 * 86_400_000).toISOString() }
  expect(await run([early])).toHaveLength(1)
  expect(await run([early])).toEqual([])
  // Seen again after a silence, its price is a point of its own, which says where it comes from.
  const again = await run([known])
  const points = await databases.customPlanPool.query(
    'select import_id from price_points order by seen_at desc',
  )
  expect(again).toEqual([points.rows[0]?.import_id])
  for (let time = 0; time < 12; time++) await run([mug({ price: 'free' })])
  expect(await run([mug({ price: 'free' })], 'source Lamps')).toHaveLength(1)
  const { items } = await get<ImportHistory>('/api/imports')
  expect(items.map(({ source }) => source)).toEqual(['by-hand'])
  const { rows } = await databases.customPlanPool.query(
    `select handed_in_by, count(*) as n from import_rejects join imports on imports.id = import_id
     where handed_in_by like 'source %' group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { handed_in_by: 'source Lamps', n: 1 },
    { handed_in_by: 'source Mugs', n: 10 },
  ])
  expect((await get<ImportRejects>(`/api/imports/${items[0]?.id}/rejects`)).rejected).toHaveLength(1)
})

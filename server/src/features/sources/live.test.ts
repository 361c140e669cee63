import { setTimeout as sleep } from 'node:timers/promises'
import { sourceEventSchema } from '@dealdeck/contract/sources'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { kindThat, makeSource, rowsOf, runNow, testBox, testSources } from '../../../testing/sources.ts'

/** What a reader has been told of sources so far. */
async function openStream({ app }: TestApp, { headers }: SignedIn) {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const response = await fetch(`${app.listeningOrigin}/api/events`, {
    headers: { cookie: headers.cookie },
    signal: ended.signal,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => undefined)
  return () =>
    text.split('\n\n').flatMap((block) => {
      const data = /^event: sources\ndata: (.*)$/.exec(block)?.[1]
      return data === undefined ? [] : sourceEventSchema.parse(JSON.parse(data))
    })
}

test('administrators at every instance are told how a run goes, and nobody else', async () => {
  const here = await buildTestApp()
  const there = await buildTestApp({ databases: here.databases })
  await Promise.all([here, there].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
  const [admin, member] = [await here.signIn('admin'), await here.signIn('user')]
  const told = await Promise.all([here, there].map((instance) => openStream(instance, admin)))
  const others = await Promise.all([here, there].map((instance) => openStream(instance, member)))
  const id = await makeSource(here.databases)
  const deps = testSources(here.databases, async (context) => {
    await context.hand({ body: rowsOf(['B0LIVE0001']), isWhole: true, listsAll: false })
    return { state: 'done' }
  })
  await runNow(deps, id)
  for (const events of told) {
    await expect.poll(() => events().at(-1)).toEqual({ source_id: id, progress: null })
    expect(events()[0]).toEqual({ source_id: id, progress: { phase: 'asking', rows: 0 } })
  }
  expect(others.map((events) => events())).toEqual([[], []])
})

test('that a run is over is told last, however long it takes to tell how far it was', async () => {
  const instance = await buildTestApp()
  const { databases } = instance
  await instance.app.listen({ port: 0, host: '127.0.0.1' })
  const events = await openStream(instance, await instance.signIn('admin'))
  const id = await makeSource(databases)
  const slow = Object.create(databases.reservedPool, {
    query: {
      value: async (text: string, values: string[]) => {
        if (values.some((value) => value.includes('asking'))) await sleep(300)
        return databases.reservedPool.query(text, values)
      },
    },
  })
  await runNow(
    testSources({ ...databases, reservedPool: slow }, async () => ({ state: 'done' })),
    id,
  )
  await expect.poll(() => events().map(({ progress }) => progress?.phase)).toContain('asking')
  await expect.poll(() => events().at(-1)).toEqual({ source_id: id, progress: null })
})

test('a source that is to be asked now is asked by a process that works, without waiting for a beat', async () => {
  let asked = 0
  const kind = kindThat(async () => {
    asked += 1
    return { state: 'done' }
  })
  const sources = { kinds: [kind], secrets: testBox }
  const working = await buildTestApp({ sources })
  const serving = await buildTestApp({ databases: working.databases, sources, settings: { WORKERS: 'off' } })
  await Promise.all([working, serving].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
  const { headers } = await serving.signIn('admin')
  const payload = { kind: 'address', name: 'Now', settings: {} }
  const { id } = (await serving.app.inject({ method: 'POST', url: '/api/sources', headers, payload })).json()
  await expect.poll(() => asked, { timeout: 25_000 }).toBe(1)
  const isIdle = async () =>
    (
      await working.databases.customPlanPool.query(
        'select from sources where id = $1 and running_id is null',
        [id],
      )
    ).rowCount
  await expect.poll(isIdle).toBe(1)
  await serving.app.inject({ method: 'POST', url: `/api/sources/${id}/run`, headers })
  await expect.poll(() => asked, { timeout: 25_000 }).toBe(2)
})

test('sources that wait for slow servers keep no other from being asked', async () => {
  const letGo = Promise.withResolvers<void>()
  let waiting = 0
  let hasAsked = false
  const kind = kindThat(async () => {
    if (waiting < 6) {
      waiting += 1
      await letGo.promise
    } else hasAsked = true
    return { state: 'done' }
  })
  const { app, signIn } = await buildTestApp({ sources: { kinds: [kind], secrets: testBox } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { headers } = await signIn('admin')
  for (let at = 0; at < 7; at++) {
    const payload = { kind: 'address', name: `Slow ${at}`, settings: {} }
    await app.inject({ method: 'POST', url: '/api/sources', headers, payload })
  }
  await expect.poll(() => hasAsked, { timeout: 25_000 }).toBe(true)
  expect(waiting).toBe(6)
  letGo.resolve()
})

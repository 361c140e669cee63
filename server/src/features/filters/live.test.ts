import { filtersEventSchema } from '@dealdeck/contract/filters'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { publish, stampOf } from '../../../testing/streams.ts'
import type { Databases } from '../../platform/database/database.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { addFilter } from './actions.ts'
import { relayFilters } from './live.ts'

type Message = { id: string | undefined; event: string; data: unknown }

async function originOf({ app }: TestApp): Promise<string> {
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** The messages a reader has got so far; blocks without data, such as heartbeats, left out. */
async function openStream(origin: string, who: SignedIn, lastEventId?: string): Promise<() => Message[]> {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const response = await fetch(`${origin}/api/products/events`, {
    headers: { cookie: who.headers.cookie, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: ended.signal,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => undefined)
  return () =>
    text.split('\n\n').flatMap((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/, 2)))
      return fields.data ? [{ id: fields.id, event: fields.event, data: JSON.parse(fields.data) }] : []
    })
}

const versionsOf = (messages: Message[]) =>
  messages
    .filter(({ event }) => event === 'filters')
    .map(({ data }) => filtersEventSchema.parse(data).version)

const brand = (name: string) => ({ category: 'brands' as const, name, code: `p_89:${name}` })

test('a change reaches the open streams of every instance, and nothing else is said', async () => {
  const testApp = await buildTestApp()
  const other = await buildTestApp({ databases: testApp.databases })
  const who = await testApp.signIn('user')
  const [here, there] = [await originOf(testApp), await originOf(other)]
  const streams = [await openStream(here, who), await openStream(there, who)]
  await addFilter(testApp.databases, brand('Acme'))
  await addFilter(other.databases, brand('Bolt'))
  for (const stream of streams) await expect.poll(() => versionsOf(stream())).toEqual([1, 2])
  const late = await openStream(there, who)
  await addFilter(testApp.databases, brand('Cog'))
  await expect.poll(() => late()).toEqual([{ id: undefined, event: 'filters', data: { version: 3 } }])
})

test('a reader’s place among the deals is untouched: no id, and Last-Event-ID resumes as before', async () => {
  const testApp = await buildTestApp()
  const { databases } = testApp
  const who = await testApp.signIn('user')
  const origin = await originOf(testApp)
  const first = await openStream(origin, who)
  await publish(testApp, 1)
  await expect.poll(() => first().map(({ event }) => event)).toContain('deals')
  await addFilter(databases, brand('Acme'))
  await expect.poll(() => versionsOf(first()).at(-1)).toBe(1)
  expect(first().flatMap(({ event, id }) => (event === 'filters' ? [id] : []))).toEqual([undefined])
  await publish(testApp, 2)
  const [one, two] = [await stampOf(testApp, 1), await stampOf(testApp, 2)]
  const resumed = await openStream(origin, who, one)
  await expect.poll(() => resumed().map(({ id, event }) => [id, event])).toEqual([[two, 'deals']])
})

test('what changed while nothing could be heard is told when the bus is back', async () => {
  const testApp = await buildTestApp()
  const { databases } = testApp
  const stream = await openStream(await originOf(testApp), await testApp.signIn('user'))
  await addFilter(databases, brand('Acme'))
  await expect.poll(() => versionsOf(stream())).toEqual([1])
  // Nothing announces this one, so only who looks after a loss learns of it.
  await databases.durablePool.query('update filter_state set version = version + 5')
  await databases.durablePool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'dealdeck listen'`,
  )
  await expect.poll(() => versionsOf(stream())).toEqual([1, 6])
})

test('in another epoch a version counts again that was told before', async () => {
  const testApp = await buildTestApp()
  const { databases } = testApp
  const { durablePool } = databases
  const who = await testApp.signIn('user')
  const origin = await originOf(testApp)
  const before = await openStream(origin, who)
  for (const name of ['Acme', 'Bolt', 'Cog']) await addFilter(databases, brand(name))
  await expect.poll(() => versionsOf(before())).toEqual([1, 2, 3])
  await durablePool.query('update feed_state set epoch = default')
  await durablePool.query('update filter_state set version = 1')
  const listener = async (end = '') =>
    (
      await durablePool.query<{ pid: number }>(
        `select pid ${end} from pg_stat_activity
         where datname = current_database() and application_name = 'dealdeck listen'`,
      )
    ).rows[0]?.pid
  const ended = await listener(', pg_terminate_backend(pid)')
  await expect.poll(async () => ![undefined, ended].includes(await listener())).toBe(true)
  const after = await openStream(origin, who)
  await addFilter(databases, brand('Dyna'))
  await expect.poll(() => versionsOf(after()).at(-1)).toBe(2)
})

/** The versions told by a relay while so many streams are open, and a way to have its bus come back; that hears nothing. */
function deafRelay(databases: Databases, open: number): { told: number[]; reconnect: () => void } {
  const told: number[] = []
  const back: (() => void)[] = []
  const bus = { connected: true, on: () => undefined, onConnect: (read: () => void) => back.push(read) }
  // As much of a bus as is asked for.
  relayFilters(databases, bus as unknown as LiveBus, { figures: { open } }, (version) => told.push(version))
  return { told, reconnect: () => back[0]?.() }
}

test('a version that could not be read when the bus came back is read again', async () => {
  const { databases } = await buildTestApp()
  const { told, reconnect } = deafRelay(databases, 0)
  const query = vi.spyOn(databases.customPlanPool, 'query')
  onTestFinished(() => query.mockRestore())
  reconnect()
  await query.mock.results[0]?.value
  await addFilter(databases, brand('Late'))
  query.mockImplementationOnce(() => Promise.reject(new Error('all connections are taken')))
  reconnect()
  await expect.poll(() => told).toEqual([1])
})

test('streams that opened before the version was first read are told of it', async () => {
  const { databases } = await buildTestApp()
  await addFilter(databases, brand('Early'))
  const [unheard, heard] = [deafRelay(databases, 0), deafRelay(databases, 1)]
  const query = vi.spyOn(databases.customPlanPool, 'query')
  unheard.reconnect()
  heard.reconnect()
  await Promise.all(query.mock.results.map(({ value }) => value))
  query.mockRestore()
  await expect.poll(() => heard.told).toEqual([1])
  await addFilter(databases, brand('Next'))
  unheard.reconnect()
  await expect.poll(() => unheard.told).toEqual([2])
})

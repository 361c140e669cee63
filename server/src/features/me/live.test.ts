import { memberEventSchema } from '@dealdeck/contract/me'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { addItem } from './actions.ts'

const preset = { kind: 'link_preset' as const, value: { name: 'Lamps', search: { q: 'lamp' } } }
const torches = { kind: 'link_preset' as const, value: { name: 'Torches', search: { q: 'torch' } } }

/** How often a reader has been told so far that something of theirs changed. */
async function openStream({ app }: TestApp, { headers }: SignedIn): Promise<() => number> {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const response = await fetch(`${app.listeningOrigin}/api/products/events`, {
    headers: { cookie: headers.cookie },
    signal: ended.signal,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => undefined)
  return () =>
    text.split('\n\n').filter((block) => {
      const data = /^event: me\ndata: (.*)$/.exec(block)?.[1]
      return data !== undefined && memberEventSchema.parse(JSON.parse(data)).changed === 'items'
    }).length
}

test('a change is told to the member’s streams at every instance, and to nobody else’s', async () => {
  const here = await buildTestApp()
  const there = await buildTestApp({ databases: here.databases })
  await Promise.all([here, there].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
  const [member, stranger] = [await here.signIn('user'), await here.signIn('admin')]
  const streams = await Promise.all([here, there].map((instance) => openStream(instance, member)))
  const strangers = await Promise.all([here, there].map((instance) => openStream(instance, stranger)))
  await addItem(here.databases, member.user.id, preset)
  for (const told of streams) await expect.poll(told).toBe(1)
  await addItem(here.databases, stranger.user.id, torches)
  for (const told of strangers) await expect.poll(told).toBe(1)
  expect(streams.map((told) => told())).toEqual([1, 1])
})

test('what was not heard while the bus was lost is made up for', async () => {
  const instance = await buildTestApp()
  await instance.app.listen({ port: 0, host: '127.0.0.1' })
  const told = await openStream(instance, await instance.signIn('user'))
  await instance.databases.durablePool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'dealdeck listen' and datname = current_database()",
  )
  await expect.poll(told).toBe(1)
})

test('a change that is refused tells nobody', async () => {
  const instance = await buildTestApp()
  await instance.app.listen({ port: 0, host: '127.0.0.1' })
  const { user, ...who } = await instance.signIn('user')
  const told = await openStream(instance, { user, ...who })
  await addItem(instance.databases, user.id, preset)
  const other = { ...preset, value: { ...preset.value, search: {} } }
  await expect(addItem(instance.databases, user.id, other)).rejects.toThrow('already a preset')
  await addItem(instance.databases, user.id, torches)
  await expect.poll(told).toBe(2)
})

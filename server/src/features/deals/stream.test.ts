import { connect } from 'node:net'
import { type Logger, pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { listening, openStream, publish, recordAdded, stampOf } from '../../../testing/streams.ts'
import { openWeakLink } from '../../../testing/weak-link.ts'
import { DatabaseHosts } from '../../platform/database/database-hosts.ts'
import { withDealWrites } from './actions.ts'
import { readRevision } from './following/revisions.ts'

/** An instance that can be cut off from what is announced, and from nothing else. */
async function buildListeningApp(options: { log?: Logger } = {}) {
  const databases = await testDatabases()
  const link = await openWeakLink(databases.url)
  whenDone(() => link.close())
  // A refusal is no outage: whoever has connections of its own goes on.
  const hosts = new DatabaseHosts(link.url)
  const testApp = await buildTestApp({ ...options, databases: { ...databases, hosts } })
  const listeners = `from pg_stat_activity where datname = current_database() and application_name = 'dealdeck listen'`
  const stopListening = async () => {
    link.refuse()
    await expect
      .poll(async () => (await databases.customPlanPool.query(`select ${listeners}`)).rowCount)
      .toBe(0)
  }
  return { testApp, stopListening, listenAgain: () => link.mend() }
}

test('every open stream hears each commit once; Last-Event-ID resumes without gap or repeat', async () => {
  const testApp = await buildTestApp()
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const first = await openStream(port, who)
  const second = await openStream(port, who)
  expect(first.response.headers['content-type']).toMatch('text/event-stream')
  await publish(testApp, 1)
  await publish(testApp, 2)
  await expect.poll(() => second.messages.length).toBe(2)
  second.close()
  const cutAt = second.messages.at(-1)?.id ?? 0
  // Commits go on while the reader comes back.
  const burst = Promise.all(Array.from({ length: 40 }, (_, index) => publish(testApp, 100 + index)))
  const resumed = await openStream(port, who, second.messages.at(-1)?.stamp)
  await burst
  await expect.poll(() => first.messages.length).toBe(42)
  await expect.poll(() => resumed.messages.length).toBe(40)
  const ids = [...second.messages, ...resumed.messages].flatMap((message) => message.data.added)
  expect(new Set(ids).size).toBe(42)
  expect(resumed.messages.map((message) => message.id)).toEqual(
    Array.from({ length: 40 }, (_, index) => cutAt + 1 + index),
  )
})

test('a new stream begins at the last broadcast and asks the database nothing', async () => {
  // Work in the background asks it too.
  const testApp = await buildTestApp({ settings: { WORKERS: 'off' } })
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const first = await openStream(port, who)
  await publish(testApp, 1)
  await expect.poll(() => first.messages.length).toBe(1)
  const asked = vi.spyOn(testApp.databases.customPlanPool, 'query')
  const second = await openStream(port, who)
  const resumed = await openStream(port, who, first.messages[0]?.stamp)
  expect(asked).not.toHaveBeenCalled()
  await publish(testApp, 2)
  for (const stream of [second, resumed])
    await expect.poll(() => stream.messages.map((message) => message.data.added)).toEqual([[2]])
})

test('the head of a stream is answered at once, opens none, and leaves its connection to the next request', async () => {
  const testApp = await buildTestApp()
  const { cookie } = (await testApp.signIn('user')).headers
  const socket = connect(await listening(testApp), '127.0.0.1')
  whenDone(async () => void socket.destroy())
  let answers = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answers += text
  })
  const head = (request: string) => `${request} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`
  socket.write(head('HEAD /api/products/events') + head('GET /api/session'))
  await expect.poll(() => answers).toMatch(/^HTTP\/1\.1 200 .*text\/event-stream.*HTTP\/1\.1 200 .*"user"/s)
  expect((await testApp.app.inject('/metrics')).body).toContain('\ndealdeck_streams_opened_total 0\n')
})

test('a change committed by another instance arrives too', async () => {
  const testApp = await buildTestApp()
  const other = await buildTestApp({ databases: testApp.databases })
  const stream = await openStream(await listening(testApp), await testApp.signIn('user'))
  await publish(other, 7)
  await expect.poll(() => stream.messages.map((message) => message.data.added)).toEqual([[7]])
})

test('a revision that is no longer kept, or of another database, is answered with reset', async () => {
  const testApp = await buildTestApp()
  const who = await testApp.signIn('user')
  for (const id of [1, 2, 3]) await publish(testApp, id)
  await testApp.databases.durablePool.query('delete from feed_events where revision <= 2')
  // One that was there when they were made still has them.
  const other = await buildTestApp({ databases: testApp.databases })
  const otherPort = await listening(other)
  for (const lastEventId of [0, 999]) {
    const stream = await openStream(otherPort, who, await stampOf(testApp, lastEventId))
    await expect.poll(() => stream.messages.map(({ event, id }) => [event, id])).toEqual([['reset', 3]])
  }
})

test('a revision that a crash of the database took back is not missed when its number is given out again', async () => {
  const { testApp, stopListening, listenAgain } = await buildListeningApp()
  const { customPlanPool } = testApp.databases
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const stream = await openStream(port, who)
  for (const id of [1, 2, 3]) await publish(testApp, id)
  await expect.poll(() => stream.messages.at(-1)?.id).toBe(3)
  const stamps = [await stampOf(testApp, 3), '3']
  // As after the crash: the last two are gone, and the next writer is quicker than this instance's return.
  await stopListening()
  await customPlanPool.query('delete from feed_events where revision > 1')
  await customPlanPool.query('update feed_state set revision = 1')
  for (const id of [4, 5, 6]) await publish(testApp, id)
  listenAgain()
  await expect.poll(() => stream.ended).toBe(true)
  for (const lastEventId of stamps) {
    const resumed = await openStream(port, who, lastEventId)
    await expect.poll(() => resumed.messages.at(-1)?.event).toBe('reset')
  }
})

test('missing more revisions than are kept begins no epoch, and has everybody here reset', async () => {
  const { testApp, stopListening, listenAgain } = await buildListeningApp()
  const { customPlanPool } = testApp.databases
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const stream = await openStream(port, who)
  for (const id of [1, 2, 3]) await publish(testApp, id)
  await expect.poll(() => stream.messages.at(-1)?.id).toBe(3)
  const { epoch } = await readRevision(customPlanPool)
  await stopListening()
  for (const id of [4, 5, 6]) await publish(testApp, id)
  await customPlanPool.query('delete from feed_events where revision <= 5')
  listenAgain()
  await expect.poll(() => stream.ended).toBe(true)
  const last = stream.messages.findLast(({ id }) => id === 3)
  const resumed = await openStream(port, who, last?.stamp)
  await expect.poll(() => resumed.messages.map(({ event, id }) => [event, id])).toEqual([['reset', 6]])
  expect(await readRevision(customPlanPool)).toEqual({ epoch, revision: 6 })
})

test('a stream asked for while no changes are heard begins with them, and is refused when that takes long', async () => {
  // What is refused so is a fault of the database, which the log tells of.
  const log = pino({ level: 'silent' })
  const { testApp, stopListening, listenAgain } = await buildListeningApp({ log })
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const first = await openStream(port, who)
  await stopListening()
  const waiting = openStream(port, who)
  await publish(testApp, 1)
  listenAgain()
  const stream = await waiting
  await publish(testApp, 2)
  for (const open of [first, stream]) await expect.poll(() => open.messages.at(-1)?.id).toBe(2)
  await stopListening()
  await expect(openStream(port, who)).rejects.toThrow('answered 503')
  listenAgain()
})

test('ending a session ends its stream and nobody else’s', async () => {
  const testApp = await buildTestApp()
  const [leaving, staying] = [await testApp.signIn('user'), await testApp.signIn('user')]
  const port = await listening(testApp)
  const streams = [await openStream(port, leaving), await openStream(port, staying)]
  await testApp.app.inject({ method: 'DELETE', url: '/api/session', headers: leaving.headers })
  await expect.poll(() => streams.map((stream) => stream.ended)).toEqual([true, false])
})

test('deactivating a user in the database alone ends the stream within five seconds', async () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const testApp = await buildTestApp()
  const who = await testApp.signIn('user')
  const stream = await openStream(await listening(testApp), who)
  await testApp.databases.db
    .updateTable('users')
    .set({ is_active: false })
    .where('id', '=', who.user.id)
    .execute()
  vi.advanceTimersByTime(5_000)
  // Polling moves such a clock on.
  vi.useRealTimers()
  await expect.poll(() => stream.ended).toBe(true)
})

test('revisions commit in order under many writers, and a failed writer leaves no trace', async () => {
  const testApp = await buildTestApp()
  const writes = Array.from({ length: 60 }, (_, index) =>
    index % 5 === 0
      ? withDealWrites(testApp.databases, async (writes) => {
          await recordAdded(writes, index)
          throw new Error('changed my mind')
        }).catch(() => undefined)
      : publish(testApp, index),
  )
  await Promise.all(writes)
  expect(await readRevision(testApp.databases.customPlanPool)).toMatchObject({ revision: 48 })
})

test('an id of before there were epochs, or of another one, is answered with reset', async () => {
  const testApp = await buildTestApp()
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  for (const id of [1, 2, 3]) await publish(testApp, id)
  const streams = ['2', '3', '00000000-2', '00000000-99'].map((id) => openStream(port, who, id))
  // What this process hadn't heard yet when the stream began follows the reset.
  for (const stream of await Promise.all(streams))
    await expect.poll(() => [stream.messages[0]?.event, stream.messages.at(-1)?.id]).toEqual(['reset', 3])
  // Cut off before it has heard that, it must come back with the id it had.
  for (const { text } of await Promise.all(streams))
    expect(text).toMatch(/^retry: 2000\n\nid: [0-9a-f]{8}-\d\nevent: reset\n/)
  await publish(testApp, 4)
  for (const stream of await Promise.all(streams))
    await expect.poll(() => stream.messages.at(-1)).toMatchObject({ event: 'deals', id: 4 })
})

test('a restored backup begins an epoch: numbers given out again are another story for streams and pages', async () => {
  const { testApp, stopListening, listenAgain } = await buildListeningApp()
  const { durablePool } = testApp.databases
  const who = await testApp.signIn('user')
  const port = await listening(testApp)
  const page = (tag?: string) =>
    testApp.app.inject({
      url: '/api/products',
      headers: { ...who.headers, ...(tag && { 'if-none-match': tag }) },
    })
  for (const id of [1, 2]) await publish(testApp, id)
  const before = await openStream(port, who)
  await publish(testApp, 3)
  await expect.poll(() => before.messages.at(-1)?.id).toBe(3)
  const told = before.messages.at(-1)?.stamp
  const tag = String((await page()).headers.etag)
  expect((await page(tag)).statusCode).toBe(304)

  await stopListening()
  await durablePool.query('update feed_state set epoch = default, revision = 2')
  await durablePool.query('delete from feed_events where revision > 2')
  await publish(testApp, 33)
  listenAgain()
  await expect.poll(() => before.ended).toBe(true)
  const after = await openStream(port, who, told)
  await expect.poll(() => after.messages.map(({ event }) => event)).toEqual(['reset'])
  expect((await page(tag)).statusCode).toBe(200)
})

test('tables that PostgreSQL’s own tools have put back are of another epoch, with the same rows on the same server', async () => {
  const { customPlanPool, durablePool } = (await buildTestApp()).databases
  const before = await readRevision(customPlanPool)
  await durablePool.query(
    'create table again (like feed_state including all); insert into again select * from feed_state',
  )
  await durablePool.query('drop table feed_state; alter table again rename to feed_state')
  const after = await readRevision(customPlanPool)
  expect(after.revision).toBe(before.revision)
  expect(after.epoch).not.toBe(before.epoch)
})

test('a change that another epoch numbers as the next is not told as the next', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  const stream = await openStream(port, who)
  await publish(testApp, 1)
  await expect.poll(() => stream.messages.map(({ id }) => id)).toEqual([1])
  await testApp.databases.durablePool.query('update feed_state set epoch = default')
  await publish(testApp, 2)
  await expect.poll(() => stream.ended).toBe(true)
  expect(stream.messages.map(({ id }) => id)).toEqual([1])
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { eventsPath, feedEventsPath, liveEventSchema } from '@dealdeck/contract/events'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { listening, openStream, publish, stampOf } from '../../../testing/streams.ts'
import { addFilter } from '../../features/filters/actions.ts'
import { addItem } from '../../features/me/actions.ts'
import { streamsPerMember } from './event-stream.ts'

type Stream = Awaited<ReturnType<typeof openStream>>

const addresses = [eventsPath, feedEventsPath]
const preset = (name: string) => ({ kind: 'link_preset' as const, value: { name, search: { q: name } } })

/** What a stream at the new address begins with, after what was missed. */
const stateNow = 'event: database\ndata: {"is_away":false,"is_read_only":false}\n\n'

/** Everything a stream has said, in the contract's words; throws for what the contract doesn't know. */
const eventsOf = (text: string) =>
  [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data]) =>
    liveEventSchema.parse({ event, data: JSON.parse(data ?? '') }),
  )
/** The same without what only one of the addresses begins with. */
const namesOf = ({ text }: Stream) => eventsOf(text.replace(stateNow, '')).map(({ event }) => event)

const revisionsOf = ({ messages }: Stream) =>
  messages.flatMap(({ event, id }) => (event === 'deals' ? [id] : []))

/** Two instances on one database, listening. */
async function twoInstances(): Promise<{ here: TestApp; ports: number[] }> {
  const here = await buildTestApp()
  const there = await buildTestApp({ databases: here.databases })
  return { here, ports: [await listening(here), await listening(there)] }
}

/** Streams of one member at both addresses of each instance. */
const openEverywhere = (ports: number[], who: SignedIn, lastEventId?: string) =>
  Promise.all(ports.flatMap((port) => addresses.map((path) => openStream(port, who, lastEventId, path))))

test.each(['user', 'admin'] as const)('both addresses resume a %s with the same bytes', async (role) => {
  const { here, ports } = await twoInstances()
  const who = await here.signIn(role)
  for (const id of [1, 2, 3]) await publish(here, id)
  const asked = [await stampOf(here, 1), '1', undefined]
  const expected = [['deals', 'deals'], ['reset'], []]
  for (const [at, lastEventId] of asked.entries()) {
    const streams = await openEverywhere(ports, who, lastEventId)
    for (const stream of streams) {
      await expect.poll(() => stream.text).toMatch(/^retry: /)
      await expect.poll(() => namesOf(stream)).toEqual(expected[at])
    }
    const texts = streams.map(({ text }) => text.replace(stateNow, ''))
    expect(new Set(texts).size).toBe(1)
    for (const { close } of streams) close()
  }
})

test('the new address is resumed by its question too; what a browser says by itself is newer', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  for (const id of [1, 2, 3]) await publish(testApp, id)
  const [one, two] = [await stampOf(testApp, 1), await stampOf(testApp, 2)]
  const asked = (path: string, header?: string) =>
    openStream(port, who, header, `${path}?last_event_id=${one}`)
  const byQuestion = await asked(eventsPath)
  await expect.poll(() => revisionsOf(byQuestion)).toEqual([2, 3])
  const byHeader = await asked(eventsPath, two)
  await expect.poll(() => revisionsOf(byHeader)).toEqual([3])
  // The first address is as it was: a question says nothing there.
  const first = await asked(feedEventsPath)
  await publish(testApp, 4)
  await expect.poll(() => revisionsOf(first)).toEqual([4])
  for (const method of ['GET', 'HEAD'] as const) {
    const url = `${eventsPath}?last_event_id=made-up`
    const refused = await testApp.app.inject({ method, url, headers: who.headers })
    expect(refused.statusCode).toBe(400)
  }
})

test('what is for all reaches all at both addresses of two instances, what is for a member only that one', async () => {
  const { here, ports } = await twoInstances()
  const [user, admin] = [await here.signIn('user'), await here.signIn('admin')]
  const users = await openEverywhere(ports, user)
  const admins = await openEverywhere(ports, admin)
  const { databases } = here
  await addItem(databases, user.user.id, preset('Lamps'))
  for (const stream of users) await expect.poll(() => namesOf(stream)).toEqual(['me'])
  await addFilter(databases, { category: 'brands', name: 'Acme', code: 'p_89:Acme' })
  await publish(here, 1)
  databases.watch.onChange.forEach((tell) => void tell('read_only'))
  const forAll = ['database', 'deals', 'filters']
  for (const stream of admins) await expect.poll(() => namesOf(stream).sort()).toEqual(forAll)
  for (const stream of users) await expect.poll(() => namesOf(stream).sort()).toEqual([...forAll, 'me'])
  await addItem(databases, admin.user.id, preset('Torches'))
  for (const stream of admins) await expect.poll(() => namesOf(stream)).toContain('me')
  expect(users.map((stream) => namesOf(stream).filter((name) => name === 'me'))).toEqual(
    users.map(() => ['me']),
  )
})

test('a stream for a tab begins with the state of the database, after what it missed; the first address does not', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  for (const id of [1, 2]) await publish(testApp, id)
  const one = await stampOf(testApp, 1)
  const resumed = await openStream(port, who, one, eventsPath)
  const namesIn = ({ text }: Stream) => eventsOf(text).map(({ event }) => event)
  await expect.poll(() => namesIn(resumed)).toEqual(['deals', 'database'])
  const fresh = await openStream(port, who, undefined, eventsPath)
  await expect.poll(() => fresh.text).toContain(`\n\n${stateNow}`)
  const first = await openStream(port, who, one, feedEventsPath)
  await publish(testApp, 3)
  await expect.poll(() => namesIn(first)).toEqual(['deals', 'deals'])
})

test('the bound of a member counts the streams at both addresses together', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const who = await testApp.signIn('user')
  for (let at = 0; at < streamsPerMember; at++)
    await openStream(port, who, undefined, addresses[at % addresses.length])
  for (const url of addresses)
    expect((await testApp.app.inject({ url, headers: who.headers })).statusCode).toBe(429)
})

test('what comes in behind an open stream ends it, and is answered by nothing in its middle', async () => {
  const testApp = await buildTestApp()
  const port = await listening(testApp)
  const { headers } = await testApp.signIn('user')
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  const request = `GET ${eventsPath} HTTP/1.1\r\nhost: localhost\r\ncookie: ${headers.cookie}\r\n\r\n`
  socket.write(request)
  await expect.poll(() => text).toMatch(stateNow)
  const closed = once(socket, 'close')
  socket.write('this is no request\r\n\r\n')
  await closed
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(text.split('\r\n')).toEqual(
    expect.arrayContaining([
      'connection: close',
      'content-type: text/event-stream; charset=utf-8',
      expect.stringMatching(/^date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
    ]),
  )
  expect(text).not.toMatch(/transfer-encoding/i)
})

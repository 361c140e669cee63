import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EventStreams, type StreamEvent, type StreamReader, streamsPerMember } from './event-stream.ts'

type Arrival = [request: IncomingMessage, response: ServerResponse]

/** Readers who come by HTTP, and what their requests look like from inside. */
async function serve() {
  const arrivals: Arrival[] = []
  const server = createServer((...arrival) => arrivals.push(arrival)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = server.address() as AddressInfo
  const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  /** A new reader's socket, and its request and response. */
  const arrive = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    return { socket, ...(await next(socket)) }
  }
  /** The next request on that socket. */
  const next = async (socket: Socket) => {
    const before = arrivals.length
    ask(socket)
    const [request, response] = await vi.waitUntil(() => arrivals[before])
    return {
      response,
      connection: { response, socket: request.socket, sessionKey: 'a', userId: 1, isAdministrator: false },
    }
  }
  return { arrive, next }
}

/** Streams that end with the test. */
function open(...peers: ConstructorParameters<typeof EventStreams>): EventStreams {
  const streams = new EventStreams(...peers)
  onTestFinished(() => streams.close())
  return streams
}

async function reset(socket: Socket, inside: Socket): Promise<void> {
  socket.resetAndDestroy()
  if (!inside.closed) await once(inside, 'close').catch(() => undefined)
}

const at = (revision: number) => ({ epoch: 'e', revision })
const event = (position: number, bytes = 1): StreamEvent => ({
  position,
  bytes: Buffer.from(`id: e-${position}\nevent: deals\ndata: "${'x'.repeat(bytes)}"\n\n`),
})

test('a reader is forgotten whenever it leaves: before it is admitted, before it is answered, or later', async () => {
  const { arrive } = await serve()
  const [early, waiting, late, staying] = [await arrive(), await arrive(), await arrive(), await arrive()]
  const more: (typeof early)[] = []
  while (more.length < streamsPerMember) more.push(await arrive())
  await reset(early.socket, early.connection.socket)
  // Whoever listens from now on is told nothing any more.
  await vi.waitUntil(() => early.response.closed)
  const streams = open()
  const readers = [early, waiting, late, staying].map(({ connection }) => streams.admit(connection))
  await reset(waiting.socket, waiting.connection.socket)
  for (const reader of readers) streams.begin(reader, [], at(3))
  expect(streams.figures).toEqual({ open: 2, opened: 2, dropped: 0 })
  await reset(late.socket, late.connection.socket)
  await vi.waitUntil(() => streams.figures.open === 1)
  expect([...streams.readers]).toEqual(readers.slice(3))
  // Nor does it hold a place of its member.
  for (const { connection } of more.slice(1)) streams.admit(connection)
  for (const { connection } of more.slice(0, 1))
    expect(() => streams.admit(connection)).toThrow('You have 20 pages open')
})

test('a reader who waits behind another answer, or whose end nobody tells of, is forgotten with its connection', async () => {
  const { arrive, next } = await serve()
  const streams = open()
  const first = await arrive()
  const second = await next(first.socket)
  const untold = await arrive()
  for (const { connection } of [second, untold]) streams.begin(streams.admit(connection), [], at(3))
  untold.response.removeAllListeners('close')
  expect(streams.figures.open).toBe(2)
  for (const { socket, connection } of [{ ...second, ...first }, untold])
    await reset(socket, connection.socket)
  await vi.waitUntil(() => streams.figures.open === 0, { timeout: 15_000 })
})

test('a member has twenty streams in all sessions, others have theirs, and one that ends makes room', async () => {
  const { arrive } = await serve()
  const streams = open()
  const readers: StreamReader[] = []
  while (readers.length < streamsPerMember)
    readers.push(streams.admit({ ...(await arrive()).connection, sessionKey: `session ${readers.length}` }))
  const { connection } = await arrive()
  expect(() => streams.admit(connection)).toThrow(
    expect.objectContaining({ code: 'TOO_MANY_REQUESTS', retryAfter: 5 }),
  )
  streams.admit({ ...connection, userId: 2 })
  for (const reader of readers.slice(0, 1)) streams.leave(reader)
  // Whoever leaves twice makes room once.
  for (const reader of readers.slice(0, 1)) streams.leave(reader)
  streams.admit(connection)
  expect(() => streams.admit(connection)).toThrow()
})

test('what a member has open in other processes counts, and of too many the newest end', async () => {
  const { arrive } = await serve()
  let told: () => unknown[] = () => []
  let elsewhere = 0
  const streams = open({
    elsewhere: (_, member) => (member === '1' ? elsewhere : 0),
    otherProcesses: () => 1,
    watch: (_, source) => {
      told = () => [...source()]
    },
  })
  const { connection } = await arrive()
  const others = { ...connection, userId: 2 }
  const join = async () => {
    const reader = streams.admit((await arrive()).connection)
    streams.begin(reader, [], at(3))
    return reader
  }
  const readers = [await join(), await join(), await join(), await join()]
  streams.admit(others)
  elsewhere = 16
  expect(() => streams.admit(connection)).toThrow()
  expect(told()).toEqual([['1', 4]])
  expect(streams.figures.open).toBe(4)
  elsewhere = 36
  await vi.waitUntil(() => streams.figures.open < 4, { timeout: 15_000 })
  expect([...streams.readers]).toEqual(readers.slice(0, 2))
  expect(told()).toEqual([['1', 2]])
  elsewhere = 1_000
  await vi.waitUntil(() => streams.figures.open < 2, { timeout: 15_000 })
  expect([...streams.readers]).toEqual(readers.slice(0, 1))
})

test('a reader that does not take what it was sent is dropped at the second heartbeat, a slow one is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { arrive } = await serve()
  const streams = open()
  const [silent, slow] = [await arrive(), await arrive()]
  for (const { connection, socket } of [silent, slow]) {
    socket.pause()
    streams.begin(streams.admit(connection), [], at(3))
  }
  // More than the system keeps for a connection, and less than a reader may leave unread.
  let position = 4
  const isFull = () => [...streams.readers].every(({ sink }) => sink.writableNeedDrain)
  const fill = async () => {
    while (!isFull()) {
      streams.broadcast(event(position++, 100_000))
      if (isFull()) await sleep(50)
    }
  }
  await fill()
  vi.advanceTimersByTime(15_000)
  expect(streams.figures).toMatchObject({ open: 2, dropped: 0 })
  slow.socket.resume()
  while (slow.connection.socket.writableNeedDrain) await sleep(10)
  vi.advanceTimersByTime(15_000)
  expect(streams.figures).toMatchObject({ open: 1, dropped: 1 })
  expect(silent.connection.socket.destroyed).toBe(true)
  slow.socket.setEncoding('utf8')
  const heard: string[] = []
  slow.socket.on('data', (text: string) => heard.push(text))
  vi.advanceTimersByTime(15_000)
  while (!heard.join('').includes(': still here')) await sleep(10)
  // Being slow once more is no second time.
  slow.socket.pause()
  await fill()
  vi.advanceTimersByTime(15_000)
  expect(streams.figures).toMatchObject({ open: 1, dropped: 1 })
  vi.advanceTimersByTime(15_000)
  expect(streams.figures).toMatchObject({ open: 0, dropped: 2 })
})

test('the end reaches everybody, also those who are about to begin', async () => {
  const { arrive } = await serve()
  const streams = open()
  const [one, other] = [await arrive(), await arrive()]
  const texts = [one, other].map(async ({ socket }) => {
    let text = ''
    for await (const piece of socket) {
      text += piece
      if (text.endsWith('0\r\n\r\n')) return text
    }
    return text
  })
  const readers = [one, other].map(({ connection }) => streams.admit(connection))
  const [first, second] = readers
  if (!first || !second) throw new Error('Nobody was admitted')
  streams.begin(first, [], at(3))
  streams.close()
  streams.begin(second, [], at(3), event(4))
  streams.broadcast(event(5))
  expect((await texts[0])?.split('\r\n')).toContain('retry: 2000\nid: e-3\n\n')
  expect(await texts[1]).toContain('id: e-4\nevent: deals\ndata: "x"')
  expect(await texts[1]).not.toContain('id: 5')
  expect(streams.figures).toEqual({ open: 0, opened: 2, dropped: 0 })
})

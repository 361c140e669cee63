import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { boundConnections } from './connections.ts'

/** A server on a port that answers when told to, and a way to send it bytes; `begun` are the requests worked on. */
async function server(connectionTimeout = 0) {
  const app = Fastify({ connectionTimeout, keepAliveTimeout: 300 })
  const begun: string[] = []
  let [inRound, most] = [0, 0]
  const goOn = Promise.withResolvers<void>()
  boundConnections(app)
  app.get('/large', async () => 'x'.repeat(30_000_000))
  app.get('/:name', async ({ url }) => {
    begun.push(url)
    if (inRound === 0)
      setImmediate(() => {
        inRound = 0
      })
    inRound += 1
    most = Math.max(most, inRound)
    await goOn.promise
    return `answer to ${url}.`
  })
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  whenDone(async () => {
    goOn.resolve()
    app.server.closeAllConnections()
    await app.close()
  })
  const send = (...paths: string[]) => {
    const socket = connect(port, '127.0.0.1')
    const state = { socket, text: '', isClosed: false }
    socket.on('error', () => undefined)
    socket.on('close', () => {
      state.isClosed = true
    })
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''))
    return state
  }
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
  return { begun, mostInRound: () => most, goOn: goOn.resolve, send, connections }
}

const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`)

test('requests sent one behind the other are worked on one at a time, and answered in their order', async () => {
  const { begun, goOn, send } = await server()
  const sender = send(...paths(50))
  sender.socket.on('data', (data) => {
    sender.text += data
  })
  await expect.poll(() => begun).toEqual(['/0'])
  // Another connection is another one.
  send('/other')
  await expect.poll(() => begun).toEqual(['/0', '/other'])
  goOn()
  await expect.poll(() => sender.text).toContain('answer to /49.')
  expect([...sender.text.matchAll(/answer to (\/\d+)\./g)].map(([, path]) => path)).toEqual(paths(50))
  expect(sender.isClosed).toBe(false)
})

test('of requests sent at once one is begun in each round of the event loop, so that others come in between', async () => {
  const { begun, mostInRound, goOn, send } = await server()
  goOn()
  send(...paths(50))
  await expect.poll(() => begun.length).toBe(50)
  expect(mostInRound()).toBe(1)
})

test('a connection that sends a hundred more before the first is answered is closed, and they are worked on never', async () => {
  const { begun, send, connections } = await server()
  const keeps = send(...paths(101))
  const loses = send(...paths(102))
  await once(loses.socket, 'close')
  await expect.poll(connections).toBe(1)
  expect([keeps.isClosed, begun]).toEqual([false, ['/0', '/0']])
})

test('those behind a request whose sender left are worked on never', async () => {
  const { begun, goOn, send, connections } = await server()
  const sender = send('/first', '/second')
  await expect.poll(() => begun).toEqual(['/first'])
  sender.socket.destroy()
  await expect.poll(connections).toBe(0)
  goOn()
  await once(send('/third').socket, 'data')
  expect(begun).toEqual(['/first', '/third'])
})

test('an answer of which nothing is taken ends with its connection, one that takes long to make does not', async () => {
  const { begun, goOn, send, connections } = await server(200)
  const waits = send('/waits')
  const takesNothing = send('/large')
  takesNothing.socket.pause()
  await expect.poll(connections).toBe(2)
  await expect.poll(connections).toBe(1)
  goOn()
  await once(waits.socket, 'data')
  expect([begun, waits.isClosed]).toEqual([['/waits'], false])
})

test('a connection that was kept and is idle is closed', async () => {
  const { goOn, send, connections } = await server(300)
  goOn()
  const kept = send('/first')
  await once(kept.socket, 'data')
  expect(kept.isClosed).toBe(false)
  await expect.poll(() => kept.isClosed).toBe(true)
  expect(await connections()).toBe(0)
})

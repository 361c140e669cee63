import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** A connection on which nothing has moved for so long is looked at, in milliseconds. */
export const quietMs = 60_000
/** Requests that may follow one that is not answered yet, on its connection. */
const mostPipelined = 100

/** How many requests of each connection wait until those before them are answered. */
const pipelined = new WeakMap<Socket, number>()
/** The answer to the request of each connection whose body may still be coming. */
const bodies = new WeakMap<Socket, ServerResponse>()
/** Connections that are written to past their responses, which don't know that they have begun. */
const writtenTo = new WeakSet<Socket>()

/**
 * Bounds what one connection can ask for. Its requests are worked on one after the other, as their answers go out in that
 * order anyway, and it is closed when very many wait: browsers and proxies send the next when they have the answer. It is
 * also closed when an answer isn't taken. Register it before anything that works; the server's timeout is to be `quietMs`.
 */
export function boundConnections(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    keepApart(reply)
    const { raw } = reply
    // Of each answer: a listener of the server would also keep Node.js from closing connections that are idle.
    raw.on('timeout', endUnread)
    // Until the answer before is sent an answer has no connection. If it never gets one, nothing has begun.
    if (raw.socket !== null) return done()
    const { socket } = request.raw
    const before = pipelined.get(socket) ?? 0
    if (before >= mostPipelined) return void socket.destroy()
    pipelined.set(socket, before + 1)
    raw.once('socket', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1)
      // In a later round of the event loop: whoever sends a hundred at once delays another by one of them, not by all.
      setImmediate(done)
    })
  })
}

/**
 * Keeps what follows a request on its connection from being taken for something else. Every request has to come by here,
 * also one whose address can't be read.
 */
export function keepApart({ request, raw }: FastifyReply): void {
  const { socket, headers } = request.raw
  // It gets no other protocol here, but Node.js throws away whatever came in together with its end: the next request
  // would be lost, or begin in its middle.
  if (headers.upgrade !== undefined) raw.setHeader('connection', 'close')
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return
  bodies.set(socket, raw)
  raw.once('close', () => {
    // The next one may have come with it.
    if (raw.req.complete && bodies.get(socket) === raw) bodies.delete(socket)
  })
}

/**
 * Whether what comes in on a connection may not be answered: it came during an answer, or is the body of a request that
 * has been answered. A second answer has no question.
 */
export function isAnswered(socket: Socket): boolean {
  // The answer that has the connection. The types don't say so, but Node.js asks the same before it answers by itself.
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: ServerResponse | null }
  if (current?.headersSent || writtenTo.has(socket)) return true
  const answer = bodies.get(socket)
  return answer !== undefined && !answer.req.complete && answer.headersSent
}

/** Says that an answer which lasts as long as its connection begins, straight on that. */
export function noteWritten(socket: Socket): void {
  writtenTo.add(socket)
}

/** Without this Node.js would also end a connection whose answer takes long to make. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

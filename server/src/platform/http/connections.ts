import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A connection on which nothing has moved for so long is looked at, in milliseconds. */
export const quietMs = 60_000
/** Requests that may follow one that is not answered yet, on its connection. */
const mostFollowing = 100

/** How many requests of each connection wait until those before them are answered. */
const following = new WeakMap<Socket, number>()

/**
 * Bounds what one connection can ask for. Its requests are worked on one after the other, as their answers go out in that
 * order anyway, and it is closed when very many wait: browsers and proxies send the next when they have the answer. It is
 * also closed when an answer isn't taken. Register it before anything that works; the server's timeout is to be `quietMs`.
 */
export function boundConnections(app: FastifyInstance): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    // Of each answer: a listener of the server would also keep Node.js from closing connections that are idle.
    raw.on('timeout', endUnread)
    // Until the answer before is sent an answer has no connection. If it never gets one, nothing has begun.
    if (raw.socket !== null) return done()
    const { socket } = request.raw
    const before = following.get(socket) ?? 0
    if (before >= mostFollowing) return void socket.destroy()
    following.set(socket, before + 1)
    raw.once('socket', () => {
      following.set(socket, (following.get(socket) ?? 1) - 1)
      done()
    })
  })
}

/** Without this Node.js would also end a connection whose answer takes long to make. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

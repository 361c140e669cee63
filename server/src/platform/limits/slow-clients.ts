import type { FastifyInstance, FastifyRequest } from 'fastify'

/** By then a client has sent its headers, counted from its first byte or the end of its last request, in milliseconds. */
export const headersMs = 20_000
/** By then it has sent a body of ordinary size, or what nobody will read of any body once it is answered. */
const bodyMs = 20_000

/**
 * Of a body that has been answered already so much more is taken, in bytes, for clients that read no answer before they
 * have sent it all; in chunks less, as each may be a single byte. How often that is looked at, in milliseconds.
 */
const leftover = { whole: 4_000_000, chunked: 250_000 }
const lookMs = 50

/** In so many pieces a body may come, and in more when they have so many bytes on average: each costs as much as a large one. */
const pieces = { most: 1_000, leastBytes: 256 }

/** Requests whose body is read as it comes. */
const streamed = new WeakSet<object>()
const timers = new WeakMap<object, NodeJS.Timeout>()

/**
 * Cuts off who sends a request so slowly that it only holds a connection. Register it before anything that may refuse a
 * request: what is refused has a body too.
 */
export function cutOffSlowClients(app: FastifyInstance): void {
  // With callbacks, not async: a promise for each request would be the dearer half of it.
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) limit(request)
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.raw.headers['transfer-encoding'] !== undefined && !streamed.has(request.raw))
      countPieces(request)
    done(null, payload)
  })
  // An answer may come long before the end of what is answered.
  app.addHook('onResponse', (request, _reply, done) => {
    // One without a body is complete, unless it was never sent: a page asks for its data without a connection.
    if (hasBody(request)) {
      limit(request)
      // Whoever was let in to send a large body may read what came of it when all is sent.
      if (!request.raw.complete && !streamed.has(request.raw)) takeLeftover(request)
    }
    done()
  })
}

function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** Lets the body of this request take its time: its reader looks after its pace. Until it is answered. */
export function allowSlowBody(request: FastifyRequest): void {
  clearTimeout(timers.get(request.raw))
  streamed.add(request.raw)
}

/** Hangs up on who cuts a body into tens of thousands of pieces. */
function countPieces({ raw }: FastifyRequest): void {
  let [count, bytes] = [0, 0]
  // Whoever reads the body listens from this moment on as well, so nothing of it passes by.
  raw.on('data', (piece: Buffer) => {
    count += 1
    bytes += piece.length
    if (count > pieces.most && bytes < count * pieces.leastBytes) raw.destroy()
  })
}

/** Lets go of who goes on sending what was refused: reading that keeps a core busy. */
function takeLeftover({ raw }: FastifyRequest): void {
  const { socket, headers } = raw
  const most =
    socket.bytesRead + (headers['transfer-encoding'] === undefined ? leftover.whole : leftover.chunked)
  const look = setInterval(() => {
    if (raw.complete || raw.destroyed) clearInterval(look)
    else if (socket.bytesRead > most) socket.destroy()
  }, lookMs).unref()
}

function limit({ raw }: FastifyRequest): void {
  clearTimeout(timers.get(raw))
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy()
  }, bodyMs).unref()
  timers.set(raw, timer)
  raw.once('close', () => clearTimeout(timer))
}

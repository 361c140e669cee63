import type { FastifyInstance, FastifyRequest } from 'fastify'

/** By then a client has sent its headers, counted from its first byte or the end of its last request, in milliseconds. */
export const headersMs = 20_000
/** By then it has sent a body of ordinary size, or what nobody will read of any body once it is answered. */
const bodyMs = 20_000

const timers = new WeakMap<object, NodeJS.Timeout>()

/**
 * Cuts off who sends a request so slowly that it only holds a connection. Register it before anything that may refuse a
 * request: what is refused has a body too.
 */
export function cutOffSlowClients(app: FastifyInstance): void {
  // With callbacks, not async: a promise for each request would be the dearer half of it.
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0) limit(request)
    done()
  })
  // An answer may come long before the end of what is answered.
  app.addHook('onResponse', (request, _reply, done) => {
    limit(request)
    done()
  })
}

/** Lets the body of this request take its time: its reader looks after its pace. Until it is answered. */
export function allowSlowBody(request: FastifyRequest): void {
  clearTimeout(timers.get(request.raw))
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

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { trusts } from './trusted-proxies.ts'

export const requestIdHeader = 'x-request-id'

/**
 * Gives each request its id: the one a trusted proxy has already written into its own log, when it looks like one, or
 * a new one. Anybody else's word would let them write into the log under another request's id.
 */
export function requestIds(trustedProxies: readonly string[]): (raw: IncomingMessage) => string {
  const isTrusted = trusts(trustedProxies)
  return ({ headers, socket }) => {
    const given = headers[requestIdHeader]
    if (typeof given !== 'string' || !/^[\w.:-]{1,100}$/.test(given)) return randomUUID()
    return isTrusted(socket.remoteAddress) ? given : randomUUID()
  }
}

/** Every answer says under which id the log knows it. */
export function answerRequestIds(app: FastifyInstance): void {
  // With a callback, not async: a promise for each request would be the dearer half of it.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id)
    done()
  })
}

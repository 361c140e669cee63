import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Made when somebody first asks for it. A property, since an entry in a WeakMap is dearer than the signal itself. */
    gone: AbortSignal | undefined
  }
}

/**
 * Aborted when whoever is to be answered has gone; already aborted when that was before anybody asked. Not the request's
 * own signal: a request counts as closed when its body has been read.
 */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const { raw } = reply
  if (raw.destroyed || raw.socket?.destroyed) return AbortSignal.abort()
  if (reply.gone) return reply.gone
  const gone = new AbortController()
  reply.gone = gone.signal
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort()
  })
  return gone.signal
}

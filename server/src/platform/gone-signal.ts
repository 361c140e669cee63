import type { FastifyReply } from 'fastify'

const signals = new WeakMap<object, AbortSignal>()

/**
 * Aborted when whoever is to be answered has gone; already aborted when that was before anybody asked. Not the request's
 * own signal: a request counts as closed when its body has been read.
 */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed || raw.socket?.destroyed) return AbortSignal.abort()
  const known = signals.get(raw)
  if (known) return known
  const gone = new AbortController()
  signals.set(raw, gone.signal)
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort()
  })
  return gone.signal
}

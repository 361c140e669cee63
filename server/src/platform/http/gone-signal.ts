import type { FastifyReply } from 'fastify'
import { Cancellation, type CancelSignal } from '../cancellation.ts'

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
  clientOf(reply).onGone(() => gone.abort())
  return gone.signal
}

/** As `goneSignal`, for this once: much cheaper, for what each page does. */
export function cancelWhenGone(reply: FastifyReply): CancelSignal {
  const cancellation = new Cancellation()
  const client = clientOf(reply)
  if (client.hasGone()) cancellation.abort(goneError())
  else client.onGone(() => cancellation.abort(goneError()))
  return cancellation
}

/** Whoever waits for something that others may wait for too. */
export type Client = {
  hasGone(): boolean
  /** Calls `leave` when they go; returns what takes that back. */
  onGone(leave: () => void): () => void
}

/** Whoever is to be answered. Much cheaper than their signal, for what each page does. */
export function clientOf({ raw }: FastifyReply): Client {
  return {
    hasGone: () => raw.destroyed || raw.socket?.destroyed === true,
    onGone(leave) {
      const closed = () => {
        if (!raw.writableEnded) leave()
      }
      raw.once('close', closed)
      return () => raw.off('close', closed)
    },
  }
}

/** What ends the work for somebody who has gone. */
export const goneError = () => new DOMException('The connection is gone', 'AbortError')

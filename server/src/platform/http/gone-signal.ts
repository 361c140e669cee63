import type { FastifyReply } from 'fastify'
import { Cancellation, type CancelSignal } from '../cancellation.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Made when somebody first asks for it. A property, since an entry in a WeakMap is dearer than all it holds. */
    gone: Cancellation | undefined
    goneSignal: AbortSignal | undefined
  }
}

/**
 * Aborted when whoever is to be answered has gone; already aborted when that was before anybody asked. Not the request's
 * own signal: a request counts as closed when its body has been read.
 */
export function cancelWhenGone(reply: FastifyReply): CancelSignal {
  const { raw } = reply
  const gone = reply.gone ?? new Cancellation()
  if (reply.gone) return gone
  reply.gone = gone
  if (hasGone(reply)) gone.abort(goneError())
  // Not `once`, which makes a function and an object more: a response closes only once.
  else
    raw.on('close', () => {
      if (!raw.writableEnded) gone.abort(goneError())
    })
  return gone
}

/** The same as an `AbortSignal`, for who has to have one: it is dear to make. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  if (hasGone(reply)) return AbortSignal.abort()
  if (reply.goneSignal) return reply.goneSignal
  const gone = new AbortController()
  reply.goneSignal = gone.signal
  cancelWhenGone(reply).addEventListener('abort', () => gone.abort())
  return gone.signal
}

/** Whoever waits for something that others may wait for too. */
export type Client = {
  hasGone(): boolean
  /** Calls `leave` when they go; returns what takes that back. */
  onGone(leave: () => void): () => void
}

/** Whoever is to be answered. */
export function clientOf(reply: FastifyReply): Client {
  return {
    hasGone: () => hasGone(reply),
    onGone(leave) {
      const gone = cancelWhenGone(reply)
      gone.addEventListener('abort', leave)
      return () => gone.removeEventListener('abort', leave)
    },
  }
}

const hasGone = ({ raw }: FastifyReply) => raw.destroyed || raw.socket?.destroyed === true

/** What ends the work for somebody who has gone. */
export const goneError = () => new DOMException('The connection is gone', 'AbortError')

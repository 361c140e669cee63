import { type EphemeralEvent, eventsInputSchema, eventsPath, feedEventsPath } from '@dealdeck/contract/events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LiveSession } from '../accounts/sessions.ts'
import { type DatabaseWatch, databaseEventOf } from '../database/database-watch.ts'
import { readStamp, type Stamp } from '../database/epoch.ts'
import { AppError } from '../errors.ts'
import { requireSession } from '../http/access.ts'
import { streamHeaders } from './event-stream.ts'

/** Whoever opens streams; see `DealStream`. */
type Stream = {
  open(
    reply: FastifyReply,
    session: LiveSession,
    resumeFrom: Stamp | undefined,
    state?: () => EphemeralEvent,
  ): Promise<void>
}

/**
 * The live stream at its two addresses: plain routes, since an answer lasts for hours and its bytes are made once for all.
 * The one for a tab begins with the database's state, by which a page also learns the id to come back with.
 */
export function registerEventRoutes(app: FastifyInstance, stream: Stream, watch: DatabaseWatch): void {
  const options = { config: { access: 'user', isData: true }, compress: false, decompress: false } as const
  const lasting = { ...options, config: { ...options.config, hasOwnLimit: true } }
  const state = () => ({ event: 'database', data: databaseEventOf(watch.state) }) as const
  for (const { path, resumePoint, first } of [
    { path: eventsPath, resumePoint: headerOrQuery, first: state },
    { path: feedEventsPath, resumePoint: header, first: undefined },
  ]) {
    // A stream ends when its reader goes; the answer to HEAD has to end by itself, or it holds its connection for ever.
    app.head(path, options, async (request, reply) => {
      readEventId(resumePoint(request))
      return reply.headers(streamHeaders).send()
    })
    app.get(path, lasting, async (request, reply) => {
      await stream.open(reply, requireSession(request), readEventId(resumePoint(request)), first)
    })
  }
}

function header(request: FastifyRequest): string | undefined {
  return [request.headers['last-event-id']].flat()[0]
}

/** The header first: a browser that comes back by itself sends the newest there, and the address it began with. */
function headerOrQuery(request: FastifyRequest): string | undefined {
  return header(request) || eventsInputSchema.parse(request.query).last_event_id
}

function readEventId(text: string | undefined): Stamp | undefined {
  if (text === undefined || text === '') return undefined
  const stamp = readStamp(text)
  if (stamp) return stamp
  throw new AppError('INVALID_INPUT', 'Last-Event-ID must be the id of an event of this stream.')
}

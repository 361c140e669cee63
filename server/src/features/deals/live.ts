import type { DealsEvent } from '@dealdeck/contract/deals'
import type { FastifyReply } from 'fastify'
import type pg from 'pg'
import type { Databases } from '../../platform/database.ts'
import { EventStreams, type StreamReader, serialiseEvent } from '../../platform/event-stream.ts'
import type { LiveBus } from '../../platform/live-bus.ts'
import type { LiveSession } from '../../platform/sessions.ts'
import type { DealChanges } from './actions.ts'

/** The channel on which instances tell each other of a new revision; the payload is its number. */
export const dealsChannel = 'dealdeck_deals'

/** Ids in one event at most: an event stays far below what proxies and browsers buffer. */
const idsPerEvent = 1000

/** How many events are kept for streams that resume. */
const keptEvents = 20_000

/**
 * Records the changes under the next revision(s) and notifies every instance when the transaction commits.
 * Must be the last statement of the transaction: the revision's row lock makes revisions commit in order.
 * Returns the last revision, or null when nothing changed.
 */
export async function publishChanges(client: pg.ClientBase, changes: DealChanges): Promise<number | null> {
  const events = splitChanges(changes)
  if (events.length === 0) return null
  const { rows } = await client.query<{ revision: number }>(
    'update feed_state set revision = revision + $1 returning revision',
    [events.length],
  )
  const last = rows[0]?.revision ?? 0
  for (const [index, event] of events.entries()) {
    await client.query(
      'insert into feed_events (revision, added, changed, removed) values ($1, $2, $3, $4)',
      [last - events.length + 1 + index, event.added, event.changed, event.removed],
    )
  }
  await client.query('delete from feed_events where revision <= $1', [last - keptEvents])
  await client.query('select pg_notify($1, $2)', [dealsChannel, String(last)])
  return last
}

/** Cuts changes into events of at most `idsPerEvent` ids each, in order; no event for no change. */
export function splitChanges(changes: DealChanges): DealChanges[] {
  const events: DealChanges[] = []
  let current: DealChanges = { added: [], changed: [], removed: [] }
  let size = 0
  for (const kind of ['added', 'changed', 'removed'] as const) {
    for (const id of changes[kind]) {
      current[kind].push(id)
      size += 1
      if (size === idsPerEvent) {
        events.push(current)
        current = { added: [], changed: [], removed: [] }
        size = 0
      }
    }
  }
  if (size > 0) events.push(current)
  return events
}

export type MissedEvents = {
  /** The revision committed at the time of reading. */
  current: number
  /** Null when some of what was missed is no longer kept, or the asked-for revision is of another database. */
  events: DealsEvent[] | null
  /** When the last of the events was made; null without any. */
  lastMadeAt: Date | null
}

/** The events after a revision, oldest first, read in one snapshot with the current revision. */
export async function readEvents(pool: pg.Pool, after: number, limit: number): Promise<MissedEvents> {
  const { rows } = await pool.query<
    { current: number; made_at: Date | null } & (DealsEvent | { revision: null })
  >(
    `select state.revision as current, e.created_at as made_at, e.revision, e.added, e.changed, e.removed
     from feed_state state left join lateral (
       select * from feed_events where revision > $1 order by revision limit $2
     ) e on true order by e.revision`,
    [after, limit],
  )
  const current = rows[0]?.current ?? 0
  const lastMadeAt = rows.at(-1)?.made_at ?? null
  const events = rows.flatMap(({ current: _, made_at: __, ...event }) =>
    event.revision === null ? [] : [event],
  )
  const isWhole = after === current || (after < current && events[0]?.revision === after + 1)
  return { current, events: isWhole ? events : null, lastMadeAt }
}

/** The revision as committed now, and when the event of `revision` (of the current one, if null) was made. */
async function readPlace(
  pool: pg.Pool,
  revision: number | null,
): Promise<{ current: number; madeAt: Date | null }> {
  const { rows } = await pool.query<{ current: number; made_at: Date | null }>(
    `select state.revision as current, e.created_at as made_at
     from feed_state state left join feed_events e on e.revision = coalesce($1, state.revision)`,
    [revision],
  )
  return { current: rows[0]?.current ?? 0, madeAt: rows[0]?.made_at ?? null }
}

/** Leaves out revisions, so that whoever holds one of them or an earlier one is told to fetch everything. */
async function skipRevisions(pool: pg.Pool, upTo: number): Promise<void> {
  await pool.query(
    `with skipped as (update feed_state set revision = greatest(revision, $1) + 1 returning revision)
     select pg_notify($2, revision::text) from skipped`,
    [upTo, dealsChannel],
  )
}

/** The revision of the feed as committed now. */
export async function readRevision(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ revision: number }>('select revision from feed_state')
  return rows[0]?.revision ?? 0
}

/** Events read at once: to be sent to everybody, and to one reader who missed them. */
const broadcastBatch = 500
const catchUpBatch = 50
const reloadPauseMs = 500

/** The feed's live stream of this instance: what the bus announces, sent to every open reader, each revision once. */
export class DealStream {
  readonly #pool: pg.Pool
  readonly #writePool: pg.Pool
  readonly #bus: LiveBus
  readonly #streams = new EventStreams()
  /** The newest revision known here, by own commits or the bus; null until the first is read. */
  #known: number | null = null
  /** The newest revision already broadcast. */
  #sent: number | null = null
  /** When that one was made: the number alone may be given out anew after a crash of the database. */
  #sentMadeAt: Date | null = null
  /** The newest revision anybody may have seen through this instance. */
  #shown = 0
  /** Whether what was sent is known to be in the database, as far as this connection of the bus goes. */
  #isCompared = false
  #running: Promise<void> | undefined

  constructor(databases: Databases, bus: LiveBus) {
    this.#pool = databases.readPool
    this.#writePool = databases.writePool
    this.#bus = bus
    databases.onRevision.add((revision) => this.#announce(revision))
    bus.on(dealsChannel, (payload) => this.#announce(Number(payload)))
    bus.onConnect(() => void this.#reload())
  }

  /** How many streams there are and were, for whoever watches the process. */
  get figures(): EventStreams['figures'] {
    return this.#streams.figures
  }

  /** The newest revision known here; null before the first is read. */
  get revision(): number | null {
    return this.#known
  }

  get readers(): Iterable<StreamReader> {
    return this.#streams.readers
  }

  /** The revision bodies may be cached by; null while revisions can't be heard. */
  trustedRevision(): number | null {
    return this.#mayGoOn() ? this.#known : null
  }

  /** Opens a reader's stream, first sending what it missed since `resumeFrom`, then everything new. */
  async open(reply: FastifyReply, session: LiveSession, resumeFrom: number | undefined): Promise<void> {
    // While the bus is heard, what was broadcast last is a place to begin at, and thousands who come back ask nobody.
    const here = this.#mayGoOn() ? this.#sent : null
    const start = resumeFrom ?? here ?? (await readRevision(this.#pool))
    reply.hijack()
    const reader = {
      response: reply.raw,
      sessionKey: session.key,
      userId: session.user.id,
      position: start,
    }
    this.#streams.open(reader, Object.entries(reply.getHeaders()))
    if (start === here) this.#streams.add(reader)
    else await this.#catchUp(reader).catch(() => this.#streams.drop(reader))
  }

  /** Sends every open stream an event of something else, which has no number and is not sent again. */
  tell(name: string, data: unknown): void {
    this.#streams.tell(name, data)
  }

  end(reader: StreamReader): void {
    this.#streams.end(reader)
  }

  close(): void {
    this.#streams.close()
  }

  /** Sends a reader what it lacks; joins it to the broadcasts in the same tick in which nothing is left to send. */
  async #catchUp(reader: StreamReader): Promise<void> {
    while (!reader.response.destroyed) {
      const { current, events } = await readEvents(this.#pool, reader.position, catchUpBatch)
      if (events === null) {
        // Too old, or of another database: the reader must fetch everything again.
        reader.position = -1
        this.#streams.send(reader, serialiseEvent(current, 'reset', { revision: current }))
        continue
      }
      for (const event of events)
        if (!this.#streams.send(reader, serialiseEvent(event.revision, 'deals', event))) return
      if (!(await this.#streams.hasTaken(reader))) return
      if (reader.position >= current && reader.position >= (this.#sent ?? 0)) {
        this.#streams.add(reader)
        return
      }
    }
  }

  #announce(revision: number): void {
    if (this.#known === null || revision > this.#known) this.#known = revision
    this.#running ??= this.#broadcast().finally(() => {
      this.#running = undefined
    })
  }

  async #reload(): Promise<void> {
    // Nothing is cached or sent before what was shown has been compared.
    this.#isCompared = false
    await this.#running
    this.#shown = Math.max(this.#shown, this.#known ?? 0, this.#sent ?? 0)
    this.#known = null
    try {
      const { current, madeAt } = await readPlace(this.#pool, this.#sent)
      if (this.#sent === null) {
        this.#sent = current
        this.#sentMadeAt = madeAt
      } else if (current < this.#shown || madeAt?.getTime() !== this.#sentMadeAt?.getTime()) {
        // Chunks of an import are shown before they are on the disk, and a crash of the database has taken some back.
        await skipRevisions(this.#writePool, this.#shown)
      }
      this.#isCompared = true
      this.#announce(current)
    } catch {
      // Until it succeeds nothing is cached or sent; the bus's next connection tries again, too.
      this.#known = null
      if (this.#bus.connected) setTimeout(() => void this.#reload(), reloadPauseMs).unref()
    }
  }

  #mayGoOn(): boolean {
    return this.#bus.connected && this.#isCompared
  }

  async #broadcast(): Promise<void> {
    try {
      while (this.#mayGoOn() && this.#sent !== null && this.#known !== null && this.#sent < this.#known) {
        const { current, events, lastMadeAt } = await readEvents(this.#pool, this.#sent, broadcastBatch)
        this.#sentMadeAt = lastMadeAt
        if (events === null || events.length === 0) {
          // This instance itself fell too far behind: readers reconnect and are told to reset.
          this.#sent = current
          this.#sentMadeAt = null
          for (const reader of this.#streams.readers) this.end(reader)
          return
        }
        for (const event of events) {
          this.#streams.broadcast(serialiseEvent(event.revision, 'deals', event))
          this.#sent = event.revision
        }
      }
    } catch {
      // The database went away: the bus reconnects and reloads, readers keep their place.
    }
  }
}

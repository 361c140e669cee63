import type { EphemeralEvent } from '@dealdeck/contract/events'
import type { FastifyReply } from 'fastify'
import type pg from 'pg'
import type { LiveSession } from '../../platform/accounts/sessions.ts'
import type { Databases } from '../../platform/database/database.ts'
import type { Stamp } from '../../platform/database/epoch.ts'
import { AppError } from '../../platform/errors.ts'
import type { Peers } from '../../platform/limits/member-gate.ts'
import {
  EventStreams,
  type StreamEvent,
  type StreamReader,
  serialiseEvent,
} from '../../platform/live/event-stream.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { RecentEvents } from '../../platform/live/recent-events.ts'
import { readEvents, readRevision, readRevisionState } from './following/revisions.ts'
import { beginEpoch, dealsChannel } from './publisher.ts'

/** Events read at once: large ones take a while to be made into text, and others are answered between. */
const broadcastBatch = 50
const reloadPauseMs = 500
/** So long a new stream waits for an instance that doesn't hear of changes just now, in milliseconds. */
const patienceMs = 2_000

/**
 * The live stream of this instance: each revision that the bus announces, once, to every open reader, and beside them
 * what other features send to all or to one member.
 */
export class DealStream {
  readonly #pool: pg.Pool
  readonly #durablePool: pg.Pool
  readonly #bus: LiveBus
  readonly #streams: EventStreams
  /** The events already broadcast, the last ones of them at least. */
  readonly #recent = new RecentEvents()
  /** The newest revision known here, by own commits or the bus; null until the first is read. */
  #latest: number | null = null
  /** The history that the revisions known and sent here belong to. */
  #epoch = ''
  /** When the last event broadcast was made: its number alone may be given out anew after a crash of the database. */
  #lastBroadcastMadeAt: Date | null = null
  /** The newest revision anybody may have seen through this instance. */
  #maxExposed = 0
  /** Whether what was broadcast is known to be in the database, as far as this connection of the bus goes. */
  #isVerified = false
  #running: Promise<void> | undefined
  /** Who waits until there is somewhere to begin. */
  readonly #waiting = new Set<() => void>()

  constructor(databases: Databases, bus: LiveBus, peers?: Peers) {
    this.#pool = databases.customPlanPool
    this.#durablePool = databases.durablePool
    this.#bus = bus
    this.#streams = new EventStreams(peers)
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
    return this.#latest
  }

  get readers(): Iterable<StreamReader> {
    return this.#streams.readers
  }

  /** What bodies may be cached by; null while revisions can't be heard. */
  trustedStamp(): Stamp | null {
    return this.#canTrustBus() && this.#latest !== null
      ? { epoch: this.#epoch, revision: this.#latest }
      : null
  }

  /**
   * Opens a reader's stream with what it missed since `resumeFrom`, or with `reset` when that is too much or nobody knows
   * of that revision; then with `state`, made at that moment. Throws TOO_MANY_REQUESTS, and DATABASE_UNAVAILABLE when no
   * changes are heard of.
   */
  async open(
    reply: FastifyReply,
    session: LiveSession,
    resumeFrom: Stamp | undefined,
    state?: () => EphemeralEvent,
  ): Promise<void> {
    const reader = this.#streams.admit({
      ...{ response: reply.raw, socket: reply.request.raw.socket },
      ...{ sessionKey: session.key, userId: session.user.id },
      isAdministrator: session.user.role === 'admin',
    })
    let current: number | undefined
    try {
      // Another instance may have been quicker, or it is a revision of another database.
      if (resumeFrom !== undefined && resumeFrom.revision > (this.#recent.last ?? 0)) {
        const now = await readRevision(this.#pool)
        if (now.epoch === this.#epoch) {
          current = now.revision
          this.#announce(current)
        }
      }
      while (!this.#canTrustBus()) await this.#heard()
    } catch (error) {
      this.#streams.leave(reader)
      throw error
    }
    // All in one tick, so that no event comes between what is sent here and the next broadcast.
    const sent = this.#recent.last ?? 0
    const isOfToday = resumeFrom?.epoch === this.#epoch
    const position = isOfToday ? resumeFrom.revision : sent
    const isAhead = current !== undefined && position > sent && position <= current
    const isNext = isAhead || position === sent
    const missed =
      resumeFrom && !isOfToday ? this.#reset(sent) : isNext ? undefined : this.#missedSince(position, sent)
    reply.hijack()
    this.#streams.begin(reader, Object.entries(reply.getHeaders()), this.#stamp(position), missed, state?.())
  }

  /** Sends every open stream an event of something else, which has no number and is not sent again. */
  broadcastEphemeral(event: EphemeralEvent): void {
    this.#streams.broadcastEphemeral(event)
  }

  /** Sends the open streams of one member such an event. */
  sendToMember(userId: number, event: EphemeralEvent): void {
    this.#streams.sendToMember(userId, event)
  }

  sendToAdministrators(event: EphemeralEvent): void {
    this.#streams.sendToAdministrators(event)
  }

  end(reader: StreamReader): void {
    this.#streams.end(reader)
  }

  close(): void {
    this.#streams.close()
  }

  #missedSince(position: number, sent: number): StreamEvent {
    return this.#recent.after(position) ?? this.#reset(sent)
  }

  #reset(revision: number): StreamEvent {
    return serialiseEvent(this.#stamp(revision), { event: 'reset', data: { revision } })
  }

  #stamp(revision: number): Stamp {
    return { epoch: this.#epoch, revision }
  }

  /** Waits until revisions are heard again. Throws DATABASE_UNAVAILABLE when that takes too long. */
  async #heard(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      reject(new AppError('DATABASE_UNAVAILABLE', 'Changes can not be followed now. Please try again.'))
    }, patienceMs)
    this.#waiting.add(resolve)
    await promise.finally(() => {
      clearTimeout(late)
      this.#waiting.delete(resolve)
    })
  }

  #announce(revision: number): void {
    if (this.#latest === null || revision > this.#latest) this.#latest = revision
    this.#running ??= this.#broadcast().finally(() => {
      this.#running = undefined
    })
  }

  async #reload(): Promise<void> {
    // Nothing is cached or sent before what was exposed has been verified.
    this.#isVerified = false
    await this.#running
    this.#maxExposed = Math.max(this.#maxExposed, this.#latest ?? 0, this.#recent.last ?? 0)
    this.#latest = null
    try {
      const sent = this.#recent.last
      const { current, epoch, madeAt, isForgotten } = await readRevisionState(this.#pool, sent)
      const isSameServer = epoch === this.#epoch
      const isKept = sent === null || madeAt?.getTime() === this.#lastBroadcastMadeAt?.getTime()
      // Chunks of an import are shown before they are on the disk, and a crash may have taken some back. Whoever missed
      // more events than are stored gets a reset in any case.
      const isTakenBack = (!isKept && !isForgotten) || current < this.#maxExposed
      if (isSameServer && isTakenBack) await beginEpoch(this.#durablePool, this.#maxExposed)
      if (!isSameServer || !isKept || isTakenBack) this.#beginAnew()
      if (this.#recent.last === null) await this.#load()
      this.#isVerified = true
      this.#announce(Math.max(current, this.#recent.last ?? 0))
      for (const goOn of this.#waiting) goOn()
    } catch {
      // Until it succeeds nothing is cached or sent; the bus's next connection tries again, too.
      this.#latest = null
      if (this.#bus.connected) setTimeout(() => void this.#reload(), reloadPauseMs).unref()
    }
  }

  /** What was sent is not what is there, or nobody knows: readers reconnect and get a reset. */
  #beginAnew(): void {
    this.#recent.restart(null)
    this.#maxExposed = 0
    for (const reader of this.#streams.readers) this.end(reader)
  }

  /** Begins at the current revision, with the events before it at hand for those who come back. */
  async #load(): Promise<void> {
    const { current, epoch, events, lastMadeAt } = await readEvents(this.#pool, null, RecentEvents.most)
    this.#epoch = epoch
    for (const event of events ?? [])
      this.#recent.add(serialiseEvent(this.#stamp(event.revision), { event: 'deals', data: event }))
    this.#lastBroadcastMadeAt = lastMadeAt
    if (this.#recent.last === current) return
    this.#recent.restart(current)
    this.#lastBroadcastMadeAt = null
  }

  #canTrustBus(): boolean {
    return this.#bus.connected && this.#isVerified
  }

  async #broadcast(): Promise<void> {
    try {
      for (;;) {
        const sent = this.#recent.last
        if (!this.#canTrustBus() || sent === null || this.#latest === null || sent >= this.#latest) return
        const { epoch, events: read, lastMadeAt } = await readEvents(this.#pool, sent, broadcastBatch)
        // Of another epoch they are another story, even where the numbers fit.
        const events = epoch === this.#epoch ? read : null
        this.#lastBroadcastMadeAt = lastMadeAt
        for (const event of events ?? []) {
          if (event.revision !== (this.#recent.last ?? 0) + 1) break
          const serialised = serialiseEvent(this.#stamp(event.revision), { event: 'deals', data: event })
          this.#recent.add(serialised)
          this.#streams.broadcast(serialised)
        }
        if (this.#recent.last !== sent + (events?.length || -1)) {
          // This instance itself fell too far behind, or revisions were skipped.
          this.#beginAnew()
          void this.#reload()
        }
      }
    } catch {
      // The database went away, or has no connection to spare: readers keep their position.
      setTimeout(() => this.#announce(this.#recent.last ?? 0), reloadPauseMs).unref()
    }
  }
}

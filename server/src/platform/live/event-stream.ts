import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { EphemeralEvent, LiveEvent, NumberedEvent } from '@dealdeck/contract/events'
import { type Stamp, writeStamp } from '../database/epoch.ts'
import { AppError } from '../errors.ts'
import { noteWritten } from '../limits/connections.ts'
import type { Peers } from '../limits/member-gate.ts'

/** Streams one member may have open, in all sessions together. */
export const streamsPerMember = 20
/** From so many on, processes tell each other of a member's streams: up to four of them together keep the bound. */
const tellFrom = streamsPerMember / 4
/** What other processes call this limit. */
const limitName = 'streams'
/** Bytes a reader may leave unread before it is dropped; the browser reconnects and resumes where it was. */
const unreadLimit = 4 * 1024 * 1024
/** A comment this often keeps proxies from closing a quiet stream (the surface promises 20 s). */
const heartbeatMs = 15_000
/** How often it is looked whether readers are still connected and members within their bound, in milliseconds. */
const tidyMs = 1_200

type Connection = {
  response: ServerResponse
  /** The connection itself: it may be gone before the response ever had it. */
  socket: Socket
  /** Identifies the session it was opened with, so that ending the session ends the stream. */
  sessionKey: string
  userId: number
  /** Whether it is sent what only administrators may know; who loses that role loses the session too. */
  isAdministrator: boolean
}

/** One stream: who reads it, and the last event number it was sent. */
export type StreamReader = Connection & {
  /** What it is written to. */
  sink: Socket | ServerResponse
  position: number
  /** It has not taken yet what it had not taken at the last heartbeat. */
  isLate: boolean
}

/** What every stream's head says of what follows. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** One event, serialised once: the same bytes go to every reader. */
export type StreamEvent = { position: number; bytes: Buffer }

/** A server-sent event with a stamp as its id, a name and a JSON payload. */
export function serialiseEvent(stamp: Stamp, event: NumberedEvent): StreamEvent {
  return {
    position: stamp.revision,
    bytes: Buffer.from(`id: ${writeStamp(stamp)}\n${linesOf(event)}`),
  }
}

/** The open server-sent streams of this instance. */
export class EventStreams {
  /** Those whose stream has begun; they get every event. */
  readonly readers = new Set<StreamReader>()
  /** These and those whose stream is about to begin. Whoever is gone is in neither. */
  readonly #admitted = new Set<StreamReader>()
  /** How many are admitted of each member. */
  readonly #counts = new Map<number, number>()
  readonly #peers: Peers | undefined
  readonly #heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
  readonly #tidying = setInterval(() => this.#tidy(), tidyMs).unref()
  #opened = 0
  #dropped = 0
  #isClosed = false

  /** `peers` tell what members have open in other processes. */
  constructor(peers?: Peers) {
    this.#peers = peers
    peers?.watch(limitName, () => this.#many())
  }

  /** How many streams are open, and how many were opened and were dropped so far. */
  get figures(): { open: number; opened: number; dropped: number } {
    return { open: this.readers.size, opened: this.#opened, dropped: this.#dropped }
  }

  /**
   * Counts a reader in, until its connection ends. To be called before anything is waited for.
   * Throws TOO_MANY_REQUESTS when its member has as many streams as one may have.
   */
  admit(connection: Connection): StreamReader {
    const reader = { ...connection, sink: connection.response, position: 0, isLate: false }
    // Its way here may have taken until after its end, and nobody would tell of that any more.
    if (isGone(reader)) return reader
    const { response, userId } = reader
    const count = this.#counts.get(userId) ?? 0
    // One always may, or two processes that hear of each other could both keep a member out.
    if (count >= Math.max(1, streamsPerMember - this.#elsewhere(userId))) {
      const message = `You have ${streamsPerMember} pages open that follow the feed. Close one of them, and this one follows it, too.`
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfter: 5 })
    }
    this.#counts.set(userId, count + 1)
    this.#admitted.add(reader)
    response.on('close', () => this.leave(reader))
    return reader
  }

  /**
   * Begins the stream of an admitted reader: sends these headers, its own, the first bytes that make proxies and browsers
   * consider the stream open, what it missed, and `state`. From then on it gets what is later than `stamp`.
   */
  begin(
    reader: StreamReader,
    headers: [name: string, value: OutgoingHttpHeader | undefined][],
    stamp: Stamp,
    missed?: StreamEvent,
    state?: EphemeralEvent,
  ): void {
    if (!this.#admitted.has(reader) || isGone(reader)) return
    this.readers.add(reader)
    this.#opened += 1
    reader.position = stamp.revision
    // An id without data moves the browser's Last-Event-ID without raising an event. Not for who is to reset: cut off before
    // it has heard that, it would come back as if it had.
    const isReset = missed?.position === stamp.revision
    beginAnswer(reader, headers, isReset ? 'retry: 2000\n\n' : `retry: 2000\nid: ${writeStamp(stamp)}\n\n`)
    if (missed) {
      reader.position = missed.position
      this.#write(reader, missed.bytes)
    }
    if (state) this.#write(reader, Buffer.from(linesOf(state)))
    // Its way here may have taken until after the end of all others.
    if (this.#isClosed) this.end(reader)
  }

  /**
   * Sends an event beside the numbered ones to every open stream. It has no `id:`, so the reader's position, its
   * Last-Event-ID, stays as it is; who wasn't there never gets it.
   */
  broadcastEphemeral(event: EphemeralEvent): void {
    const bytes = Buffer.from(linesOf(event))
    for (const reader of this.readers) this.#write(reader, bytes)
  }

  /** The same to the open streams of one member. */
  sendToMember(userId: number, event: EphemeralEvent): void {
    const bytes = Buffer.from(linesOf(event))
    for (const reader of this.readers) if (reader.userId === userId) this.#write(reader, bytes)
  }

  /** The same to the open streams of administrators. */
  sendToAdministrators(event: EphemeralEvent): void {
    const bytes = Buffer.from(linesOf(event))
    for (const reader of this.readers) if (reader.isAdministrator) this.#write(reader, bytes)
  }

  broadcast({ position, bytes }: StreamEvent): void {
    for (const reader of this.readers) {
      if (position <= reader.position) continue
      reader.position = position
      this.#write(reader, bytes)
    }
  }

  /** Ends a reader's stream in good order. */
  end(reader: StreamReader): void {
    this.leave(reader)
    const { sink, socket } = reader
    if (sink === socket) socket.destroySoon()
    else sink.end()
  }

  /** Counts a reader out whose connection has ended or is answered otherwise. */
  leave(reader: StreamReader): void {
    this.readers.delete(reader)
    if (!this.#admitted.delete(reader)) return
    const count = (this.#counts.get(reader.userId) ?? 0) - 1
    if (count > 0) this.#counts.set(reader.userId, count)
    else this.#counts.delete(reader.userId)
  }

  /** Ends all streams; their readers ask again and find whoever is there then. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    clearInterval(this.#tidying)
    for (const reader of this.readers) this.end(reader)
  }

  #elsewhere(userId: number): number {
    return this.#peers?.elsewhere(limitName, String(userId)) ?? 0
  }

  #write(reader: StreamReader, bytes: Buffer): void {
    reader.sink.write(bytes)
    if (reader.sink.writableLength > unreadLimit) this.#drop(reader)
  }

  /** Cuts a reader off in the middle, whatever it has not read yet. */
  #drop(reader: StreamReader): void {
    this.#dropped += 1
    this.leave(reader)
    reader.sink.destroy()
  }

  #beat(): void {
    for (const reader of this.readers) {
      const { sink } = reader
      if (!sink.writableNeedDrain) sink.write(': still here\n\n')
      else if (reader.isLate) this.#drop(reader)
      else {
        reader.isLate = true
        sink.once('drain', () => {
          reader.isLate = false
        })
      }
    }
  }

  #tidy(): void {
    // Should ever a connection end without its response being told.
    for (const reader of this.#admitted) if (isGone(reader)) this.leave(reader)
    for (const [userId, count] of this.#counts) {
      const all = count + this.#elsewhere(userId)
      // Opened in several processes before these heard of each other: each ends its share of what is too many.
      if (all > streamsPerMember) this.#endNewest(userId, Math.floor((streamsPerMember * count) / all))
    }
  }

  /** Members who may have too many in several processes together, and how many here. */
  *#many(): Iterable<[string, number]> {
    for (const [userId, count] of this.#counts)
      if (count + this.#elsewhere(userId) > tellFrom) yield [String(userId), count]
  }

  #endNewest(userId: number, kept: number): void {
    const own = [...this.readers].filter((reader) => reader.userId === userId)
    for (const reader of own.slice(Math.max(1, kept))) this.end(reader)
  }
}

/**
 * Begins the answer of a stream. It lasts as long as its connection, so it has no chunks to tell its end by: an event is one write of the bytes made
 * for all. It goes to the connection itself, since a response keeps what it has sent of its head for hours, a tenth of what a stream costs. Only where it
 * waits behind another answer, or isn't from the network at all, the response has it.
 */
function beginAnswer(
  reader: StreamReader,
  own: [name: string, value: OutgoingHttpHeader | undefined][],
  text: string,
): void {
  const { response, socket } = reader
  const given = [...own, ...Object.entries(streamHeaders), ['connection', 'close'] as const]
  const headers = new Map(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
  headers.delete('transfer-encoding')
  if (response.socket === socket) {
    reader.sink = socket
    noteWritten(socket)
    socket.write(`${headOf(headers)}${text}`)
  } else {
    response.removeHeader('transfer-encoding')
    response.writeHead(200, Object.fromEntries(headers))
    response.write(text)
  }
}

/** The head of an answer, as it is sent. Throws where a value could end its line. */
function headOf(headers: ReadonlyMap<string, OutgoingHttpHeader>): string {
  const lines = ['HTTP/1.1 200 OK', `date: ${new Date().toUTCString()}`]
  for (const [name, value] of headers) for (const one of [value].flat()) lines.push(`${name}: ${one}`)
  if (lines.some((line) => /[^\t -~]/.test(line))) throw new Error('A header of a stream is not plain text')
  return `${lines.join('\r\n')}\r\n\r\n`
}

const linesOf = ({ event, data }: LiveEvent) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const isGone = ({ response, socket }: StreamReader) => response.destroyed || socket.destroyed

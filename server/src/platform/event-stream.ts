import type { OutgoingHttpHeader, ServerResponse } from 'node:http'

/** Bytes a reader may leave unread before it is dropped; the browser reconnects and resumes where it was. */
const unreadLimit = 4 * 1024 * 1024
/** How long one who catches up may take for what it was sent last, in milliseconds. */
const drainMs = 20_000
/** A comment this often keeps proxies from closing a quiet stream (the surface promises 20 s). */
const heartbeatMs = 15_000

/** One open stream: who reads it, and the last event number it was sent. */
export type StreamReader = {
  response: ServerResponse
  /** Identifies the session it was opened with, so that ending the session ends the stream. */
  sessionKey: string
  userId: number
  position: number
}

/** One event, serialised once: the same bytes go to every reader. */
export type StreamEvent = { position: number; bytes: Buffer }

/** A server-sent event with an id, a name and a JSON payload. */
export function serialiseEvent(position: number, name: string, data: unknown): StreamEvent {
  return {
    position,
    bytes: Buffer.from(`id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
  }
}

/** The open server-sent streams of this instance. */
export class EventStreams {
  /** Those who have caught up and get every numbered event. */
  readonly readers = new Set<StreamReader>()
  /** All whose stream is open, also while they still catch up. */
  readonly #open = new Set<StreamReader>()
  readonly #heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
  #opened = 0
  #dropped = 0
  #isClosed = false

  /** How many streams are open, and how many were opened and were dropped so far. */
  get figures(): { open: number; opened: number; dropped: number } {
    return { open: this.#open.size, opened: this.#opened, dropped: this.#dropped }
  }

  /** Sends these headers, its own, and the first bytes that make proxies and browsers consider the stream open. */
  open(reader: StreamReader, headers: [name: string, value: OutgoingHttpHeader | undefined][]): void {
    const { response, position } = reader
    this.#open.add(reader)
    this.#opened += 1
    response.on('close', () => this.#forget(reader))
    // All in one go: Node keeps headers set one by one for as long as the response lasts, and this one lasts for hours.
    response.writeHead(200, {
      ...Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    // An id without data moves the browser's Last-Event-ID without raising an event.
    response.write(`retry: 2000\nid: ${position}\n\n`)
    // Its way here may have taken until after the end of all others.
    if (this.#isClosed) this.end(reader)
  }

  add(reader: StreamReader): void {
    if (this.#open.has(reader)) this.readers.add(reader)
  }

  /**
   * Sends an event beside the numbered ones to every open stream. It has no `id:`, so the reader's place, its
   * Last-Event-ID, stays as it is; who wasn't there is never told again.
   */
  tell(name: string, data: unknown): void {
    const bytes = Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    for (const reader of this.#open) this.#write(reader, bytes)
  }

  /** Writes an event to one reader; false when its stream has ended, or was just cut for being too far behind. */
  send(reader: StreamReader, event: StreamEvent): boolean {
    if (event.position <= reader.position) return true
    reader.position = event.position
    return this.#write(reader, event.bytes)
  }

  /**
   * Waits until a reader that catches up has taken what it was sent; false when it is gone, or doesn't read and was
   * dropped. What was missed is each reader's own, so only little of it may wait here for each.
   */
  async hasTaken(reader: StreamReader): Promise<boolean> {
    const { response } = reader
    if (!response.destroyed && response.writableNeedDrain) {
      const late = setTimeout(() => this.drop(reader), drainMs)
      const { promise, resolve } = Promise.withResolvers<void>()
      response.once('drain', resolve).once('close', resolve)
      await promise
      response.off('drain', resolve).off('close', resolve)
      clearTimeout(late)
    }
    return !response.destroyed
  }

  broadcast(event: StreamEvent): void {
    for (const reader of this.readers) this.send(reader, event)
  }

  /** Cuts a reader off in the middle, whatever it has not read yet. */
  drop(reader: StreamReader): void {
    this.#dropped += 1
    this.#forget(reader)
    reader.response.destroy()
  }

  /** Ends a reader's stream in good order. */
  end(reader: StreamReader): void {
    this.#forget(reader)
    reader.response.end()
  }

  /** Ends all streams, those that still catch up too; their readers ask again and find whoever is there then. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    for (const reader of this.#open) this.end(reader)
  }

  #forget(reader: StreamReader): void {
    this.readers.delete(reader)
    this.#open.delete(reader)
  }

  #write(reader: StreamReader, bytes: Buffer): boolean {
    // Ended while it was still catching up.
    if (!this.#open.has(reader)) return false
    reader.response.write(bytes)
    if (reader.response.writableLength <= unreadLimit) return true
    this.drop(reader)
    return false
  }

  #beat(): void {
    for (const reader of this.readers) {
      if (reader.response.writableLength > unreadLimit) this.drop(reader)
      else reader.response.write(': still here\n\n')
    }
  }
}

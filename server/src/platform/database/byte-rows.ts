import type { Duplex } from 'node:stream'
import pg from 'pg'

/** A text as its bytes in UTF-8, each of them a character: cut, joined and sent without being decoded and encoded again. */
export type ByteText = string

/** The columns of a row as the database writes them. */
export type ByteRow = readonly (ByteText | null)[]

export const byteText = (text: string): ByteText => Buffer.from(text).toString('latin1')

/** The bytes of such a text, as they are to be sent. */
export const bytesOf = (text: ByteText): Buffer => Buffer.from(text, 'latin1')

// Of the protocol: the first byte of a message says what it is, the next four how long it is without that byte.
const [dataRow, readyForQuery, headLength] = [0x44, 0x5a, 5]

type Pass = (bytes: Buffer) => void

/**
 * Stands between a connection and the library's reader of messages: while somebody wants the rows of a statement as bytes, it
 * takes them out of what comes in. The library decodes each column, which for a page of deals, and writing it out again, took
 * a fifth of the processor time of the whole answer.
 */
class RowTap {
  #onRow: ((row: ByteRow) => void) | undefined
  #parts: Buffer[] = []
  #length = 0
  #needed = headLength

  /** The rows of the statement that is sent next, until the database has done with it. */
  take(onRow: (row: ByteRow) => void): void {
    this.#onRow = onRow
  }

  /** Messages are passed as a whole even while nobody wants rows: whoever wants some next needs to know where one begins. */
  read(chunk: Buffer, pass: Pass): void {
    this.#parts.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts)
    const rest = this.#takeRows(bytes, pass)
    this.#parts = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }

  /** Takes all whole rows and passes all other whole messages; returns what is left. */
  #takeRows(bytes: Buffer, pass: Pass): Buffer {
    let [passed, at] = [0, 0]
    for (;;) {
      this.#needed = headLength
      if (bytes.length - at < headLength) break
      this.#needed = 1 + bytes.readUInt32BE(at + 1)
      const end = at + this.#needed
      if (bytes.length < end) break
      if (bytes[at] === readyForQuery) this.#onRow = undefined
      if (bytes[at] === dataRow && this.#onRow) {
        if (passed < at) pass(bytes.subarray(passed, at))
        this.#onRow(rowOf(bytes, at + headLength))
        passed = end
      }
      at = end
    }
    // The library answers what it is passed, and may send the next statement at once: its rows are in none of these.
    if (passed < at) pass(bytes.subarray(passed, at))
    return bytes.subarray(at)
  }
}

function rowOf(bytes: Buffer, from: number): ByteRow {
  const columns: (ByteText | null)[] = []
  let at = from + 2
  for (let left = bytes.readUInt16BE(from); left > 0; left -= 1) {
    const length = bytes.readInt32BE(at)
    at += 4
    columns.push(length < 0 ? null : bytes.toString('latin1', at, at + length))
    if (length > 0) at += length
  }
  return columns
}

const taps = new WeakMap<pg.Connection, RowTap>()

// What the library has, but its types don't.
type Attaching = { attachListeners(stream: Pick<Duplex, 'on'>): void }

/** A client whose statements can be asked for rows as bytes, through `takeRows`. */
export class ByteClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const tap = new RowTap()
    taps.set(this.connection, tap)
    // As said above. Called once the stream is one of plain text, which the library then reads by `on`.
    const connection = this.connection as pg.Connection & Attaching
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      const on = (event: string, listener: (...given: Buffer[]) => void) =>
        stream.on(event, event === 'data' ? (chunk: Buffer) => tap.read(chunk, listener) : listener)
      // The cast holds: nothing else of it is used.
      attach({ on } as Pick<Duplex, 'on'>)
    }
  }
}

/**
 * Statements are answered by promises of ours where nothing is called back. What the library makes for its own outlived two minor
 * collections, statement after statement: the collector's pauses were twice as long.
 */
function query(this: pg.Client, ...given: unknown[]): unknown {
  const ask = (...all: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, this, all)
  const { submit, callback } = Object(given[0])
  if (submit || callback || typeof given.at(-1) === 'function') return ask(...given)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  ask(given[0], given[1], (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)))
  return promise.catch(withStack)
}
// Not as a method: its many signatures come down to this one, which TypeScript can't be told.
Object.assign(ByteClient.prototype, { query })

/** As the library has it: where the statement was asked, not where its answer came. */
function withStack(error: Error): never {
  Error.captureStackTrace(error)
  throw error
}

/** Has the rows of the statement that is sent next handed over as bytes; false where the client doesn't know how. */
export function takeRows(connection: pg.Connection, onRow: (row: ByteRow) => void): boolean {
  const tap = taps.get(connection)
  tap?.take(onRow)
  return tap !== undefined
}

import { once } from 'node:events'
import type pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import type { Cancelling } from './cancelling.ts'
import { stagedColumns } from './copy-text.ts'

/** Bytes that travel together. */
const pieceBytes = 128 * 1024

/** Fewer rows than this are found without an index faster than one is built. */
export const indexedFrom = 4_000

const createTable = `
  create temp table if not exists import_rows (
    row_no integer, asin text collate "C", observed bigint, is_timed boolean, title text, title_folded text,
    price numeric(12, 2), original_price numeric(12, 2), rating numeric(2, 1), review_count integer, image_url text,
    availability text, prime_eligible boolean, first_seen bigint, posted_to_discord boolean, discord_timestamp bigint);
  truncate import_rows;
  drop index if exists pg_temp.import_rows_key`

/** A connection with what gives it back; given an error it is closed instead, so that nobody inherits its state. */
export type Lent = { client: pg.ClientBase; release(error?: Error | true): void }

/** Staged rows on their way into a table of one connection; until it has one, they are kept here. */
export class Lane {
  private piece = Buffer.allocUnsafe(0)
  private filled = 0
  private kept: Buffer[] = []
  private copy: CopyStreamQuery | undefined
  private lent: Lent | undefined
  private failure: Error | undefined
  private readonly onLost = (error: Error): void => {
    this.failure = error
  }
  keptBytes = 0
  count = 0

  get isOpen(): boolean {
    return this.lent !== undefined
  }

  add(line: string): void {
    // Written at once: a growing text of a thousand rows would outlive the young generation and bloat the heap.
    const most = line.length * 3
    if (this.filled + most > this.piece.length) {
      this.keep()
      this.piece = Buffer.allocUnsafe(Math.max(pieceBytes, most))
    }
    this.filled += this.piece.write(line, this.filled, 'utf8')
    this.count += 1
  }

  /** Leaves all its rows to another lane, as long as it has no connection of its own. */
  pour(other: Lane): void {
    this.keep()
    other.keep()
    other.kept.push(...this.kept)
    other.keptBytes += this.keptBytes
    other.count += this.count
    this.kept = []
    this.keptBytes = 0
    this.count = 0
  }

  async open(lent: Lent, cancelling: Cancelling): Promise<void> {
    this.lent = lent
    // The pool doesn't listen to connections it has lent; unheard, a lost one would end the process.
    lent.client.on('error', this.onLost)
    cancelling.add(lent.client)
    await lent.client.query(createTable)
    this.copy = lent.client.query(copyFrom(`copy import_rows (${stagedColumns}) from stdin`))
    this.copy.on('error', this.onLost)
  }

  /** Hands on what is kept; waits while the database is slower than the body, until the signal is aborted. */
  async send(signal?: AbortSignal): Promise<void> {
    const { copy } = this
    if (!copy) return
    for (const piece of this.kept) if (!copy.write(piece)) await once(copy, 'drain', { signal })
    if (this.failure) throw this.failure
    this.kept = []
    this.keptBytes = 0
  }

  /** Completes the table and gives the connection that has it, which stays the lane's. */
  async finish(signal?: AbortSignal): Promise<pg.ClientBase> {
    this.keep()
    await this.send(signal)
    const { copy, lent } = this
    if (!copy || !lent) throw new Error('The staging connection is gone')
    copy.end()
    await once(copy, 'finish', { signal })
    this.copy = undefined
    if (this.count >= indexedFrom)
      await lent.client.query('create index import_rows_key on import_rows (asin, observed, row_no)')
    if (this.count >= 100) await lent.client.query('analyze import_rows')
    return lent.client
  }

  /** Gives the connection back, or closes it when it is `spoilt`; what was staged and not merged is gone. */
  close(isSpoilt = false): void {
    const { lent, copy } = this
    this.lent = undefined
    lent?.client.off('error', this.onLost)
    // A connection in the middle of a COPY is as useless as a failed one.
    lent?.release(this.failure ?? (copy || isSpoilt ? true : undefined))
  }

  private keep(): void {
    if (this.filled === 0) return
    this.kept.push(this.piece.subarray(0, this.filled))
    this.keptBytes += this.filled
    this.piece = Buffer.allocUnsafe(0)
    this.filled = 0
  }
}

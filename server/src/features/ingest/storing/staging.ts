import { once } from 'node:events'
import type pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import type { Databases } from '../../../platform/database.ts'
import type { DealRow } from '../reading/deal-row.ts'
import type { Microseconds } from '../reading/times.ts'
import { copyLine, stagedColumns } from './copy-text.ts'
import { Turns } from './turns.ts'

/** Bytes that travel together, and bytes kept here before a connection is taken. */
const pieceBytes = 128 * 1024
const keptBytes = 1024 * 1024

/** Fewer rows than this are found without an index faster than one is built. */
export const indexedFrom = 4_000

/** One connection of the writing pool stays free for everything else that writes. */
const importsAtOnce = 3
const turns = new WeakMap<pg.Pool, Turns>()

const createTable = `
  create temp table if not exists import_rows (
    row_no integer, asin text collate "C", observed bigint, is_timed boolean, title text, title_folded text,
    price numeric(12, 2), original_price numeric(12, 2), rating numeric(2, 1), review_count integer, image_url text,
    availability text, prime_eligible boolean, first_seen bigint, posted_to_discord boolean, discord_timestamp bigint);
  truncate import_rows;
  drop index if exists pg_temp.import_rows_key`

/**
 * The rows of one import on their way into a table of their own, where they wait until the whole body has proved
 * readable. A small body takes a connection only at its end, so slow senders don't hold one. Always `close` it.
 */
export class Staging {
  private readonly databases: Databases
  private readonly now: Microseconds
  private piece = Buffer.allocUnsafe(0)
  private filled = 0
  private kept: Buffer[] = []
  private keptLength = 0
  private copy: CopyStreamQuery | undefined
  private connection: pg.PoolClient | undefined
  private endTurn: (() => void) | undefined
  private failure: Error | undefined
  private readonly onLost = (error: Error): void => {
    this.failure = error
  }
  count = 0

  constructor(databases: Databases, now: Microseconds) {
    this.databases = databases
    this.now = now
  }

  add(rowNumber: number, deal: DealRow): void {
    const line = copyLine(rowNumber, deal, this.now)
    // Written at once: a growing text of a thousand rows would outlive the young generation and bloat the heap.
    const most = line.length * 3
    if (this.filled + most > this.piece.length) {
      this.keep()
      this.piece = Buffer.allocUnsafe(Math.max(pieceBytes, most))
    }
    this.filled += this.piece.write(line, this.filled, 'utf8')
    this.count += 1
  }

  /** Hands on what has been added; waits while the database is slower than the body. */
  async flush(): Promise<void> {
    if (this.kept.length > 0 && (this.keptLength > keptBytes || this.copy)) await this.send()
  }

  /** Completes the table and gives the connection that has it, which stays this object's. */
  async finish(): Promise<pg.PoolClient> {
    this.keep()
    await this.send()
    const { copy, connection } = this
    if (!copy || !connection) throw new Error('The staging connection is gone')
    copy.end()
    await once(copy, 'finish')
    this.copy = undefined
    if (this.count >= indexedFrom)
      await connection.query('create index import_rows_key on import_rows (asin, observed, row_no)')
    if (this.count >= 100) await connection.query('analyze import_rows')
    return connection
  }

  /** Gives the connection back; what was staged and not merged is gone. */
  async close(): Promise<void> {
    const { connection, copy } = this
    this.connection = undefined
    // A connection in the middle of a COPY, or a failed one, is closed: nobody else should inherit its state.
    connection?.off('error', this.onLost)
    if (connection) connection.release(copy || this.failure ? (this.failure ?? true) : undefined)
    this.endTurn?.()
    this.endTurn = undefined
  }

  private keep(): void {
    if (this.filled === 0) return
    this.kept.push(this.piece.subarray(0, this.filled))
    this.keptLength += this.filled
    this.piece = Buffer.allocUnsafe(0)
    this.filled = 0
  }

  private async send(): Promise<void> {
    const copy = this.copy ?? (await this.open())
    for (const piece of this.kept) if (!copy.write(piece)) await drained(copy)
    if (this.failure) throw this.failure
    this.kept = []
    this.keptLength = 0
  }

  private async open(): Promise<CopyStreamQuery> {
    const { writePool } = this.databases
    let queue = turns.get(writePool)
    if (!queue) {
      queue = new Turns(Math.max(1, Math.min(importsAtOnce, writePool.options.max - 1)))
      turns.set(writePool, queue)
    }
    this.endTurn = await queue.take()
    this.connection = await writePool.connect()
    // The pool doesn't listen to connections it has lent; unheard, a lost one would end the process.
    this.connection.on('error', this.onLost)
    await this.connection.query(createTable)
    const copy = this.connection.query(copyFrom(`copy import_rows (${stagedColumns}) from stdin`))
    copy.on('error', (error) => {
      this.failure = error
    })
    this.copy = copy
    return copy
  }
}

async function drained(copy: CopyStreamQuery): Promise<void> {
  await once(copy, 'drain')
}

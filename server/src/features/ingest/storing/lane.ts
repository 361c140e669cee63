import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { unwaited } from '../../../platform/database/database.ts'
import { isPreparedLost } from '../../../platform/database/prepared.ts'
import { stagedColumns } from '../../deals/writing/fields.ts'
import { type StagedPart, sentRows } from '../../deals/writing/merge-sql.ts'
import { unchangedList } from '../../deals/writing/unchanged-rows.ts'
import type { Withdrawn } from '../reading/originals.ts'
import type { Cancelling } from './cancelling.ts'
import { readLine } from './copy-text.ts'

/** Bytes that travel together. */
const [firstBytes, pieceBytes] = [16 * 1024, 128 * 1024]

/** So many wait here while the table is looked at, and so many on their way to it, before the reading of the body waits. */
const [mostAwaitingBytes, mostSendingBytes] = [8 * 1024 * 1024, 1024 * 1024]

/** Fewer rows than this are found without an index faster than one is built. */
export const indexedFrom = 4_000

const tablePrefix = 'import_rows_'

const columns = stagedColumns.map(({ name }) => name).join(', ')
const createTable = (table: string) =>
  `${unwaited} create temp table ${table} (${stagedColumns.map(({ name, type }) => `${name} ${type}`).join(', ')})`

/** Costs half of making one. */
const takeOver = (old: string, table: string) => `${unwaited}
  alter table ${old} rename to ${table};
  truncate ${table};
  drop index if exists ${old}_key;
  drop table if exists ${unchangedList(old)}`

/**
 * Makes the rows of a part quick to find by their items, and tells PostgreSQL how many there are, of `staged` that there were; each only
 * where it is worth its while.
 */
export async function indexRows({ client, table, count }: StagedPart, staged = count): Promise<void> {
  if (count >= indexedFrom)
    await client.query(
      `${unwaited} create index if not exists ${table}_key on ${table} (asin, observed desc, row_no desc)`,
    )
  // What rows are looked for by; all columns would take as long as to merge a tenth of them.
  if (staged >= 100) await client.query(`analyze ${table} (asin, observed)`)
}

/** The table that the last import has left on a connection. */
const leftTables = new WeakMap<pg.ClientBase, string>()

/** Whether a connection no longer has the table or the statements that were made on it: its session is another one. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return isPreparedLost(error.code) || (error.code === '42P01' && error.message.includes(tablePrefix))
}

/** A connection with what gives it back; given an error it is closed instead, so that nobody inherits its state. */
export type Lent = { client: pg.ClientBase; release(error?: Error | true): void }

async function ended(copy: CopyStreamQuery, signal?: AbortSignal): Promise<void> {
  copy.end()
  await once(copy, 'finish', { signal })
}

/** All results; when one fails, its error, but only once no other is still at work on its connection. */
export async function allOf<T>(works: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** Waits for a look, which a silent database may never end, or throws the signal's reason. */
async function unlessAborted(looking: Promise<void> | undefined, signal?: AbortSignal): Promise<void> {
  if (!looking || !signal) return looking
  signal.throwIfAborted()
  const end = new AbortController()
  const aborted = once(signal, 'abort', { signal: end.signal }).catch(() => undefined)
  await Promise.race([looking, aborted]).finally(() => end.abort())
  signal.throwIfAborted()
}

/** Staged rows on their way into a table of one connection; until it has one, they are buffered here. */
export class Lane {
  private piece = Buffer.allocUnsafe(0)
  private filled = 0
  private kept: Buffer[] = []
  private copy: CopyStreamQuery | undefined
  private lent: Lent | undefined
  // Of this lane alone: a session that isn't its own, as a pooler may give out, has no table of this name.
  private readonly table = tablePrefix + randomBytes(12).toString('hex')
  private failure: Error | undefined
  private readonly onLost = (error: Error): void => {
    this.failure = error
  }
  private looking: Promise<void> | undefined
  private isInTransaction = false
  bufferedBytes = 0
  count = 0
  /** So many rows at most are on their way to the table, or there. */
  sent = 0

  get isLooking(): boolean {
    return this.looking !== undefined
  }

  get isOpen(): boolean {
    return this.lent !== undefined
  }

  get client(): pg.ClientBase {
    if (!this.lent) throw new Error('The staging connection is gone')
    return this.lent.client
  }

  add(line: string): void {
    // Written at once: a growing text of a thousand rows would outlive the young generation and bloat the heap.
    const most = line.length * 3
    if (this.filled + most > this.piece.length) {
      this.keep()
      // A poll of a hundred rows needs one small piece: larger ones pile up until they are collected.
      const bytes = this.count === 0 ? firstBytes : pieceBytes
      this.piece = Buffer.allocUnsafe(Math.max(bytes, most))
    }
    this.filled += this.piece.write(line, this.filled, 'utf8')
    this.count += 1
  }

  /** Leaves all its rows to another lane, as long as it has no connection of its own. */
  pour(other: Lane): void {
    this.keep()
    other.keep()
    other.kept.push(...this.kept)
    other.bufferedBytes += this.bufferedBytes
    other.count += this.count
    this.kept = []
    this.bufferedBytes = 0
    this.count = 0
  }

  /** `isLarge`: somebody may look at the rows before the last one has come. */
  async open(lent: Lent, cancelling: Cancelling, isLarge: boolean): Promise<void> {
    this.borrow(lent, cancelling)
    await this.makeTable(lent.client)
    // Into a table that a transaction has emptied itself, COPY writes row behind row: it looks for no room among earlier ones.
    this.isInTransaction = isLarge
    if (isLarge) await lent.client.query(`${unwaited} begin; truncate ${this.table}`)
    this.beginCopy(lent)
  }

  private beginCopy({ client }: Lent): void {
    this.copy = client.query(
      copyFrom(`copy ${this.table} (${columns}) from stdin`, { highWaterMark: mostSendingBytes }),
    )
    this.copy.on('error', this.onLost)
  }

  /** All its rows on a connection, without a table; it has none yet. */
  openUnstored(lent: Lent, cancelling: Cancelling): StagedPart {
    this.borrow(lent, cancelling)
    this.keep()
    const lines = Buffer.concat(this.kept).toString('utf8').split('\n').slice(0, -1)
    return {
      client: lent.client,
      table: sentRows,
      count: this.count,
      rows: JSON.stringify(lines.map(readLine)),
    }
  }

  private borrow(lent: Lent, cancelling: Cancelling): void {
    this.lent = lent
    // The pool doesn't listen to connections it has lent; unheard, a lost one would end the process.
    lent.client.on('error', this.onLost)
    cancelling.add(lent.client)
  }

  /** Writes what is buffered; waits while the database is slower than the body, until the signal is aborted. */
  async send(signal?: AbortSignal): Promise<void> {
    if (this.bufferedBytes > mostAwaitingBytes) await unlessAborted(this.looking, signal)
    if (this.failure) throw this.failure
    const { copy } = this
    if (!copy) return
    for (const piece of this.kept) if (!copy.write(piece)) await once(copy, 'drain', { signal })
    if (this.failure) throw this.failure
    this.kept = []
    this.bufferedBytes = 0
    this.sent = this.count
  }

  /** Lets somebody look at the rows of a large body that were sent, in their transaction; those that come meanwhile are buffered here. */
  look(work: (sent: StagedPart) => Promise<void>): void {
    const { copy, lent, isInTransaction } = this
    if (!copy || !lent || !isInTransaction) return
    this.copy = undefined
    const looking = async () => {
      await ended(copy)
      await work({ client: lent.client, table: this.table, count: this.sent })
      // It may have been closed meanwhile.
      if (this.lent === lent) this.beginCopy(lent)
    }
    this.looking = looking()
      .catch((error: Error) => {
        this.failure ??= error
      })
      .finally(() => {
        this.looking = undefined
      })
  }

  /** Completes the table, without the original prices that are withdrawn; its connection stays the lane's. */
  async finish({ values, isDoubtful }: Withdrawn, signal?: AbortSignal): Promise<StagedPart> {
    this.keep()
    await unlessAborted(this.looking, signal)
    await this.send(signal)
    const { copy, lent, table, count } = this
    if (!copy || !lent) throw new Error('The staging connection is gone')
    await ended(copy, signal)
    this.copy = undefined
    if (this.isInTransaction) await lent.client.query('commit')
    this.isInTransaction = false
    if (values.length > 0 || isDoubtful)
      await lent.client.query(
        `${unwaited} update ${table} set original_price = null
         where original_price = any('{${values.join()}}'::numeric[]) or (${isDoubtful} and is_original_doubtful)`,
      )
    return { client: lent.client, table, count }
  }

  /** Gives the connection back, or closes it when `isUnusable`; what was staged and not merged is gone. */
  close(isUnusable = false): void {
    const { lent, copy } = this
    this.lent = undefined
    lent?.client.off('error', this.onLost)
    // A connection in the middle of a COPY or a transaction is as useless as a failed one.
    lent?.release(this.failure ?? (copy || this.isInTransaction || isUnusable ? true : undefined))
  }

  private async makeTable(client: pg.ClientBase): Promise<void> {
    const left = leftTables.get(client)
    const isTaken =
      left !== undefined &&
      (await client.query(takeOver(left, this.table)).then(
        () => true,
        (error) => {
          if (!isSessionLost(error)) throw error
          return false
        },
      ))
    if (!isTaken) await client.query(createTable(this.table))
    leftTables.set(client, this.table)
  }

  private keep(): void {
    if (this.filled === 0) return
    this.kept.push(this.piece.subarray(0, this.filled))
    this.bufferedBytes += this.filled
    this.piece = Buffer.allocUnsafe(0)
    this.filled = 0
  }
}

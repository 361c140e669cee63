import { connect } from 'node:net'
import pg from 'pg'
import type { CancelSignal } from '../cancellation.ts'
import { type ByteRow, byteText } from './byte-rows.ts'
import { TextQuery } from './text-query.ts'

/** A statement that ends by itself within this time isn't worth telling the database to end it; in milliseconds. */
const graceMs = 100
const cancelCode = 80_877_102

/**
 * Asks the database, and makes it stop working when `signal` is aborted: then the signal's reason is thrown, as soon as
 * the connection is free again. On a pool without a signal this is the pool's own `query`.
 */
export function abortableQuery<R extends pg.QueryResultRow>(
  pool: pg.Pool | pg.PoolClient,
  statement: pg.QueryConfig,
  signal: CancelSignal | undefined,
): Promise<pg.QueryResult<R>> {
  if (!signal || !('totalCount' in pool)) return pool.query<R>(statement)
  const { name, text, values } = statement
  // Made here, since of a configuration the library makes a copy that takes longer than all it does with it.
  return ask<pg.QueryResult<R>>(pool, signal, (done) =>
    Object.assign(new pg.Query<R>(text, values, done), { name }),
  )
}

/**
 * As `abortableQuery`, of a statement whose columns are known: its rows as the bytes of their columns. The database isn't
 * asked to describe them, and all is sent in one piece.
 */
export function abortableTexts(
  pool: pg.Pool | pg.PoolClient,
  statement: pg.QueryConfig,
  signal: CancelSignal | undefined,
): Promise<ByteRow[]> {
  if (!signal || !('totalCount' in pool)) return askAtOnce(pool, statement)
  return ask<ByteRow[]>(pool, signal, (done) => new TextQuery(statement, done))
}

async function askAtOnce(pool: pg.Pool | pg.PoolClient, statement: pg.QueryConfig): Promise<ByteRow[]> {
  const asTexts = { rowMode: 'array', types: { getTypeParser: () => String } } as const
  const { rows } = await pool.query<(string | null)[]>({ ...statement, ...asTexts })
  return rows.map((row) => row.map((column) => column && byteText(column)))
}

/** Asks on a connection of the pool, which is told to stop when `signal` is aborted. */
function ask<Result>(
  pool: pg.Pool,
  signal: CancelSignal,
  queryWith: (done: (error: Error | null | undefined, result: Result) => void) => pg.Submittable,
): Promise<Result> {
  // With callbacks, as the pool's own `query` does it: with promises all the way twice as much memory outlives a page.
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    pool.connect((failure, client, release) => {
      if (failure || !client) return reject(failure)
      if (signal.aborted) {
        release()
        return reject(signal.reason)
      }
      let timer: NodeJS.Timeout | undefined
      let cancelling: Promise<boolean> | undefined
      const stop = () => {
        timer = setTimeout(() => {
          cancelling = cancelStatement(client)
        }, graceMs)
      }
      signal.addEventListener('abort', stop, { once: true })
      const done = (error: Error | null | undefined, result: Result) => {
        signal.removeEventListener('abort', stop)
        clearTimeout(timer)
        const settle = (isClear: boolean) => {
          release(!isClear)
          if (error) reject(signal.aborted ? signal.reason : error)
          else resolve(result)
        }
        // What was asked to stop may have ended before it was told: the word must not reach whoever comes next.
        if (cancelling === undefined) settle(true)
        else void isSettled(client, cancelling).then(settle)
      }
      client.query(queryWith(done))
    })
  })
}

/** Whether the word has come to this connection and to no later statement; otherwise it may still be on its way. */
async function isSettled(client: pg.PoolClient, cancelling: Promise<boolean>): Promise<boolean> {
  if (!(await cancelling)) return false
  await client.query('select').catch(() => undefined)
  return true
}

/**
 * Tells the database on a connection of its own to end what this one is doing, as the protocol has it; unlike a function
 * of the database that finds its way through a pooler as well. Whether the word has been passed on by then: otherwise it
 * may still come, and whatever this connection does then is ended.
 */
export function cancelStatement(client: pg.ClientBase): Promise<boolean> {
  // The library keeps all of these, but its types say so of some only.
  const { processID, secretKey, host, port } = client as pg.Client & { processID: number; secretKey: number }
  const message = Buffer.alloc(16)
  message.writeInt32BE(16, 0)
  message.writeInt32BE(cancelCode, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  socket.setTimeout(1_000, () => socket.destroy())
  return new Promise((resolve) => {
    // The server closes it once it has passed the word on.
    socket.once('end', () => resolve(true))
    socket.once('close', () => resolve(false))
    socket.on('error', () => undefined)
    socket.resume()
    socket.end(message)
  })
}

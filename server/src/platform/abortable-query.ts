import { connect } from 'node:net'
import type pg from 'pg'

/** A statement that ends by itself within this time isn't worth telling the database to end it; in milliseconds. */
const graceMs = 100
const cancelCode = 80_877_102

/**
 * Asks the database, and makes it stop working when `signal` is aborted: then the signal's reason is thrown, as soon as
 * the connection is free again. On a pool without a signal this is the pool's own `query`.
 */
export async function abortableQuery<R extends pg.QueryResultRow>(
  pool: pg.Pool | pg.PoolClient,
  statement: pg.QueryConfig,
  signal: AbortSignal | undefined,
): Promise<pg.QueryResult<R>> {
  if (!signal || !('totalCount' in pool)) return pool.query<R>(statement)
  signal.throwIfAborted()
  const client = await pool.connect()
  let timer: NodeJS.Timeout | undefined
  let cancelling: Promise<boolean> | undefined
  const stop = () => {
    timer = setTimeout(() => {
      cancelling = cancelStatement(client)
    }, graceMs)
  }
  try {
    signal.throwIfAborted()
    signal.addEventListener('abort', stop, { once: true })
    return await client.query<R>(statement)
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
    // What was asked to stop may have ended before it was told: the word must not reach whoever comes next.
    const isClear = cancelling === undefined || (await isSettled(client, cancelling))
    client.release(!isClear)
  }
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

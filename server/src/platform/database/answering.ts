import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { liftAllLimits } from './time-limits.ts'
import { failUnconfirmed } from './unconfirmed-commits.ts'

/** How often it is looked whether the server still answers, and how long it may not, in milliseconds. */
const usual = { askEveryMs: 2_000, silenceMs: 10_000 }
/** How long a server may take to let it in, and a goodbye, in milliseconds. */
const [connectMs, goodbyeMs] = [10_000, 1_000]

/** A connection for work that may take minutes, as yet closed. Whoever loses it learns that from the statement under way. */
export function clientForWork(url: string, application_name: string): pg.Client {
  const client = new pg.Client({
    ...{ connectionString: url, application_name, connectionTimeoutMillis: connectMs },
  })
  client.on('error', () => {})
  failUnconfirmed(client)
  return client
}

/** Opens a connection that has a limit of time. Throws one clear line when the server doesn't answer within it. */
export async function connectInTime(client: pg.Client): Promise<void> {
  await client.connect().catch((error: unknown) => {
    throw isSilence(error) ? silent(error) : error
  })
}

/** Whether a question got no answer in time; the words are the library's. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && /^(Query read timeout|timeout expired)$/.test(error.message)
}

/** What to throw for that. */
export const silent = (cause: unknown): Error => new Error('The database does not answer.', { cause })

/**
 * Does work on a connection that may take minutes, for as long as its server, that of `url`, answers others: one that was
 * frozen closes nothing, and a statement would never end. Then the connection is cut and one clear line thrown. No limits of time that
 * its role has end it.
 */
export async function whileAnswering<T>(
  client: pg.Client,
  url: string,
  work: () => Promise<T>,
  { askEveryMs, silenceMs } = usual,
): Promise<T> {
  const over = new AbortController()
  let heardAt = performance.now()
  let isSilent = false
  const watching = (async () => {
    while (!isSilent && (await isPast(askEveryMs, over.signal))) {
      if (await answers(url, silenceMs / 2)) heardAt = performance.now()
      isSilent = !over.signal.aborted && performance.now() - heardAt > silenceMs
    }
    if (isSilent) client.connection.stream.destroy()
  })()
  try {
    await client.query(liftAllLimits)
    return await work()
  } catch (error) {
    if (!isSilent) throw error
    throw new Error(
      `The database has not answered for ${silenceMs / 1000} seconds, so the work on it was given up. It is as it was before, or done: start again when it answers.`,
      { cause: error },
    )
  } finally {
    over.abort()
    await watching
  }
}

/** Ends a connection, also one to a server that doesn't say goodbye. */
export async function leave(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), sleep(goodbyeMs, undefined, { ref: false })])
  client.connection.stream.destroy()
}

async function answers(url: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    // Not one of those that are in the way of a restore.
    application_name: 'watching dealdeck',
    ...{ connectionTimeoutMillis: withinMs, query_timeout: withinMs },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select')
    return true
  } catch (error) {
    // A refusal is an answer, too.
    return error instanceof pg.DatabaseError
  } finally {
    client.connection.stream.destroy()
  }
}

/** Waits; false when that was broken off. */
const isPast = (ms: number, signal: AbortSignal) => sleep(ms, true, { signal }).catch(() => false)

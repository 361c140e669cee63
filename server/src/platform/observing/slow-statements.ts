import type { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Databases } from '../database/database.ts'
import { TextQuery } from '../database/text-query.ts'
import { memberContext } from '../member-context.ts'

/** As much of a statement as is enough to know which one it is. */
const textLength = 300

/**
 * Writes each statement that took `limitMs` or longer to the log, with what it took, whether it failed, and for which member it was
 * asked; 0 writes none. A COPY is as long as its rows and isn't looked at. Values stay out: they may be what somebody searched for.
 */
export function logSlowStatements(databases: Databases, limitMs: number, log: Logger): void {
  if (limitMs === 0) return
  const { customPlanPool, genericPlanPool, reservedPool, durablePool, patientPool } = databases
  const pools = {
    read: customPlanPool,
    page: genericPlanPool,
    session: reservedPool,
    write: durablePool,
    import: patientPool,
  }
  for (const [name, pool] of Object.entries(pools)) {
    const note: Note = ({ text, member }, ms, failed) => {
      if (text === undefined || ms < limitMs) return
      const statement = withoutValues(text)
      log.warn(
        { pool: name, ...(member !== undefined && { by: member }), ms: Math.round(ms), failed, statement },
        'Slow statement',
      )
    }
    keepContext(pool)
    pool.on('connect', (client) => timeStatements(client, note))
  }
}

type Asked = { text: string | undefined; member: number | string | undefined; at: number }
type Note = (asked: Asked, ms: number, failed: boolean) => void

type Callback = (...args: unknown[]) => void

/**
 * Calls it back for whom it is called now. Not by AsyncResource.bind, which gives each function getters of its own: made for every
 * statement, these outlived it, and the collector's pauses were up to 20 ms instead of 4.
 */
function forTheSame(callback: Callback): Callback {
  const member = memberContext.getStore()
  return member === undefined
    ? (...args) => memberContext.exit(callback, ...args)
    : (...args) => memberContext.run(member, callback, ...args)
}

/** Who waits for a connection of a pool gets it in the middle of what somebody else does, who gives it back. */
function keepContext(pool: pg.Pool): void {
  // Of its two signatures, with a callback and without, one is the other with nothing given.
  const connect = pool.connect.bind(pool) as (callback?: Callback) => unknown
  Object.assign(pool, { connect: (callback?: Callback) => connect(callback && forTheSame(callback)) })
}

/**
 * Listens to the connection instead of to each statement's answer: a callback or promise around every answer made twice as
 * much memory outlive a page of deals.
 */
function timeStatements(client: pg.PoolClient, note: Note): void {
  // The library keeps these, but its types don't say so.
  const inside = client as pg.PoolClient & {
    connection: EventEmitter
    readyForQuery: boolean
    _queryQueue: unknown[]
  }
  // Its many signatures come down to this one; what goes in and out is not touched.
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const asked: Asked[] = []
  let failed = false
  Object.assign(client, {
    query(...args: unknown[]) {
      // What the library refused, as for a value that can't be written, never came to the server: nothing answers it.
      if (inside.readyForQuery && inside._queryQueue.length === 0) asked.length = 0
      asked.push({ text: textOf(args[0]), member: memberContext.getStore(), at: performance.now() })
      return query(...args)
    },
  })
  inside.connection.on('errorMessage', () => {
    failed = true
  })
  // Before the library hears of it: whoever gets the answer may ask the next at once.
  inside.connection.prependListener('readyForQuery', () => {
    const one = asked.shift()
    if (one) note(one, performance.now() - one.at, failed)
    failed = false
  })
}

/** The text of a statement, given as such or in a configuration; undefined for a COPY or a cursor, which are objects of their own. */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement
  const { text, submit } = Object(statement)
  const isPlain = submit === undefined || statement instanceof TextQuery || statement instanceof pg.Query
  return typeof text === 'string' && isPlain ? text : undefined
}

function withoutValues(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, "'…'")
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, textLength)
}

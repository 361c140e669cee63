import type pg from 'pg'
import type { Logger } from 'pino'
import type { Databases } from '../database/database.ts'

/** As much of a statement as is enough to know which one it is. */
const textLength = 300

/**
 * Writes each statement that took `limitMs` or longer to the log, with what it took and whether it failed; 0 writes none. A
 * COPY is as long as its rows and isn't looked at. Values stay out: they may be what somebody searched for.
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
    const note = (text: string, ms: number, failed: boolean) => {
      if (ms >= limitMs)
        log.warn({ pool: name, ms: Math.round(ms), failed, statement: withoutValues(text) }, 'Slow statement')
    }
    pool.on('connect', (client) => timeStatements(client, note))
  }
}

type Note = (text: string, ms: number, failed: boolean) => void
type Query = (...args: unknown[]) => unknown

function timeStatements(client: pg.PoolClient, note: Note): void {
  // Its many signatures come down to this one; what goes in and out is not touched.
  const query = client.query.bind(client) as Query
  const timed: Query = (...args) => {
    const text = textOf(args[0])
    if (text === undefined) return query(...args)
    const begun = performance.now()
    const over = (failed: boolean) => note(text, performance.now() - begun, failed)
    const last = args.length - 1
    const callback = args[last]
    if (typeof callback === 'function') {
      args[last] = (error: unknown, result: unknown) => {
        over(Boolean(error))
        callback(error, result)
      }
      return query(...args)
    }
    const result = query(...args)
    if (result instanceof Promise)
      result.then(
        () => over(false),
        () => over(true),
      )
    return result
  }
  Object.assign(client, { query: timed })
}

/** The text of a statement, given as such or in a configuration; undefined for a COPY or a cursor, which are objects of their own. */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement
  const { text, submit } = Object(statement)
  return typeof text === 'string' && submit === undefined ? text : undefined
}

function withoutValues(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, "'…'")
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, textLength)
}

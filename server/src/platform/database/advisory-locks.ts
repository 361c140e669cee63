import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from './database.ts'
import { type AdvisoryLock, advisoryLocks } from './lock-register.ts'

/** How long somebody who waits for the answer to a change may be kept waiting by other changes, in milliseconds. */
export const changePatienceMs = 10_000

/** Runs a statement on one connection. */
export type Ask = (statement: string) => Promise<{ rows: unknown[] }>
/** A connection of pg's, for `takeLock`. */
export const asking =
  (client: pg.ClientBase): Ask =>
  (statement) =>
    client.query(statement)
/** A transaction of Kysely's, for `takeLock`. */
export const askingIn =
  (transaction: Database): Ask =>
  (statement) =>
    sql.raw(statement).execute(transaction)

/** A lock was not to be had in time. The message is for the operator: it names who holds it and what to do. */
export class LockTimeoutError extends Error {
  override readonly name = 'LockTimeoutError'
}

/**
 * Takes a lock for the rest of the transaction that `ask` is in: never for longer, since a pooler may keep a session for
 * ever. Waits `limitMs` at most and then throws LockTimeoutError, with the transaction as it was before.
 * `onWait` hears a line as soon as there is somebody to wait for.
 */
export async function takeLock(
  ask: Ask,
  lock: AdvisoryLock,
  limitMs: number,
  onWait?: (line: string) => void,
): Promise<void> {
  const { key, for: purpose } = advisoryLocks[lock]
  const { rows } = await ask(
    `select from (select pg_try_advisory_xact_lock(${key}) as taken) try where taken`,
  )
  if (rows.length > 0) return
  const seconds = `${limitMs / 1000} seconds`
  onWait?.(`Waiting up to ${seconds} for the lock for ${purpose}. ${await holdersOf(ask, lock)}`)
  await ask('savepoint lock_wait')
  try {
    await ask(`set local lock_timeout = ${limitMs}`)
    await ask(`select pg_advisory_xact_lock(${key})`)
    await ask('set local lock_timeout to default')
    await ask('release savepoint lock_wait')
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await ask('rollback to savepoint lock_wait')
    throw new LockTimeoutError(
      `The lock for ${purpose} was not free for ${seconds}. ${await holdersOf(ask, lock)}`,
      { cause: error },
    )
  }
}

/** Whether a statement was ended because it had waited for a lock as long as `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

const holdsAdvisory = (key: number) =>
  `l.locktype = 'advisory' and l.classid = 0 and l.objid = ${key} and l.objsubid = 1`
const holdsTables =
  "l.locktype = 'relation' and l.relation in (select oid from pg_class where relnamespace = current_schema()::regnamespace)"

/** True for connections that only wait for a lock of Dealdeck's; `pid` is an expression. */
export const waitsForLock = (lock: AdvisoryLock, pid: string): string =>
  `exists (select from pg_locks l where l.pid = ${pid} and not l.granted and ${holdsAdvisory(advisoryLocks[lock].key)})`

/** What to throw for a statement that waited too long for the tables of the database: one line that says who uses them. */
export async function tablesInUse(ask: Ask, cause: unknown): Promise<Error> {
  const message = `The tables of the database are in use, so nothing was changed. ${await describe(ask, holdsTables)}`
  return new LockTimeoutError(message, { cause })
}

const holdersOf = (ask: Ask, lock: AdvisoryLock) => describe(ask, holdsAdvisory(advisoryLocks[lock].key))

type Holder = {
  pid: number | null
  application: string | null
  role: string | null
  address: string | null
  state: string | null
  since: string | null
}

async function describe(ask: Ask, condition: string): Promise<string> {
  const { rows } = await ask(
    `select l.pid, nullif(a.application_name, '') as application, a.usename as role, a.state,
       host(a.client_addr) || ':' || a.client_port as address,
       to_char(a.state_change at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
     from (select distinct pid from pg_locks l where ${condition} and l.granted
       and l.database = (select oid from pg_database where datname = current_database())) l
     left join pg_stat_activity a on a.pid = l.pid
     where l.pid is distinct from pg_backend_pid() order by a.state_change limit 3`,
  )
  // The statement above gives these columns.
  const holders = rows as Holder[]
  if (holders.length === 0) return 'By now nobody is in the way: try again.'
  const pids = holders.flatMap(({ pid }) => pid ?? [])
  const end = pids.map((pid) => `select pg_terminate_backend(${pid})`).join('; ')
  const advice = end === '' ? '' : ` Where that is not at work any more, end it: ${end}`
  return `${holders.map(describeOne).join(' ')}${advice}`
}

function describeOne({ pid, application, role, address, state, since }: Holder): string {
  if (pid === null) return 'In the way is a prepared transaction: look into pg_prepared_xacts.'
  // Address and state are shown to the holder's own role and to administrators only.
  const facts = [
    application && `application ${application}`,
    role && `role ${role}`,
    address && `from ${address}`,
    state && `${state} since ${since}`,
  ]
  return `In the way is connection ${pid} (${facts.filter(Boolean).join(', ')}).`
}

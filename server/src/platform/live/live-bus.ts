import pg from 'pg'
import type { Logger } from 'pino'
import type { Databases } from '../database/database.ts'
import { ReadOnlyError } from '../database/database-hosts.ts'
import { findSessionFault } from '../database/session-check.ts'
import { breakOff, type CommitWait, CommitWaits, commitWaits } from '../database/unconfirmed-commits.ts'
import { isConnectionError } from '../http/http-errors.ts'

type Listener = (payload: string) => void

/** Pause between an answer of the database and the next question whether it is there, in milliseconds. */
const askEveryMs = 250
/** A database that is silent for so long is away. With the pause, requests that wait for it fail within a second. */
const silenceMs = 600
/** An attempt to connect that takes longer is given up, in milliseconds. */
const connectMs = 1_500
const longestPauseMs = 400
/** The first pause, and every one where several hosts are asked at once. */
const shortestPauseMs = 200
/** How often it is looked for another of several hosts that has taken the place of the one in use, in milliseconds. */
const lookAroundMs = 2_000

/** How soon it is looked whether sessions last again, in milliseconds. */
const sessionPauseMs = 2_000

/** What the database says of itself; `session` is one and the same for as long as a connection lasts, without a pooler. */
type ServerState = { is_read_only: boolean; is_standby: boolean; session: number; waiting: CommitWait[] }

const question = `select current_setting('transaction_read_only')::bool as is_read_only,
  pg_is_in_recovery() as is_standby, pg_backend_pid() as session, ${commitWaits} as waiting`

/** A pooler gives this connection another session for each transaction: nothing is heard on it. */
class SessionError extends Error {}

/**
 * LISTEN on one connection of its own, so that every instance hears what any instance published.
 * `connected` is false while nothing can be heard: whoever caches by what the bus says must not trust the cache then.
 * After each (re)connection the `onConnect` callbacks run, to catch up on what was missed.
 * The same connection tells what the database is good for: it is asked a few times a second, and the `watch` is told. Of
 * several hosts it finds the one to use, again whenever that one is lost or takes no changes any more.
 */
export class LiveBus {
  connected = false
  readonly #hosts: Databases['hosts']
  readonly #watch: Databases['watch']
  readonly #log: Logger
  readonly #silenceMs: number
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #onConnect = new Set<() => void>()
  readonly #waits = new CommitWaits()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  #attempts = 0
  /** How often it was lost since the start. */
  #outages = 0
  #lookedAround = 0
  /** The session that listens. */
  #session: number | undefined
  /** Whether sessions have been found not to last, and not to last again since. */
  #isPooled = false

  constructor({ hosts, watch }: Pick<Databases, 'hosts' | 'watch'>, log: Logger, patienceMs = silenceMs) {
    this.#hosts = hosts
    this.#watch = watch
    this.#log = log
    this.#silenceMs = patienceMs
  }

  /** Hear a channel's payloads. Subscribe before `start`. */
  on(channel: string, listener: Listener): void {
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
  }

  onConnect(callback: () => void): void {
    this.#onConnect.add(callback)
  }

  /** Connects; when that fails it keeps trying in the background. Never throws. */
  async start(): Promise<void> {
    if (this.#closed) return
    try {
      await this.#choose()
    } catch (error) {
      this.#failed(undefined, error)
      return
    }
    if (this.#closed) return
    const client = this.#open()
    try {
      const state = await this.#within(client, connectMs, async () => {
        await client.connect()
        return ask(client)
      })
      if (this.#isPooled) await this.#checkSessions(client)
      await this.#learn(client, state)
    } catch (error) {
      if (error instanceof SessionError) this.#loseSession(client)
      else this.#failed(client, error)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.connected = false
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #open(): pg.Client {
    const client = new pg.Client({
      connectionString: this.#hosts.url,
      keepAlive: true,
      application_name: 'dealdeck listen',
    })
    this.#client = client
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload ?? '')
    })
    return client
  }

  /** Finds the host to use. Whatever is still connected to another one is cut. */
  async #choose(): Promise<void> {
    const { url } = this.#hosts
    await this.#hosts.choose()
    if (this.#hosts.url !== url) this.#watch.moved()
  }

  /** Acts upon an answer of the database and asks again, for as long as this client is the one in use. */
  async #learn(client: pg.Client, state: ServerState): Promise<void> {
    const { is_read_only: isReadOnly, is_standby, session, waiting } = state
    if (isReadOnly && (this.#hosts.areSeveral || this.#hosts.mustWrite)) await this.#lookElsewhere(client)
    if (client !== this.#client || this.#closed) return
    if (this.connected && session !== this.#session) return this.#loseSession(client)
    this.#session = session
    if (this.#hosts.areSeveral && !isReadOnly && performance.now() - this.#lookedAround > lookAroundMs)
      void this.#lookAround(client)
    // Nobody can listen at a standby. It becomes a primary with all its connections open.
    const isHeard = this.connected || is_standby
    const { areInVain } = this.#waits
    const overdue = this.#waits.look(waiting)
    if (overdue.length > 0 && !areInVain) this.#log.warn('Commits wait in vain for a synchronous standby')
    await this.#within(client, isHeard ? this.#silenceMs : connectMs, async () => {
      if (!isHeard) for (const channel of this.#listeners.keys()) await client.query(`listen ${channel}`)
      if (overdue.length === 0) return
      await breakOff(client, overdue)
      this.#watch.commitsUnconfirmed += overdue.length
    })
    if (client !== this.#client || this.#closed) return
    this.connected ||= !is_standby
    this.#tell(isReadOnly, waiting.length)
    this.#timer = setTimeout(() => void this.#ask(client), askEveryMs)
    if (!isHeard) for (const callback of this.#onConnect) callback()
  }

  async #ask(client: pg.Client): Promise<void> {
    if (client !== this.#client || this.#closed) return
    try {
      await this.#learn(client, await this.#within(client, this.#silenceMs, () => ask(client)))
    } catch (error) {
      this.#lost(client, error)
    }
  }

  /** Throws SessionError while a pooler that was found out before is still there. */
  async #checkSessions(client: pg.Client): Promise<void> {
    const other = new pg.Client({
      connectionString: this.#hosts.url,
      connectionTimeoutMillis: connectMs,
      application_name: 'dealdeck listen',
    })
    other.on('error', () => {})
    try {
      await other.connect()
      const fault = await findSessionFault(client, other, new AbortController().signal)
      if (fault !== undefined) throw new SessionError(fault)
      this.#isPooled = false
    } finally {
      other.connection.stream.destroy()
    }
  }

  /** Live events went to another session, and nobody here knew: a pooler was put, or switched, into their way. */
  #loseSession(client: pg.Client): void {
    if (client !== this.#client || this.#closed) return
    if (!this.#isPooled) this.#log.error(pooledLine)
    this.#isPooled = true
    this.#watch.pooled()
    this.#lost(client)
  }

  /** For a host that takes no changes: gives it up when another one is better, or when none will do. */
  async #lookElsewhere(client: pg.Client): Promise<void> {
    const { url } = this.#hosts
    try {
      if (!this.#hosts.areSeveral) throw new ReadOnlyError('it can only be read')
      await this.#choose()
      if (this.#hosts.url !== url) this.#lost(client)
    } catch (error) {
      this.#failed(client, error)
    }
  }

  /** Gives up a server that goes on as a primary though another one was promoted in its place. */
  async #lookAround(client: pg.Client): Promise<void> {
    this.#lookedAround = performance.now()
    const isReplaced = await this.#hosts.isReplaced()
    if (!isReplaced || client !== this.#client || this.#closed) return
    this.#watch.moved()
    this.#lost(client, new Error('Another server was promoted in its place'))
  }

  /** Tells of what is different from the last answer. */
  #tell(isReadOnly: boolean, commitsWaiting: number): void {
    const { state } = this.#watch
    this.#watch.answers({ isReadOnly })
    this.#watch.commitsWaiting = commitsWaiting
    const isBack = this.#attempts > 0
    this.#attempts = 0
    if (isReadOnly && state !== 'read_only') this.#log.warn('The database can only be read from now on')
    else if (!isReadOnly && state === 'read_only') this.#log.info('The database takes changes again')
    else if (state === 'pooled') this.#log.info('Sessions of the database last again')
    else if (isBack) this.#log.info('The database answers again')
  }

  #failed(client: pg.Client | undefined, error: unknown): void {
    if (client !== this.#client || this.#closed) return
    // A server that refuses this one connection may still answer others.
    const isSilent = isConnectionError(error) && !(error instanceof pg.DatabaseError)
    if (isSilent || this.#hosts.areSeveral || error instanceof ReadOnlyError) this.#watch.away()
    this.#lost(client, error)
  }

  async #within<T>(client: pg.Client, ms: number, work: () => Promise<T>): Promise<T> {
    const answered = this.#limit(client, ms)
    try {
      return await work()
    } finally {
      answered()
    }
  }

  /** Gives the client up, and the database for away, unless the returned function is called in time. */
  #limit(client: pg.Client, ms: number): () => void {
    let answered = false
    const giveUp = () => {
      if (answered || client !== this.#client || this.#closed) return
      this.#watch.away()
      this.#lost(client, new Error('It does not answer'))
    }
    // Where this process itself was busy, the answer may be there and only not be read yet.
    const timer = setTimeout(() => setImmediate(giveUp), ms)
    return () => {
      answered = true
      clearTimeout(timer)
    }
  }

  #lost(client: pg.Client | undefined, error?: unknown): void {
    if (client !== this.#client || this.#closed) return
    this.#client = undefined
    this.connected = false
    this.#attempts += 1
    clearTimeout(this.#timer)
    if (this.#attempts === 1 && !this.#isPooled) {
      this.#outages += 1
      // By its number each is news to the log, which writes what it has said within a minute only when that is over.
      this.#log.warn({ err: error, outage: this.#outages }, 'The database was lost, trying again')
    }
    // A goodbye to a server that hangs would never be over.
    client?.connection.stream.destroy()
    const ordinary = this.#hosts.areSeveral
      ? shortestPauseMs
      : Math.min(longestPauseMs, shortestPauseMs * this.#attempts)
    const pause = this.#watch.state === 'pooled' ? sessionPauseMs : ordinary
    this.#timer = setTimeout(() => void this.start(), pause)
  }
}

const pooledLine =
  'Changes made by others are not heard, and imports fail: what stands before the database gives a session to others between two transactions. Give Dealdeck sessions of its own (PgBouncer: pool_mode = session)'

async function ask(client: pg.Client): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(question)
  const [state] = rows
  if (!state) throw new Error('The database did not say what it is')
  return state
}

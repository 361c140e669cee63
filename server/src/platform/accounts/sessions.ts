import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { BoundedMap } from '../bounded-map.ts'
import type { Clock } from '../clock.ts'
import type { Databases } from '../database/database.ts'
import { isReadOnly } from '../http/http-errors.ts'
import type { LiveBus } from '../live/live-bus.ts'
import { FallbackSessions } from './fallback-sessions.ts'
import { type Asker, Lookups } from './lookups.ts'
import { SessionReader, type StoredSession } from './session-reader.ts'

/** The channel that tells every instance whose sessions ended; the payload is the user's id. */
export const sessionsChannel = 'dealdeck_sessions'

/** How long a session, and the cookie that holds its token, last without being used, in milliseconds (30 days). */
export const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000
/** How long a session is answered from memory before the database is asked again, in milliseconds. */
const cacheTtlMs = 3_000
/** One used when it has been cached for so long is asked for again while it still counts, so that a busy reader never waits for it. */
const refreshAfterMs = 1_500
/** So long it is not asked for once more in this way, whatever became of that. */
const refreshEveryMs = 500
const mostCached = 10_000
/** Sessions that weren't seen lately and are looked up at once: as few statements as it takes read them. */
const mostLookups = 33
/** Sessions a user has at most; of more those unused for longest end, so that nobody fills the table by signing in. */
const mostSessions = 200
/** How old the note of a session's last use may become before it is written again, in milliseconds. */
const touchEveryMs = 5 * 60_000

export type SignedInUser = Pick<StoredSession, 'id' | 'username' | 'role' | 'status'>
export type LiveSession = {
  key: string
  user: SignedInUser
  /** Of a built-in account, while the database is away. */
  isFallback?: true
  /** Its end has just been put off, so the browser's cookie is to last as long. */
  isProlonged?: boolean
}

/** A sign-in whose password has been checked against that hash. */
export type NewSession = { userId: number; passwordHash: string; userAgent: string; address: string }

type CachedSession = { session: LiveSession; until: number; refreshAt: number }

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')
export const toKey = (token: string): string => hash('sha256', token, 'base64url')

/**
 * Server-side sessions. Only the SHA-256 of a token is stored; a session counts only while its user is active and approved.
 * Answers are cached for three seconds, and forgotten at once when any instance ends a user's sessions.
 * While the database is away only the sessions in `fallback` count.
 */
export class Sessions {
  readonly fallback: FallbackSessions
  /** Whose turn it is to have their session looked up. */
  readonly lookups = new Lookups(mostLookups)
  /** Whose turn it is to have an import token looked up. */
  readonly tokenLookups: Lookups
  readonly #reader: SessionReader
  readonly #databases: Databases
  readonly #clock: Clock
  readonly #cache = new BoundedMap<string, CachedSession>(mostCached)
  /** Sessions being asked for: however many requests one sends meanwhile, it is looked up once. */
  readonly #asked = new Map<string, Promise<LiveSession | null>>()
  readonly #onEnded = new Set<(userId: number) => void>()

  constructor(databases: Databases, clock: Clock, bus: Pick<LiveBus, 'on' | 'onConnect'>) {
    this.#databases = databases
    this.#clock = clock
    this.fallback = new FallbackSessions(databases, clock)
    this.tokenLookups = new Lookups(databases.reservedPool.options.max)
    this.#reader = new SessionReader(databases.reservedPool, clock)
    bus.on(sessionsChannel, (payload) => this.forgetUser(Number(payload)))
    // Also of whom nobody has heard since: the account may change before the next outage, and they would be back with that.
    bus.onConnect(() => this.fallback.clear())
  }

  /** Called with the user's id whenever that user's sessions may have ended, on any instance. */
  onEnded(callback: (userId: number) => void): void {
    this.#onEnded.add(callback)
  }

  /**
   * Opens a session and notes the sign-in; returns the token for the cookie, which is stored nowhere. Null when the
   * account has got another password, or may not be signed in any more, since its password was checked.
   */
  async open({ userId, passwordHash, userAgent, address }: NewSession): Promise<string | null> {
    const token = randomBytes(32).toString('base64url')
    const now = this.#clock()
    // One statement with the account's row locked: whoever changes the account meanwhile ends this session, or prevents it.
    const opened = await this.#databases.reservedDb
      .with('account', (db) =>
        db
          .updateTable('users')
          .set({ last_sign_in_at: now })
          .where('id', '=', userId)
          .where('password_hash', '=', passwordHash)
          .where('is_active', '=', true)
          .where('status', '=', 'approved')
          .returning('id'),
      )
      .with('ended', (db) =>
        db.deleteFrom('sessions').where('token_hash', 'in', (eb) =>
          eb
            .selectFrom('sessions')
            .select('token_hash')
            .where('user_id', '=', userId)
            .orderBy('last_used_at', 'desc')
            .offset(mostSessions - 1)
            .limit(mostSessions),
        ),
      )
      .insertInto('sessions')
      .columns([
        ...(['token_hash', 'user_id', 'expires_at', 'user_agent', 'last_used_at'] as const),
        ...(['last_used_address', 'signed_in_address'] as const),
      ])
      .expression((db) =>
        db
          .selectFrom('account')
          .select(({ ref, val, cast }) => [
            cast<Buffer>(val(hashToken(token)), 'bytea').as('token_hash'),
            ref('account.id').as('user_id'),
            cast<Date>(val(new Date(now.getTime() + sessionLifetimeMs)), 'timestamptz').as('expires_at'),
            cast<string>(val(userAgent.slice(0, 300)), 'text').as('user_agent'),
            cast<Date>(val(now), 'timestamptz').as('last_used_at'),
            cast<string>(val(address), 'text').as('last_used_address'),
            cast<string>(val(address), 'text').as('signed_in_address'),
          ]),
      )
      .returning('id')
      .executeTakeFirst()
    if (!opened) return null
    this.lookups.know(toKey(token))
    return token
  }

  /** Opens a session of a built-in account; returns the token for the cookie. `id` is below zero: nobody else's. */
  openFallback(id: number, { username, role }: Pick<SignedInUser, 'username' | 'role'>): string {
    return this.fallback.open({ id, username, role, status: 'approved' }, toKey)
  }

  /**
   * The session of a token, or null when it is unknown, over, or its user may not be signed in; at once while it is
   * cached. Throws as `Lookups` does, for a token that wasn't seen lately.
   */
  find(token: string, asker: Asker): LiveSession | Promise<LiveSession | null> {
    const key = toKey(token)
    const cached = this.#cached(key)
    if (!cached) return this.#find(key, asker)
    if (cached.refreshAt <= Date.now() && !this.#asked.has(key)) {
      cached.refreshAt = Date.now() + refreshEveryMs
      // What fails now is asked for again by whoever comes then, or when this one counts no more.
      this.#ask(key, asker.address()).then(
        (found) => found && this.lookups.know(key),
        () => undefined,
      )
    }
    return cached.session
  }

  async #find(key: string, asker: Asker): Promise<LiveSession | null> {
    const user = await this.fallback.find(key)
    if (user) return { key, user, isFallback: true }
    // Whoever waits for a turn may find that another has asked meanwhile.
    const ask = async () =>
      this.#cached(key)?.session ?? this.#asked.get(key) ?? this.#ask(key, asker.address())
    return this.#asked.get(key) ?? this.lookups.find(key, asker, ask)
  }

  /** Ends one session by its token. */
  async end(token: string): Promise<void> {
    const key = toKey(token)
    if (this.fallback.end(key)) return
    const ended = await this.#databases.durableDb
      .deleteFrom('sessions')
      .where('token_hash', '=', hashToken(token))
      .returning('user_id')
      .executeTakeFirst()
    this.#forget(key)
    if (ended) await this.#tell(ended.user_id)
  }

  /** Which of these session keys are still good; for streams that stay open for hours. */
  async stillGood(keys: string[]): Promise<Set<string>> {
    const hashes = keys.map((key) => Buffer.from(key, 'base64url'))
    const rows = await this.#databases.reservedDb
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('token_hash')
      // As one value: a statement takes 65,535 at most, and to write thousands into its text is work.
      .where(sql<boolean>`token_hash = any(${hashes}::bytea[])`)
      .where('users.is_active', '=', true)
      .where('users.status', '=', 'approved')
      .where('expires_at', '>', this.#clock())
      .limit(keys.length)
      .execute()
    return new Set(rows.map((row) => row.token_hash.toString('base64url')))
  }

  /** Forgets what is cached of a user and tells the listeners. */
  forgetUser(userId: number): void {
    for (const [key, { session }] of this.#cache) if (session.user.id === userId) this.#cache.delete(key)
    // Whose these are is not known yet.
    this.#asked.clear()
    for (const callback of this.#onEnded) callback(userId)
  }

  async #tell(userId: number): Promise<void> {
    this.forgetUser(userId)
    await sql`select pg_notify(${sessionsChannel}, ${String(userId)})`.execute(this.#databases.reservedDb)
  }

  #cached(key: string): CachedSession | undefined {
    const cached = this.#cache.get(key)
    return cached && cached.until > Date.now() ? cached : undefined
  }

  #forget(key: string): void {
    this.#cache.delete(key)
    this.#asked.delete(key)
  }

  #ask(key: string, address: string): Promise<LiveSession | null> {
    // It was so then; the answer may be late.
    const began = Date.now()
    const asked = this.#read(key, address)
      .then((session) => {
        // What was forgotten meanwhile may have ended after it was read.
        if (this.#asked.get(key) !== asked) return session
        const times = { until: began + cacheTtlMs, refreshAt: began + refreshAfterMs }
        if (session) this.#cache.set(key, { session, ...times })
        else this.#cache.delete(key)
        return session
      })
      .finally(() => {
        if (this.#asked.get(key) === asked) this.#asked.delete(key)
      })
    this.#asked.set(key, asked)
    return asked
  }

  async #read(key: string, address: string): Promise<LiveSession | null> {
    const hash = Buffer.from(key, 'base64url')
    const now = this.#clock()
    const row = await this.#reader.read(key)
    if (!row) return null
    const { last_used_at, last_used_address, ...user } = row
    // A session in daily use never ends.
    const isOld = now.getTime() - last_used_at.getTime() > touchEveryMs
    const isTouched =
      (isOld || address !== last_used_address) &&
      (await this.#touch(hash, now, address).catch(unlessReadOnly))
    return { key, user, isProlonged: isOld && isTouched }
  }

  /** Notes when and where a session was used last, and puts off its end. */
  async #touch(hash: Buffer, now: Date, address: string): Promise<true> {
    await this.#databases.reservedDb
      .updateTable('sessions')
      .set({
        last_used_at: now,
        last_used_address: address,
        expires_at: new Date(now.getTime() + sessionLifetimeMs),
      })
      .where('token_hash', '=', hash)
      .execute()
    return true
  }
}

/** A note that can't be made keeps nobody from reading. */
function unlessReadOnly(error: unknown): false {
  if (!isReadOnly(error)) throw error
  return false
}

import type { Role, UserStatus } from '@dealdeck/contract/session'
import type pg from 'pg'
import type { Clock } from '../clock.ts'

/** A session that counts: whose it is, and when and from where it was used last. */
export type StoredSession = {
  id: number
  username: string
  role: Role
  status: UserStatus
  last_used_at: Date
  last_used_address: string
}

type Waiting = {
  key: string
  resolve: (session: StoredSession | undefined) => void
  reject: (error: unknown) => void
}

/** Statements under way at once, however many ask: the others of the pool are for what else can't wait. */
const mostStatements = 2
/** Sessions one statement asks for. */
const mostTogether = 100

// Not prepared: a plan made while there were few sessions reads the whole table when there are many.
const statement = `
  select token_hash, u.id, username, role, status, last_used_at, last_used_address
  from sessions s join users u on u.id = s.user_id
  where token_hash = any($1::bytea[]) and u.is_active and u.status = 'approved' and expires_at > $2`

/**
 * Reads sessions by their keys. Whoever asks while statements are under way is asked for together with all who do: when a process has
 * started anew, all pages that were open come back at once.
 */
export class SessionReader {
  readonly #pool: pg.Pool
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #statements = 0

  constructor(pool: pg.Pool, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
  }

  /** The session with this key (`toKey`); undefined where there is none that counts. Throws what the database says. */
  read(key: string): Promise<StoredSession | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#statements >= mostStatements || this.#waiting.length === 0) return
    const asked = this.#waiting.splice(0, mostTogether)
    this.#statements += 1
    void this.#readAll(asked).finally(() => {
      this.#statements -= 1
      this.#next()
    })
  }

  async #readAll(asked: readonly Waiting[]): Promise<void> {
    try {
      const hashes = asked.map(({ key }) => Buffer.from(key, 'base64url'))
      const { rows } = await this.#pool.query<StoredSession & { token_hash: Buffer }>(statement, [
        hashes,
        this.#clock(),
      ])
      const found = new Map(
        rows.map(({ token_hash, ...session }) => [token_hash.toString('base64url'), session]),
      )
      for (const { key, resolve } of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
}

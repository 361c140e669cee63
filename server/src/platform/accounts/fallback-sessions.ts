import { randomBytes } from 'node:crypto'
import type { Role } from '@dealdeck/contract/session'
import type { Clock } from '../clock.ts'
import type { Databases } from '../database/database.ts'
import { isDatabaseGone } from '../http/http-errors.ts'

/** No such session lives longer, in milliseconds. */
const lifetimeMs = 60 * 60_000
/** Far more than there are built-in accounts; the oldest makes room. */
const mostSessions = 100

export type FallbackUser = { id: number; username: string; role: Role; status: 'approved' }

/**
 * Sessions of built-in accounts, stored in this process's memory while the users table can't be read. All of them end when
 * it can be read again: then the real accounts count.
 */
export class FallbackSessions {
  readonly #databases: Databases
  readonly #clock: Clock
  readonly #sessions = new Map<string, { user: FallbackUser; until: number }>()

  constructor(databases: Databases, clock: Clock) {
    this.#databases = databases
    this.#clock = clock
  }

  /** Keeps a session under the key that `toKey` makes of its token; returns the token. */
  open(user: FallbackUser, toKey: (token: string) => string): string {
    const token = randomBytes(32).toString('base64url')
    const [oldest] = this.#sessions.keys()
    if (oldest !== undefined && this.#sessions.size >= mostSessions) this.#sessions.delete(oldest)
    this.#sessions.set(toKey(token), { user, until: this.#clock().getTime() + lifetimeMs })
    return token
  }

  /** The user of a session that still counts; undefined for any other key. */
  async find(key: string): Promise<FallbackUser | undefined> {
    const session = this.#sessions.get(key)
    if (!session) return undefined
    if (await this.#isDatabaseBack()) this.#sessions.clear()
    else if (session.until <= this.#clock().getTime()) this.#sessions.delete(key)
    return this.#sessions.get(key)?.user
  }

  /** How many sessions an account has open. */
  count(username: string): number {
    const now = this.#clock().getTime()
    const open = [...this.#sessions.values()].filter(({ until }) => until > now)
    return open.filter(({ user }) => user.username === username).length
  }

  /** Ends all: the database is there, or was. */
  clear(): void {
    this.#sessions.clear()
  }

  /** Ends a session; false when it isn't one of these. */
  end(key: string): boolean {
    return this.#sessions.delete(key)
  }

  async #isDatabaseBack(): Promise<boolean> {
    try {
      await this.#databases.db.selectFrom('users').select('id').limit(1).execute()
      return true
    } catch (error) {
      if (isDatabaseGone(error)) return false
      throw error
    }
  }
}

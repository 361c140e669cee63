import type { Role } from '@dealdeck/contract/session'
import type { Databases } from '../database/database.ts'

/** A name that may sign in while the database is away. Without a hash of its own it stands for the account of that name. */
export type BuiltInAccount = { username: string; role: Role; password_hash?: string | undefined }

export type KnownAccount = Required<BuiltInAccount> & {
  created_at: Date
  updated_at: Date
  last_sign_in_at: Date | null
}

/**
 * The accounts that sign in, and are listed, while the users table can't be read. As long as it can be read they follow
 * it: a new password is the password here too, and who may not sign in there may not sign in here.
 */
export class BuiltInAccounts {
  readonly #databases: Databases
  readonly #given: readonly BuiltInAccount[]
  #known: KnownAccount[]
  #reading: Promise<void> | undefined
  #again = false

  constructor(databases: Databases, given: readonly BuiltInAccount[]) {
    this.#databases = databases
    this.#given = given
    this.#known = given.flatMap(standingAlone)
  }

  /** Those who may sign in, in the order they were given. */
  get list(): readonly KnownAccount[] {
    return this.#known
  }

  /** Takes over what the users table says now. While it can't be read, what was known stays. */
  refresh(): Promise<void> {
    this.#again = this.#reading !== undefined
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
      if (this.#again) void this.refresh()
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    if (this.#given.length === 0) return
    try {
      const rows = await this.#databases.db
        .selectFrom('users')
        .select(['username', 'role', 'status', 'is_active', 'password_hash'])
        .select(['created_at', 'updated_at', 'last_sign_in_at'])
        .where(
          'username',
          'in',
          this.#given.map(({ username }) => username),
        )
        .execute()
      this.#known = this.#given.flatMap((given) => {
        const own = rows.filter(({ username }) => username === given.username)
        if (own.length === 0) return standingAlone(given)
        const active = own.find(({ is_active, status }) => is_active && status === 'approved')
        if (!active) return []
        const { status: _, is_active: __, ...known } = active
        return known
      })
    } catch {
      // Whatever keeps the table from being read, what was known counts.
    }
  }
}

function standingAlone({ username, role, password_hash }: BuiltInAccount): KnownAccount[] {
  const since = new Date(0)
  if (!password_hash) return []
  return [{ username, role, password_hash, created_at: since, updated_at: since, last_sign_in_at: null }]
}

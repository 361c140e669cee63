import { sql } from 'kysely'
import { BoundedMap } from '../bounded-map.ts'
import type { Databases } from '../database/database.ts'
import { networkOf } from '../http/caller-address.ts'

/** Sessions looked at, the last used ones: of so many an installation for a closed group has fewer. */
const mostSessions = 10_000
/** How long an answer of the database is good for, in milliseconds. */
const freshMs = 10_000

/**
 * Tells networks in which somebody has an open session. The database is asked for all of them at once and once in ten
 * seconds, however many strangers there are to be told from members.
 */
export class KnownNetworks {
  readonly #databases: Databases
  #networks = newList()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> = Promise.resolve()

  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** Whether somebody has signed in from this network, or was last there. */
  async has(network: string): Promise<boolean> {
    if (this.#networks.has(network)) return true
    if (performance.now() - this.#readAt > freshMs) {
      this.#readAt = performance.now()
      this.#reading = this.#read()
    }
    await this.#reading
    return this.#networks.has(network)
  }

  /** From now on somebody has signed in from it. */
  add(network: string): void {
    this.#networks.set(network, true)
  }

  async #read(): Promise<void> {
    const rows = await this.#databases.reservedDb
      .selectFrom('sessions')
      .select(['signed_in_address', 'last_used_address'])
      .where('expires_at', '>', sql<Date>`now()`)
      .orderBy('last_used_at', 'desc')
      .limit(mostSessions)
      .execute()
      // While the database is away those known so far stay known.
      .catch(() => undefined)
    if (!rows) return
    const addresses = rows.flatMap((row) => [row.signed_in_address, row.last_used_address])
    this.#networks = newList()
    for (const address of addresses) if (address !== '') this.add(networkOf(address))
  }
}

/** Each session knows two: where it was opened, and where it was last used. */
const newList = () => new BoundedMap<string, true>(2 * mostSessions)

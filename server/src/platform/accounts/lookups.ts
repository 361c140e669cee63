import { BoundedMap } from '../bounded-map.ts'
import type { CancelSignal } from '../cancellation.ts'
import { networkOf } from '../http/caller-address.ts'
import { MemberGate } from '../limits/member-gate.ts'

/** Secrets remembered at most, of each kind; of more the longest unused are forgotten. */
const mostKnown = 10_000
const mostUnknown = 10_000
/** How long a secret found unknown is not asked for again, in milliseconds. */
const unknownMs = 3_000
/** Of one network so many may wait: as many as come back at once when a process has started anew. */
const queue = 1_000

/** Where a secret is used from, and the signal that its user has left; both are found out only when somebody has to wait. */
export type Asker = { address: () => string; gone: () => CancelSignal | undefined }

/**
 * Who a secret sent along with a request belongs to, asked of the database. A secret that was found lately is asked for at
 * once. Any other waits for its turn, by network: whoever makes secrets up holds up their own network's newcomers only.
 */
export class Lookups {
  readonly gate: MemberGate
  readonly #known = new BoundedMap<string, true>(mostKnown)
  /** Of those nobody knows, until when that counts, in milliseconds since 1970. */
  readonly #unknown = new BoundedMap<string, number>(mostUnknown)

  /** `most` may be asked for at once, the known among them: one of these turns is theirs. */
  constructor(most: number) {
    const total = Math.max(1, most - 1)
    this.gate = new MemberGate({ name: 'lookups', total, perMember: Math.max(1, total - 1), queue })
  }

  /** How many secrets are remembered as unknown. */
  get unknown(): number {
    return this.#unknown.size
  }

  /** Remembers a secret's key as known, as that of a session that was just opened. */
  know(key: string): void {
    this.#known.set(key, true)
  }

  /**
   * What `find` says of a secret with this key; null when nobody knows it. Throws TOO_MANY_REQUESTS when too many of this
   * network wait, and the signal's reason when the asker has left before their turn.
   */
  async find<T>(
    key: string,
    { address, gone }: Asker,
    find: () => Promise<T | null | undefined>,
  ): Promise<T | null> {
    if (this.#known.has(key)) return this.#note(key, await find())
    if (this.#isUnknown(key)) return null
    const turn = await this.gate.enter(networkOf(address()), gone())
    try {
      // The same may have been asked for while this one waited.
      return this.#isUnknown(key) ? null : this.#note(key, await find())
    } finally {
      turn.end()
    }
  }

  #isUnknown(key: string): boolean {
    return (this.#unknown.get(key) ?? 0) > Date.now()
  }

  #note<T>(key: string, found: T | null | undefined): T | null {
    if (found != null) {
      this.#known.set(key, true)
      return found
    }
    this.#known.delete(key)
    this.#unknown.set(key, Date.now() + unknownMs)
    return null
  }
}

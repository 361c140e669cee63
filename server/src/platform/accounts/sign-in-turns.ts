import type { Databases } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { NetworkAndSite } from '../http/caller-address.ts'
import { MemberGate, type Turn } from '../limits/member-gate.ts'
import { KnownNetworks } from './known-networks.ts'

/** How many strangers may wait, of all networks together, and how long each, in milliseconds. */
export type StrangerLimits = { waiting: number; waitMs: number }

const strangerLimits: StrangerLimits = { waiting: 200, waitMs: 8_000 }

/**
 * Whose turn it is to have a password looked at. Whoever signs in at a device or in a network that is known has turns that
 * no stranger can take. Strangers take turns by site; their queue is bounded, and of a full one the site with most in it
 * gives way.
 */
export class SignInTurns {
  readonly known = new MemberGate({ name: 'known sign-ins', total: 2, perMember: 1, queue: 300 })
  readonly strangers: MemberGate
  readonly #networks: KnownNetworks
  readonly #limits: StrangerLimits
  /** Those who wait by site, in the order in which they came, and what ends the wait of each. */
  readonly #waiting = new Map<string, Set<AbortController>>()

  constructor(databases: Databases, limits = strangerLimits) {
    this.#networks = new KnownNetworks(databases)
    this.#limits = limits
    this.strangers = new MemberGate({ name: 'sign-ins', total: 3, perMember: 2, queue: limits.waiting })
  }

  /** By the names they have in `/metrics`. */
  get gates() {
    return { 'sign-ins': this.strangers, 'known-sign-ins': this.known }
  }

  /**
   * Waits for a turn. `owner` is whose device they are at, when that is known. Throws TOO_MANY_REQUESTS, and the signal's
   * reason when it is aborted before.
   */
  async enter(caller: NetworkAndSite, owner: string | undefined, gone?: AbortSignal): Promise<Turn> {
    gone?.throwIfAborted()
    if (owner !== undefined) return this.known.enter(`device of ${owner}`, gone)
    const turn = this.strangers.tryEnter(caller.site)
    if (turn) return turn
    try {
      return await this.#wait(caller, gone)
    } catch (error) {
      if (gone?.aborted || !(await this.#networks.has(caller.network))) throw error
      return this.known.enter(caller.network, gone)
    }
  }

  /** For whoever has a session. Throws TOO_MANY_REQUESTS. */
  enterAsUser(userId: number): Promise<Turn> {
    return this.known.enter(`user ${userId}`)
  }

  /** Somebody has signed in from there. */
  learn({ network }: NetworkAndSite): void {
    this.#networks.add(network)
  }

  /** Waits as a stranger does. Rejects when that is over, also because their network turns out to be known. */
  async #wait({ site, network }: NetworkAndSite, gone?: AbortSignal): Promise<Turn> {
    // Asked only by those who wait, so that it costs nothing while few sign in.
    const isKnown = this.#networks.has(network)
    this.#makeRoom(site)
    const ours = this.#waiting.get(site) ?? new Set()
    const end = new AbortController()
    this.#waiting.set(site, ours.add(end))
    const late = setTimeout(() => end.abort(tooManyStrangers()), this.#limits.waitMs)
    void isKnown.then((known) => known && end.abort(tooManyStrangers()))
    try {
      return await this.strangers.enter(site, gone ? AbortSignal.any([gone, end.signal]) : end.signal)
    } finally {
      clearTimeout(late)
      ours.delete(end)
      if (ours.size === 0 && this.#waiting.get(site) === ours) this.#waiting.delete(site)
    }
  }

  /** Room for one more of a site: in a full queue the last of the site with most in it makes way, if that isn't this one. */
  #makeRoom(site: string): void {
    if (this.strangers.figures.waiting < this.#limits.waiting) return
    const own = this.#waiting.get(site)?.size ?? 0
    const [longest] = [...this.#waiting.values()].sort((one, other) => other.size - one.size)
    const last = longest && longest.size > own + 1 ? [...longest].at(-1) : undefined
    if (!longest || !last) throw tooManyStrangers()
    longest.delete(last)
    last.abort(tooManyStrangers())
  }
}

function tooManyStrangers(): AppError {
  const message = 'Too many people are signing in right now. Please try again in a few seconds.'
  return new AppError('TOO_MANY_REQUESTS', message, { retryAfter: 5 })
}

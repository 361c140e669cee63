import type { CancelSignal } from '../cancellation.ts'
import { AppError } from '../errors.ts'

/**
 * A refusal is answered this late, so that whoever asks again at once is no faster than who waits; in milliseconds. Each by another time:
 * a hundred that were refused together would come again together, and others would wait for all of them.
 */
const [leastRefusalMs, mostRefusalMs] = [500, 1_500]
/**
 * Refusals that wait at once; those beyond are answered immediately, since each keeps its request in memory. More than anybody has
 * connections who isn't asked for each by a proxy.
 */
const mostRefusals = 10_000

/** Whoever has more than so many waiting rests after each turn. */
const restsFrom = 4

/** Members of whom nothing is at work that a gate remembers at most. */
const mostIdle = 1_000

export type GateLimits = {
  /** What is limited, as other processes call it too. */
  name: string
  /** How many may be at work at once, of all members together. */
  total: number
  /** How many one member may have at work at once. */
  perMember: number
  /** How many of one member may wait; those beyond are refused. */
  queue: number
  /**
   * For so long after a turn its member has one less, where several of theirs wait; in milliseconds. A process does one thing at a time:
   * so it has time for others, whatever each turn costs.
   */
  restMs?: number
}

/** Members who have so much under way here that other processes should know, and how much. */
export type LoadSource = () => Iterable<[member: string, count: number]>

/** What members have under way in other processes. */
export type Peers = {
  elsewhere(gate: string, member: string): number
  /** In how many other processes a member has something under way. */
  otherProcesses(gate: string, member: string): number
  /** From now on the source is asked at intervals, and the others are notified. */
  watch(gate: string, source: LoadSource): void
}

/** A turn that was given; call `end` when done with it, once or more often. */
export type Turn = {
  /** The work for everybody is done: others may begin. Counts for its member until `end`. */
  worked(): void
  /** Its member has one less for `leastRestMs` more, in milliseconds. */
  end(leastRestMs?: number): void
}

type Waiting = { admit(turn: Turn): void }
/** `waiting` is made for the first who has to: hardly anybody does, and whoever comes would pay for it. */
type Member = { running: number; waiting: Set<Waiting> | undefined }

/**
 * Lets a bounded number through at once, in all and for each member. Whoever waits gets in by member in turn, so that one
 * with a hundred requests delays another by one of them. Other processes' share of a member is taken into account.
 */
export class MemberGate {
  readonly #limits: GateLimits
  readonly #peers: Peers | undefined
  /** Those with anything at work or waiting, and so many without: who reads comes back at once. */
  readonly #members = new Map<string, Member>()
  /** Those of them who wait, in the order of whose turn it is. */
  readonly #queued = new Map<string, Member>()
  #running = 0
  #waiting = 0
  #refusals = 0

  constructor(limits: GateLimits, peers?: Peers) {
    this.#limits = limits
    this.#peers = peers
    peers?.watch(limits.name, () => this.#full())
  }

  /** How many are at work, and how many wait. */
  get figures(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting }
  }

  /** A turn if there is one right now. */
  tryEnter(key: string): Turn | undefined {
    const member = this.#memberOf(key)
    if (hasWaiting(member) || !this.#hasRoom(key, member)) {
      this.#forgetIdle(key, member)
      return undefined
    }
    return this.#admit(key, member)
  }

  /**
   * Waits for a turn. Throws TOO_MANY_REQUESTS when too many of this member wait already, and the signal's reason when
   * it is aborted before.
   */
  enter(key: string, signal?: CancelSignal): Promise<Turn> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const turn = this.tryEnter(key)
    if (turn) return Promise.resolve(turn)
    const member = this.#memberOf(key)
    member.waiting ??= new Set()
    const queue = member.waiting
    if (queue.size >= this.#limits.queue) return this.refuse(signal)
    this.#queued.set(key, member)
    this.#waiting += 1
    // With callbacks: a page of deals at a busy time waits here, and of promises more memory outlives it.
    return new Promise((resolve, reject) => {
      const give = (turn: Turn) => {
        signal?.removeEventListener('abort', leave)
        if (!signal?.aborted) return resolve(turn)
        turn.end()
        reject(signal.reason)
      }
      // Each begins in a later round of the event loop, lest what came in meanwhile waits for all of them.
      const waiting = { admit: (turn: Turn) => void setImmediate(give, turn) }
      queue.add(waiting)
      const leave = () => {
        // Otherwise its turn has been given already, and is given back above.
        if (!queue.delete(waiting)) return
        this.#waiting -= 1
        if (queue.size === 0) this.#queued.delete(key)
        this.#forgetIdle(key, member)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Whether another member waits who comes in as soon as one of this member's turns ends, and not before. */
  isAwaited(key: string): boolean {
    if (this.#running < this.#limits.total) return false
    return [...this.#queued].some(([other, member]) => other !== key && this.#hasShare(other, member))
  }

  #hasRoom(key: string, member: Member): boolean {
    return this.#running < this.#limits.total && this.#hasShare(key, member)
  }

  /** Whether a member may have one more at work. */
  #hasShare(key: string, member: Member): boolean {
    const { name, perMember } = this.#limits
    const elsewhere = this.#peers?.elsewhere(name, key) ?? 0
    if (!this.#peers || elsewhere === 0) return member.running < perMember
    // An equal share always, and one at least: two processes that hear of each other would else both keep a member out,
    // and a moment later both let in as many as one may.
    const equal = Math.floor(perMember / (1 + this.#peers.otherProcesses(name, key)))
    return member.running < Math.max(1, equal, perMember - elsewhere)
  }

  /** Members who have as much as they may, and how much that is. */
  *#full(): Iterable<[string, number]> {
    for (const [key, member] of this.#members)
      if (member.running > 0 && !this.#hasShare(key, member)) yield [key, member.running]
  }

  #admit(key: string, member: Member): Turn {
    member.running += 1
    this.#running += 1
    let [isAtWork, isOver] = [true, false]
    const worked = () => {
      if (!isAtWork) return
      isAtWork = false
      this.#running -= 1
      this.#next()
    }
    const leave = () => {
      member.running -= 1
      this.#forgetIdle(key, member)
      if (isAtWork) worked()
      else this.#next()
    }
    const end = (leastRestMs = 0) => {
      if (isOver) return
      isOver = true
      const { restMs = 0 } = this.#limits
      const hasMany = (member.waiting?.size ?? 0) > restsFrom
      const rest = Math.max(leastRestMs, hasMany ? restMs : 0)
      if (rest < 1) return leave()
      worked()
      setTimeout(leave, rest)
    }
    return { worked, end }
  }

  /** Lets in whoever may be let in now, the longest unserved member first. */
  #next(): void {
    if (this.#waiting === 0) return
    for (const [key, member] of this.#queued) {
      if (this.#running >= this.#limits.total) return
      if (!this.#hasShare(key, member)) continue
      const [first] = member.waiting ?? []
      if (!first) continue
      member.waiting?.delete(first)
      this.#waiting -= 1
      // To the end: the loop comes by again, after all others.
      this.#queued.delete(key)
      if (hasWaiting(member)) this.#queued.set(key, member)
      first.admit(this.#admit(key, member))
    }
  }

  #forgetIdle(key: string, member: Member): void {
    if (this.#members.size > mostIdle && member.running === 0 && !hasWaiting(member))
      this.#members.delete(key)
  }

  #memberOf(key: string): Member {
    let member = this.#members.get(key)
    if (!member) {
      member = { running: 0, waiting: undefined }
      this.#members.set(key, member)
    }
    return member
  }

  /** Throws TOO_MANY_REQUESTS after a while. */
  async refuse(signal: CancelSignal | undefined): Promise<never> {
    if (this.#refusals < mostRefusals) {
      this.#refusals += 1
      const { promise, resolve } = Promise.withResolvers<void>()
      const ms = leastRefusalMs + Math.random() * (mostRefusalMs - leastRefusalMs)
      const timer = setTimeout(resolve, ms).unref()
      signal?.addEventListener('abort', resolve, { once: true })
      await promise
      clearTimeout(timer)
      signal?.removeEventListener('abort', resolve)
      this.#refusals -= 1
    }
    throw tooManyAtOnce
  }
}

const hasWaiting = ({ waiting }: Member) => waiting !== undefined && waiting.size > 0

/** One for all: to find out where each comes from takes longer than to answer it, and says nothing. */
const tooManyAtOnce = new AppError(
  'TOO_MANY_REQUESTS',
  'You have too many requests under way at once. Please wait until some are answered.',
  { retryAfter: 2 },
)

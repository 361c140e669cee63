import { isConnectionError, isReadOnly } from '../../../platform/http/http-errors.ts'
import type { LiveBus } from '../../../platform/live/live-bus.ts'
import { type Claimed, claimDestinations, findDue, measureDue, renewClaims, renewSeconds } from './claims.ts'
import type { OutboxDeps } from './outbox-deps.ts'
import { serveDestination } from './serving.ts'
import { outboxChannel } from './waking.ts'

/** So many destinations are under way at once in one process, of one member, and of all members: some are left for the group. */
const [atOnce, ofOneMember, ofMembers] = [32, 4, 24]
/** How often it is looked what is due without being told, in milliseconds. */
const lookMs = 2_000
/**
 * From the end of one look, and its claims, to the next, in milliseconds: what became due meanwhile is claimed together, and what is read and written of these messages goes to
 * the database together, once for all.
 */
const gatherMs = 40
/** So long what is under way may go on when the process ends, in milliseconds: then it is given back. */
const finishMs = 3_000

/**
 * Sends what is due, beside all other processes that do. It is no kind of jobs: a queue of jobs would write a row for each destination,
 * take it and delete it, before the first byte is sent, and say once more what the rows of deliveries say. This claims a destination
 * with one statement, and hears of new rows by the commit that writes them: a message is on its way some 20 ms after, or 40 later where it has
 * just been looked.
 */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #running = new Map<number, { claim: Claimed; ending: AbortController; done: Promise<void> }>()
  readonly #look = () => this.wake()
  #waiting: { id: number; owner_id: number | null }[] = []
  #filling: Promise<void> | undefined
  #gathering: NodeJS.Timeout | undefined
  #filledAt = Number.NEGATIVE_INFINITY
  #measuredAt = Number.NEGATIVE_INFINITY
  #isWanted = false
  #isStopped = false
  #stopped: Promise<void> | undefined
  #looking: NodeJS.Timeout | undefined
  #renewing: NodeJS.Timeout | undefined
  #resuming: { at: number; timer: NodeJS.Timeout } | undefined
  #hasComplained = false

  /** Call it before the bus starts. */
  constructor(deps: OutboxDeps, bus?: LiveBus) {
    this.#deps = deps
    bus?.on(outboxChannel, this.#look)
    bus?.onConnect(this.#look)
  }

  start(): void {
    this.#looking = setInterval(this.#look, lookMs)
    this.#renewing = setInterval(() => void this.#renew(), renewSeconds * 1_000)
    this.wake()
  }

  /** Looks for what is due, for who has just committed something: at once, or some 40 ms after the last time. Never throws. */
  wake(): void {
    this.#isWanted = true
    if (this.#isStopped || this.#looking === undefined || this.#filling || this.#gathering) return
    const waitMs = this.#filledAt + gatherMs - performance.now()
    if (waitMs <= 0) this.#beginFilling()
    else this.#gathering = setTimeout(() => this.#beginFilling(), waitMs)
  }

  #beginFilling(): void {
    this.#gathering = undefined
    this.#filling = this.#fill().finally(() => {
      this.#filling = undefined
      this.#filledAt = performance.now()
      if (this.#isWanted && !this.#isFull) this.wake()
    })
  }

  /** Ends it: what is under way has three seconds, and is given back then. Never throws. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#looking)
    clearTimeout(this.#resuming?.timer)
    clearTimeout(this.#gathering)
    await this.#filling
    const late = setTimeout(() => {
      for (const { ending } of this.#running.values()) ending.abort(new Error('This process ends'))
    }, finishMs)
    await Promise.all([...this.#running.values()].map(({ done }) => done))
    clearTimeout(late)
    clearInterval(this.#renewing)
  }

  get #isFull(): boolean {
    return this.#running.size >= atOnce
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#isStopped && !this.#isFull && (this.#isWanted || this.#waiting.length > 0)) {
        if (this.#isWanted || this.#waiting.length === 0) await this.#find()
        const ids = this.#choose()
        if (ids.length === 0) break
        const claimed = await claimDestinations(this.#deps.databases, ids, this.#deps.clock())
        for (const claim of claimed) this.#serve(claim)
      }
      this.#hasComplained = false
    } catch (err) {
      // The next look tries again.
      this.#isWanted = false
      this.#waiting = []
      this.#complain(err)
    }
  }

  async #find(): Promise<void> {
    this.#isWanted = false
    const { databases, clock, figures } = this.#deps
    const found = await findDue(databases, clock())
    // Counting all that waits takes longer than finding some of it.
    if (performance.now() - this.#measuredAt >= lookMs) {
      this.#measuredAt = performance.now()
      const { due, oldest } = await measureDue(databases, clock())
      Object.assign(figures, { due, oldestDue: oldest?.getTime() })
    }
    this.#waiting = found.filter(({ id }) => !this.#running.has(id))
  }

  /** Takes those that have room now: whoever has destinations that don't answer keeps no others waiting. */
  #choose(): number[] {
    const owners = [...this.#running.values()].map(({ claim }) => claim.owner_id)
    const isChosen = ({ owner_id }: { owner_id: number | null }) => {
      if (owners.length >= atOnce) return false
      if (owner_id !== null && owners.filter((owner) => owner !== null).length >= ofMembers) return false
      if (owner_id !== null && owners.filter((owner) => owner === owner_id).length >= ofOneMember)
        return false
      owners.push(owner_id)
      return true
    }
    const { chosen = [], left = [] } = Object.groupBy(this.#waiting, (one) =>
      isChosen(one) ? 'chosen' : 'left',
    )
    this.#waiting = left
    return chosen.map(({ id }) => id)
  }

  #serve(claim: Claimed): void {
    const ending = new AbortController()
    const done = serveDestination(this.#deps, claim, ending.signal)
      .then(
        ({ resumeAt, isLeft }) => {
          if (resumeAt) this.#wakeAt(resumeAt.getTime() - this.#deps.clock().getTime())
          // It takes its turn behind the others.
          if (isLeft) this.#isWanted = true
        },
        (err) => this.#complain(err),
      )
      .finally(() => {
        this.#running.delete(claim.id)
        this.#deps.figures.sending = this.#running.size
        if (this.#isWanted || this.#waiting.length > 0) this.wake()
      })
    this.#running.set(claim.id, { claim, ending, done })
    this.#deps.figures.sending = this.#running.size
  }

  #wakeAt(ms: number): void {
    const at = performance.now() + ms
    // What is later is found by a look.
    if (ms > lookMs || (this.#resuming && this.#resuming.at <= at) || this.#isStopped) return
    clearTimeout(this.#resuming?.timer)
    const timer = setTimeout(() => {
      this.#resuming = undefined
      this.wake()
    }, ms + 1)
    this.#resuming = { at, timer }
  }

  /** Whoever has lost a claim to another ends what they are at. */
  async #renew(): Promise<void> {
    const all = [...this.#running.values()]
    if (all.length === 0) return
    try {
      const held = await renewClaims(
        this.#deps.databases,
        all.map(({ claim }) => claim),
      )
      for (const { claim, ending } of all)
        if (!held.has(claim.busy_by) && this.#running.get(claim.id)?.claim === claim)
          ending.abort(new Error('Another process has taken over'))
    } catch (err) {
      this.#complain(err)
    }
  }

  /** One line for each trouble. That the database is away is written down elsewhere. */
  #complain(err: unknown): void {
    if (this.#hasComplained || this.#isStopped || this.#deps.databases.watch.state !== 'there') return
    if (isConnectionError(err) || isReadOnly(err)) return
    this.#hasComplained = true
    this.#deps.log.warn({ err }, 'Sending messages failed, trying again')
  }
}

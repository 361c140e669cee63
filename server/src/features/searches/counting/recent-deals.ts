import type { DealFacts } from '@dealdeck/query/facts'
import type { Databases } from '../../../platform/database/database.ts'
import type { Stamp } from '../../../platform/database/epoch.ts'
import { readLastArrivals, readLaterArrivals } from '../../deals/following/arrivals.ts'

/** So many of the last deals that came are looked at. */
const mostRecent = 5_000
/** What nobody is told of, such as when a price was confirmed last, may be so old; in milliseconds. */
const longestMs = 5 * 60_000
/** After reading them it is so many times longer before they are read again. */
const pauseFactor = 10

/** A deal that came. When it changes another one takes its place, and this one is marked. */
export type RecentDeal = { readonly revision: number; readonly facts: DealFacts; isGone: boolean }

/**
 * The deals that came into the feed last and are visible, in memory: read once for all members when the feed has changed and
 * somebody asks. Of what is hidden meanwhile each is marked, so that nobody who still has it counts it.
 */
export class RecentDeals {
  readonly #databases: Pick<Databases, 'customPlanPool'>
  readonly #currentStamp: () => Stamp | null
  readonly #most: number
  #byId = new Map<number, RecentDeal>()
  /** The newest first. */
  #deals: readonly RecentDeal[] = []
  /** Those that came or changed since all were read, in the order in which they did. */
  #later: RecentDeal[] = []
  #since = 0
  #stamp: Stamp | undefined
  #generation = 0
  #allReadAt = 0
  #readAgainAt = 0
  #reading: Promise<void> | undefined

  /** `currentStamp` says the feed's revision as far as it is known; null: not known, so that one has to ask. */
  constructor(
    databases: Pick<Databases, 'customPlanPool'>,
    currentStamp: () => Stamp | null,
    most = mostRecent,
  ) {
    this.#databases = databases
    this.#currentStamp = currentStamp
    this.#most = most
  }

  /** All of them, the newest first. */
  get deals(): readonly RecentDeal[] {
    return this.#deals
  }

  /** Whatever came after this revision is among them. */
  get since(): number {
    return this.#since
  }

  /** Up to where somebody knows them who knows them all now. */
  get position(): { generation: number; index: number } {
    return { generation: this.#generation, index: this.#later.length }
  }

  /** Those that came or changed since; undefined when that isn't known any more. */
  after({ generation, index }: { generation: number; index: number }): readonly RecentDeal[] | undefined {
    return generation === this.#generation ? this.#later.slice(index) : undefined
  }

  /**
   * Reads what has changed, if anything and if it may already; whoever asks meanwhile waits for the same. Returns whether all
   * changes are among them that this process knew of when it was called.
   */
  async refresh(): Promise<boolean> {
    const current = this.#currentStamp()
    const now = performance.now()
    const isFresh = current && this.#includes(current) && now - this.#allReadAt < longestMs
    if (!isFresh && (!this.#stamp || now >= this.#readAgainAt)) {
      this.#reading ??= this.#read().finally(() => {
        this.#readAgainAt = performance.now() + pauseFactor * (performance.now() - now)
        this.#reading = undefined
      })
      await this.#reading
    }
    return !current || this.#includes(current)
  }

  #includes({ epoch, revision }: Stamp): boolean {
    return this.#stamp?.epoch === epoch && this.#stamp.revision >= revision
  }

  async #read(): Promise<void> {
    const pool = this.#databases.customPlanPool
    const isOld = performance.now() - this.#allReadAt >= longestMs
    const later =
      this.#stamp && !isOld && this.#later.length < this.#most
        ? await readLaterArrivals(pool, this.#stamp, (id) => this.#byId.has(id))
        : null
    if (!this.#stamp || !later) return this.#readAll()
    for (const { id, facts } of later.others) {
      const known = this.#byId.get(id)
      if (!known) continue
      known.isGone = true
      this.#byId.delete(id)
      if (facts) this.#add(id, { revision: known.revision, facts, isGone: false })
    }
    for (const { id, revision, facts } of later.arrivals) {
      const known = this.#byId.get(id)
      if (known) known.isGone = true
      this.#add(id, { revision, facts, isGone: false })
    }
    this.#stamp = { ...this.#stamp, revision: later.revision }
    this.#deals = [...this.#byId.values()].sort(newestFirst)
  }

  async #readAll(): Promise<void> {
    const { arrivals, since, ...stamp } = await readLastArrivals(this.#databases.customPlanPool, this.#most)
    for (const deal of this.#byId.values()) deal.isGone = true
    this.#byId = new Map(arrivals.map(({ id, revision, facts }) => [id, { revision, facts, isGone: false }]))
    this.#deals = [...this.#byId.values()]
    this.#later = []
    this.#generation += 1
    this.#since = since
    this.#stamp = stamp
    this.#allReadAt = performance.now()
  }

  #add(id: number, deal: RecentDeal): void {
    this.#byId.set(id, deal)
    this.#later.push(deal)
  }
}

const newestFirst = (a: RecentDeal, b: RecentDeal) => b.revision - a.revision

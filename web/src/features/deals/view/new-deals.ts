import type { Deal } from '@dealdeck/contract/deals'

/** What a toast has to say: new deals that pass the reader's filters, the cheapest first. */
export type News = {
  deals: readonly Deal[]
  /** There are more than these. */
  hasMore: boolean
}

/** What was found for the filters among the deals that were asked about; `ids` as `unchecked` gave them. */
type Checked = { ids: readonly number[]; passing: readonly Deal[]; hasMore: boolean }

/**
 * The deals that became visible and that this reader has not seen; lives as long as the page. Which of them pass the
 * reader's filters only the server can say: each is asked about once for the same filters, named by a key.
 */
export class NewDeals {
  readonly #seen = new Set<number>()
  readonly #waiting = new Set<number>()
  /** Of those waiting: asked about, passing, and put away by the reader until they show new deals. */
  readonly #checked = new Set<number>()
  readonly #passing = new Map<number, Deal>()
  /** The question that each deal was asked about with last; an answer to any other says nothing of it. */
  readonly #asked = new Map<number, readonly number[]>()
  readonly #putAway = new Set<number>()
  #hasMore = false
  #filters: string | undefined
  #recent: Set<number> | undefined

  /** What to announce for some filters. */
  news(filters: string): News {
    if (filters !== this.#filters) return { deals: [], hasMore: false }
    const deals = [...this.#passing.values()].filter(({ id }) => !this.#putAway.has(id))
    return { deals: deals.sort((a, b) => a.price - b.price || b.id - a.id), hasMore: this.#hasMore }
  }

  /**
   * All new deals that pass, put away or not, newest first, for the top of the list; whether there are more, or some that are asked
   * about anew; and the ids of all that were asked about, which the reader has seen once these are shown.
   */
  forTop(): News & { checked: number[] } {
    const deals = [...this.#passing.values()].sort(
      (a, b) => Date.parse(b.first_seen) - Date.parse(a.first_seen) || b.id - a.id,
    )
    const checked = new Set([...this.#checked, ...this.#passing.keys()])
    return { deals, hasMore: this.#hasMore || checked.size > this.#checked.size, checked: [...checked] }
  }

  /** The deals to be asked about for some filters. */
  unchecked(filters: string): number[] {
    if (filters !== this.#filters) {
      this.#filters = filters
      this.#checked.clear()
      this.#passing.clear()
      this.#asked.clear()
      this.#hasMore = false
    }
    const ids = [...this.#waiting].filter((id) => !this.#checked.has(id))
    for (const id of ids) this.#asked.set(id, ids)
    return ids
  }

  /** Takes what the server said; of what has changed meanwhile, the filters or a deal, it says nothing. */
  check({ ids, passing, hasMore }: Checked): void {
    const isCurrent = (id: number) => this.#asked.get(id) === ids
    if (!ids.some(isCurrent)) return
    for (const id of ids.filter(isCurrent)) {
      this.#checked.add(id)
      this.#passing.delete(id)
    }
    for (const deal of passing) if (isCurrent(deal.id)) this.#passing.set(deal.id, deal)
    this.#hasMore ||= hasMore
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) if (!this.#seen.has(id)) this.#waiting.add(id)
  }

  /**
   * These deals may pass now where they didn't, or the reverse. Until the answer they are announced as they were: a press meanwhile would
   * show nothing else. Those `entering` are in no part of a list that is loaded whole: one
   * that passes now is new to this reader, seen before or not.
   */
  change(ids: Iterable<number>, entering: Iterable<number> = []): void {
    for (const id of ids) {
      for (const known of [this.#checked, this.#asked]) known.delete(id)
    }
    for (const id of entering) {
      this.#seen.delete(id)
      this.#waiting.add(id)
    }
  }

  remove(ids: Iterable<number>): void {
    for (const id of ids) this.#drop(id)
  }

  /** These deals, or all, are on the reader's screen. */
  see(ids: Iterable<number> = [...this.#waiting]): void {
    for (const id of ids) {
      this.#seen.add(id)
      this.#drop(id)
    }
    // What is not known any more is among those that were asked about.
    if (this.#checked.size === 0) this.#hasMore = false
  }

  /** The reader wants to hear of what is newer still only. */
  putAway(): void {
    for (const id of this.#passing.keys()) this.#putAway.add(id)
    this.#hasMore = false
  }

  /** Forgets earlier polls, because the stream has taken over since. */
  endPolling(): void {
    this.#recent = undefined
  }

  /**
   * Takes what a poll of the last 24 hours brought, newest first. The first poll counts what changed after `since`
   * (milliseconds), later ones what the one before did not bring.
   */
  addRecent(deals: readonly Deal[], complete: boolean, since: number): void {
    const recent = this.#recent
    const isUnseen = (deal: Deal) => (recent ? !recent.has(deal.id) : Date.parse(deal.last_updated) >= since)
    // In a list that was cut off, what follows the last known deal only moved up from below.
    const lastKnown = recent && !complete ? deals.findLastIndex((deal) => recent.has(deal.id)) : -1
    const counted = lastKnown === -1 ? deals : deals.slice(0, lastKnown)
    this.add(counted.filter(isUnseen).map((deal) => deal.id))
    this.#recent = new Set([...(recent ?? []), ...deals.map((deal) => deal.id)])
  }

  #drop(id: number): void {
    for (const known of [this.#waiting, this.#checked, this.#passing, this.#asked, this.#putAway])
      known.delete(id)
  }
}

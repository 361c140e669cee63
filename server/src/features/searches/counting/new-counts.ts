import { mostNew } from '@dealdeck/contract/searches'
import { type Matcher, type Moment, matcherOf } from '@dealdeck/query/matching'
import { BoundedMap } from '../../../platform/bounded-map.ts'
import { MemberPace } from '../../../platform/limits/member-pace.ts'
import { mayDependOnClock } from '../../deals/searching/asking.ts'
import { openCondition } from '../rules.ts'
import type { RecentDeal, RecentDeals } from './recent-deals.ts'

/** What is new in a search: how many deals, `mostNew` at most, and whether there are more than that. */
export type NewCount = { count: number; hasMore: boolean }

/** What is asked: a stored question, and up to which revision its member has seen it. */
type Asked = { question: string; seenRevision: number }

/** What is known of a question: which of the recent deals meet it, the newest first, as many as are ever counted and one more. */
type Known = {
  matches: Matcher | undefined
  found: RecentDeal[]
  /** Of deals up to this revision some have been left out; -1 where none has. */
  cutAt: number
  position: { generation: number; index: number } | undefined
}

const noneCut = -1

/** Questions remembered at most, and members by what they asked last; those asked longest ago are forgotten. */
const [mostKnown, mostMembers] = [20_000, 10_000]
/** After so many deals it is looked whether others should have their turn, which is after so many milliseconds. */
const [lookEvery, sliceMs] = [128, 4]
/**
 * So many milliseconds of counting in a second a process spends on all members together, and on one; and after a rest at once. Whatever
 * is asked then is not counted, so that no number of searches and members slows anything else.
 */
export const countingPace = { all: [100, 300], member: [50, 200] } as const

/** Counts what is new in saved searches, in memory, once for all members who have the same question. */
export class NewCounts {
  readonly #recent: RecentDeals
  readonly #known = new BoundedMap<string, Known>(mostKnown)
  readonly #askedBy = new BoundedMap<string, ReadonlySet<string>>(mostMembers)
  readonly #all: MemberPace
  readonly #member: MemberPace

  constructor(
    recent: RecentDeals,
    pace: { [Who in keyof typeof countingPace]: readonly [number, number] } = countingPace,
  ) {
    this.#recent = recent
    this.#all = new MemberPace(...pace.all)
    this.#member = new MemberPace(...pace.member)
  }

  /** How many questions are remembered. */
  get size(): number {
    return this.#known.size
  }

  /**
   * Of each question what is new in it; null where that can't be said (yet): it asks for hidden deals, the deals may not be read
   * again already, or this member or all together have had so much counted lately that it has to wait.
   */
  async count(member: string, asked: readonly Asked[], moment: Moment): Promise<(NewCount | null)[]> {
    if (!(await this.#recent.refresh())) return asked.map(() => null)
    this.#forgetOthers(member, new Set(asked.map(({ question }) => keyOf(question, moment))))
    const counts: (NewCount | null)[] = []
    for (const { question, seenRevision } of asked) {
      const known = await this.#upToDate(member, question, moment)
      counts.push(known ? this.#newIn(known, seenRevision) : null)
    }
    return counts
  }

  /** Forgets what a member asked before and doesn't any more: whoever changes searches all the time leaves nothing behind. */
  #forgetOthers(member: string, keys: ReadonlySet<string>): void {
    for (const key of this.#askedBy.get(member) ?? []) if (!keys.has(key)) this.#known.delete(key)
    this.#askedBy.set(member, keys)
  }

  #newIn({ found, cutAt }: Known, seenRevision: number): NewCount {
    let count = 0
    // What became hidden since it was found is marked.
    for (const deal of found) if (!deal.isGone && deal.revision > seenRevision) count += 1
    const isPartial = seenRevision < this.#recent.since || seenRevision < cutAt
    return { count: Math.min(count, mostNew), hasMore: count > mostNew || isPartial }
  }

  async #upToDate(member: string, question: string, moment: Moment): Promise<Known | undefined> {
    const key = keyOf(question, moment)
    let known = this.#known.get(key)
    const fresh = known?.position && this.#recent.after(known.position)
    if (known && fresh?.length === 0) return known
    if (this.#all.take('all', 0) > 0 || this.#member.take(member, 0) > 0) return undefined
    const spent = this.#spending(member)
    if (!known) {
      const condition = openCondition(question)
      const matches = condition === undefined ? undefined : matcherOf(condition)
      known = { matches, found: [], cutAt: noneCut, position: undefined }
      this.#known.set(key, known)
    }
    const { matches } = known
    // Nothing of it is ever counted.
    if (!matches) return undefined
    const position = this.#recent.position
    const found = fresh ? [...known.found] : []
    let cutAt = fresh ? known.cutAt : noneCut
    let looked = 0
    for (const deal of fresh ?? this.#recent.deals) {
      // An old one that changed is no more among these than those between.
      if (deal.revision >= cutAt && matches(deal.facts, moment)) found.push(deal)
      // They come the newest first.
      if (!fresh && found.length > mostNew) {
        cutAt = deal.revision
        break
      }
      looked += 1
      if (looked % lookEvery === 0) await spent.pause()
    }
    spent.end()
    // Another request had all deals read anew meanwhile: those found here are marked as gone.
    if (position.generation !== this.#recent.position.generation) return undefined
    const living = found.filter(({ isGone }) => !isGone).sort((a, b) => b.revision - a.revision)
    if (living.length > mostNew + 1) cutAt = Math.max(cutAt, living[mostNew]?.revision ?? noneCut)
    Object.assign(known, { found: living.slice(0, mostNew + 1), cutAt, position })
    return known
  }

  /** Takes what is spent from now on off the pace of a member and of all, and lets others have their turn. */
  #spending(member: string) {
    let since = performance.now()
    const note = () => {
      const ms = performance.now() - since
      this.#all.take('all', ms)
      this.#member.take(member, ms)
    }
    return {
      end: note,
      pause: async () => {
        if (performance.now() - since < sliceMs) return
        note()
        await new Promise(setImmediate)
        since = performance.now()
      },
    }
  }
}

/** What a question is remembered by: what depends on the clock is another one in the next minute. */
function keyOf(question: string, { now, midnight }: Moment): string {
  return mayDependOnClock(question) ? `${now} ${midnight} ${question}` : question
}

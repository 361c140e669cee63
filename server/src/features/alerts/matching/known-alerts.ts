import type { AlertMode } from '@dealdeck/contract/alerts'
import type { DealFacts } from '@dealdeck/query/facts'
import { type Matcher, matcherOf } from '@dealdeck/query/matching'
import { type Condition, leavesOf } from '@dealdeck/query/question'
import type pg from 'pg'
import { openCondition } from '../../searches/rules.ts'
import { initialPeace } from '../peace/peace-rules.ts'
import { LongThought } from './long-thought.ts'
import { QuestionIndex } from './question-index.ts'

type AlertRow = {
  id: number
  destination_id: number
  question: string | null
  deal_id: number | null
  target_price: number | null
  mode: AlertMode
  again_percent: number
  urgent_off: number | null
  urgent_below: number | null
  /** Where its owner is. */
  time_zone: string
}

/** An alert that may send something, and what it asks. */
export type KnownAlert = Omit<AlertRow, 'question' | 'deal_id' | 'target_price'> & {
  /** It waits for the price of one deal. */
  isTarget: boolean
  matches: Matcher
  /** Whether the answer may change with the clock alone. */
  dependsOnClock: boolean
}

type Compiled = { condition: Condition | null; matches: Matcher; dependsOnClock: boolean } | undefined

/** Alerts with what they depend on. */
export const allAlerts = `
  from alerts a join destinations d on d.id = a.destination_id
    left join users u on u.id = d.owner_id
    left join saved_searches s on s.id = a.search_id
    left join peace p on p.user_id is not distinct from d.owner_id`

/**
 * Alerts that may send something: not paused, to a destination that is in use, of a member who is let in; of a search that is there
 * and is shared, or the owner's.
 */
export const sendingAlerts = `${allAlerts}
  where not a.is_paused and not d.is_paused and d.state in ('ok', 'failing')
    and (d.owner_id is null or u.is_active and u.status = 'approved')
    and (a.search_id is null or s.deleted_at is null and (s.is_shared or s.owner_id = d.owner_id))`

const reading = `select a.id, a.destination_id, s.question, a.deal_id, a.target_price, a.mode, a.again_percent, a.urgent_off,
  a.urgent_below, coalesce(p.time_zone, '${initialPeace.time_zone}') as time_zone ${sendingAlerts} order by a.id`

/** All alerts that may send something, in memory, as of a version that is looked at in the transaction that uses them. */
export class KnownAlerts {
  #version: number | undefined
  #compiled = new Map<string, Compiled>()
  #searches = new QuestionIndex<KnownAlert>()
  #targets = new Map<number, KnownAlert[]>()
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Reads them anew where something about them is different. Says whether anything is to be kept true: an alert, or an open episode. */
  async refresh(client: pg.ClientBase): Promise<boolean> {
    const { rows } = await client.query<{ version: number; has_open: boolean }>(
      `select version, exists (select from alert_episodes where closed_at is null) as has_open from alert_version`,
    )
    const { version = 0, has_open = false } = rows[0] ?? {}
    if (version !== this.#version) {
      await this.#read(client)
      this.#version = version
    }
    return has_open || !this.isEmpty
  }

  /** Those that a deal may meet, each once; more than do. */
  mayMatch(dealId: number, facts: DealFacts): KnownAlert[] {
    const found = this.#searches.candidates(facts)
    const waiting = this.#targets.get(dealId)
    return waiting ? [...found, ...waiting] : found
  }

  async #read(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<AlertRow>(reading)
    const thought = new LongThought(client)
    const compiled = new Map<string, Compiled>()
    const searches = new QuestionIndex<KnownAlert>()
    const targets = new Map<number, KnownAlert[]>()
    for (const { question, deal_id, target_price, ...row } of rows) {
      await thought.pause()
      if (deal_id !== null && target_price !== null) {
        const matches = isAtMost(target_price)
        const known = { ...row, isTarget: true, matches, dependsOnClock: false }
        targets.set(deal_id, [...(targets.get(deal_id) ?? []), known])
      }
      if (question === null) continue
      // Most are the same as when they were read last.
      const asked = compiled.has(question)
        ? compiled.get(question)
        : (this.#compiled.get(question) ?? compile(question))
      compiled.set(question, asked)
      if (asked) searches.add(asked.condition, { ...row, isTarget: false, ...pickAsked(asked) })
    }
    this.#compiled = compiled
    this.#searches = searches
    this.#targets = targets
    this.#count = rows.length
  }
}

const pickAsked = ({ matches, dependsOnClock }: NonNullable<Compiled>) => ({ matches, dependsOnClock })

const isAtMost =
  (price: number): Matcher =>
  (deal) =>
    deal.isVisible && deal.price <= price

/** Undefined for a question about hidden deals, of which nobody is told. */
function compile(question: string): Compiled {
  const condition = openCondition(question)
  if (condition === undefined) return undefined
  const dependsOnClock = leavesOf(condition).some(({ kind }) => kind === 'duration')
  return { condition, matches: matcherOf(condition), dependsOnClock }
}

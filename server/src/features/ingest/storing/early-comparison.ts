import type { MergeRules, Noted } from '../../deals/writing/merge-sql.ts'
import { areSame, findUnchanged, noteUnchanged } from '../../deals/writing/unchanged-rows.ts'
import type { Lane } from './lane.ts'
import { sortingOutSettings } from './transaction-settings.ts'

/** Rows of a look: the last ones of a body are looked at when all are there, and fewer would make many statements. */
const rowsAtOnce = 5_000

/**
 * Looks for rows that change nothing while the body is still read, when the database would be idle for most of the time. What it finds is
 * noted only: the rest of the body decides whether it holds.
 */
export class EarlyComparison {
  readonly #lane: Lane
  #seen = 0
  #isWorthwhile = true
  noted: Noted | undefined

  constructor(lane: Lane) {
    this.#lane = lane
  }

  /** Rows that were sent and not looked at. */
  get waiting(): number {
    return this.#isWorthwhile ? this.#lane.sent - this.#seen : 0
  }

  /** Begins to look at what was sent, where that is much, and most of what was seen changes nothing. */
  go(rules: MergeRules): void {
    if (this.waiting < rowsAtOnce) return
    // All of it is looked through anew then, at the end.
    if (this.noted && !areSame(this.noted.rules, rules)) return
    this.#seen = this.#lane.sent
    this.#lane.look(async (sent) => {
      const { client } = sent
      const before = this.noted
      const known = { ...sent, noted: before }
      await client.query(`savepoint look; ${sortingOutSettings}`)
      const found = await findUnchanged(known, rules)
      // With it go its locks: till the end of the body, nobody could change the tables of the deals, and everybody would wait behind who wants to.
      await client.query('rollback to savepoint look; release savepoint look')
      const noted = await noteUnchanged(known, rules, found)
      this.noted = noted
      this.#isWorthwhile = found.found.length > found.rows / 2
    })
  }
}

import type { MergeRules, Noted } from '../../deals/writing/merge-sql.ts'
import { noteUnchanged } from '../../deals/writing/unchanged.ts'
import type { Lane } from './lane.ts'
import { sortingOutSettings } from './settings.ts'

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
    this.#seen = this.#lane.sent
    this.#lane.look(async (sent) => {
      const before = this.noted
      await sent.client.query(sortingOutSettings)
      const noted = await noteUnchanged({ ...sent, noted: before }, rules)
      this.noted = noted
      const rows = noted.rows - (before?.rows ?? 0)
      this.#isWorthwhile = noted.unchanged - (before?.unchanged ?? 0) > rows / 2
    })
  }
}

import type { ImportMissing } from '@dealdeck/contract/ingest'
import type { Databases } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import type { NumberText } from '../../../platform/numbers.ts'
import { findUnlisted, hideUnlisted, isMost, nameDeals } from '../../deals/writing/ending.ts'
import type { Microseconds } from '../reading/times.ts'
import type { Staging } from './staging.ts'

/** Deals that are named one by one. */
const named = 20
/** A list of everything may have so many refused rows: what they list is remembered one by one. */
const mostRefused = 100_000

/** What the refused rows list: a row that can't be read still lists its deal. */
export class RefusedItems {
  readonly #asins = new Set<string>()
  readonly #mustKnowAll: boolean
  /** Rows that may list any deal of this shop. */
  unnamed = 0

  /** `mustKnowAll`: whether the list hides what it leaves out. */
  constructor(mustKnowAll: boolean) {
    this.#mustKnowAll = mustKnowAll
  }

  /** Takes in what a refused row names. Throws INVALID_INPUT for more than a list of everything may have, where it must know all. */
  add(asin: string | null, isElsewhere: boolean): void {
    const isFull = this.#asins.size >= mostRefused
    if (asin === null || (isFull && !this.#mustKnowAll)) {
      if (!isElsewhere) this.unnamed += 1
      return
    }
    this.#asins.add(asin)
    if (this.#asins.size <= mostRefused) return
    throw new AppError(
      'INVALID_INPUT',
      'Too many rows are refused to know which deals this list leaves out. Nothing was imported.',
    )
  }

  get list(): string[] {
    return [...this.#asins]
  }
}

/** What a list of everything leaves out, and how to hide that once the list is merged: then `missing` says what was hidden. */
export type Hiding = { missing: ImportMissing; hide(importId: number, keepsHistory: boolean): Promise<void> }

type Plan = {
  refused: RefusedItems
  now: Microseconds
  isConfirmed: boolean
  isDry: boolean
  number: NumberText
}

/**
 * Finds the visible deals that the staged rows leave out. Throws UNPROCESSABLE, before anything is merged, when these are more
 * than half of all and neither `isConfirmed` nor `isDry`. Unless confirmed nothing is hidden while a refused row names no item,
 * nor when other lists have hidden so much meanwhile that it would be more than half: the rows are imported all the same.
 */
export async function planHiding(
  databases: Databases,
  staging: Staging,
  { refused, now, isConfirmed, isDry, number }: Plan,
): Promise<Hiding> {
  const unlisted = await findUnlisted(await staging.finish(), refused.list, now)
  const { ids, visible } = unlisted
  const isTooMuch = isMost(ids.length, visible)
  if (isTooMuch && !isConfirmed && !isDry) {
    throw new AppError(
      'UNPROCESSABLE',
      `This would hide ${number(ids.length)} of ${number(visible)} deals, more than half of all. Nothing was imported. Confirm it if the list is complete.`,
      { fields: { confirm: 'must be true where the list is complete' } },
    )
  }
  const isUnsure = refused.unnamed > 0 && ids.length > 0
  const client = await staging.connection()
  const missing: ImportMissing = {
    ...{ hidden: ids.length, visible, needs_confirmation: isTooMuch || isUnsure },
    reason: isTooMuch
      ? 'That is more than half of all deals.'
      : isUnsure
        ? unsure(refused.unnamed, number)
        : null,
    examples: await nameDeals(client, ids, named),
  }
  return {
    missing,
    hide: async (importId, keepsHistory) => {
      if (isUnsure && !isConfirmed) {
        missing.hidden = 0
        return
      }
      const done = await hideUnlisted(databases, client, unlisted, {
        importId,
        keepsHistory,
        isConfirmed,
        signal: staging.signal,
      })
      missing.hidden = done.hidden
      if (!done.isRefused) return
      missing.needs_confirmation = true
      missing.reason = `Other deals were hidden in the meantime (${number(done.hiddenSince)}): with ${number(done.wouldHide)} more, more than half of ${number(visible)} would be gone.`
    },
  }
}

const unsure = (rows: number, number: NumberText) =>
  rows === 1
    ? 'A refused row has no readable ASIN: it may list one of these deals.'
    : `${number(rows)} refused rows have no readable ASIN: they may list some of these deals.`

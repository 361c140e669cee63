import type { ImportMissing } from '@dealdeck/contract/ingest'
import type { Databases } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { findUnlisted, hideUnlisted, nameDeals } from '../../deals/writing/ending.ts'
import type { Microseconds } from '../reading/times.ts'
import type { Staging } from './staging.ts'

/** Deals that are named one by one. */
const named = 20
/** A list of everything may have so many refused rows: what they list is remembered one by one. */
const mostRefused = 100_000

/** The items of refused rows: a row that can't be read still lists its deal. */
export class RefusedItems {
  readonly #asins = new Set<string>()

  /** Throws INVALID_INPUT for more than a list of everything may have. */
  add(asin: string | null): void {
    if (asin === null) return
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

/** What a list of everything leaves out, and how to hide that once the list is merged: then `missing` counts what was hidden. */
export type Hiding = { missing: ImportMissing; hide(importId: number): Promise<void> }

/**
 * Finds the visible deals that the staged rows leave out. Throws UNPROCESSABLE, before anything is merged, when these are more
 * than half of all and neither `isConfirmed` nor `isDry`.
 */
export async function planHiding(
  databases: Databases,
  staging: Staging,
  options: { refused: readonly string[]; now: Microseconds; isConfirmed: boolean; isDry: boolean },
): Promise<Hiding> {
  const { refused, now, isConfirmed, isDry } = options
  const unlisted = await findUnlisted(await staging.finish(), refused, now)
  const { ids, visible } = unlisted
  const isMost = ids.length * 2 > visible
  if (isMost && !isConfirmed && !isDry) {
    const [some, all] = [ids.length, visible].map((count) => count.toLocaleString('en'))
    throw new AppError(
      'UNPROCESSABLE',
      `This would hide ${some} of ${all} deals, more than half of all. Nothing was imported. Confirm it if the list is complete.`,
    )
  }
  const client = await staging.connection()
  const examples = await nameDeals(client, ids, named)
  const missing: ImportMissing = { hidden: ids.length, visible, needs_confirmation: isMost, examples }
  return {
    missing,
    hide: async (importId) => {
      missing.hidden = await hideUnlisted(databases, client, unlisted, importId, staging.signal)
    },
  }
}

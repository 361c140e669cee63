import type { DealRow } from './deals.ts'

const day = 24 * 60 * 60_000

/** A price that was seen from so many days ago to so many days ago. */
export type Held = { price: number; original?: number | null; from: number; to: number }

type Import = (rows: DealRow[]) => Promise<unknown>

/** Imports what was seen of a deal, each price once a day as long as it held. */
export async function importHistory(importDeals: Import, row: DealRow, runs: readonly Held[]): Promise<void> {
  const now = Date.now()
  const sights = runs.flatMap(({ price, original = null, from, to }) =>
    Array.from({ length: from - to + 1 }, (_, at) => ({
      ...{ ...row, price, original_price: original },
      observed_at: new Date(now - (from - at) * day).toISOString(),
    })),
  )
  await importDeals(sights)
}

/** Prices whose list price was never charged in 80 days, with a typical price of $14. */
export const listNotSeen: readonly Held[] = [
  { price: 14, original: 49.99, from: 80, to: 31 },
  { price: 12.5, original: 49.99, from: 30, to: 16 },
  { price: 14, original: 49.99, from: 15, to: 0 },
]

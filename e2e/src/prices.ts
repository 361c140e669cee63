import type { Page } from '@playwright/test'
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

/** Sums what moves without anybody touching the page, from its next load on. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(window, { shifted: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // The observer was asked for layout shifts only.
        const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
        if (!shift.hadRecentInput)
          Object.assign(window, { shifted: Reflect.get(window, 'shifted') + shift.value })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => Number(Reflect.get(window, 'shifted')))
}

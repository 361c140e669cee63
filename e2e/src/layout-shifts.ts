import type { Page } from '@playwright/test'

/**
 * Sums what moves without anybody touching the page, from its next load on; stricter than the usual figure, which takes the
 * worst moments only.
 */
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

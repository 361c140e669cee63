import type { Page } from '@playwright/test'

/** So many minutes from now. */
export const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

/** Waits until what the page has heard of by now is drawn. */
export function nextFrame(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

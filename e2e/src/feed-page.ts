import type { Locator, Page } from '@playwright/test'
import { expect } from './fixtures.ts'

/** The cards on and near the screen; those further away don't exist until somebody scrolls to them. */
export const cards = (page: Page): Locator => page.getByRole('article')

export const card = (page: Page, title: string): Locator => cards(page).filter({ hasText: title })

export const toast = (page: Page): Locator =>
  page.getByRole('status').filter({ hasText: 'New Deals Available!' })

/** A plain field at first, and a combobox once somebody begins to ask. */
export const searchBox = (page: Page): Locator => page.getByLabel('Search deals', { exact: true })

/** The question in the address. */
export const questionOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')

export const filterToggle = (page: Page): Locator => page.getByRole('button', { name: /^Filters/ })

/** Opens the feed at an address and waits until its list is there and its stream is open. */
export async function openFeed(page: Page, search = ''): Promise<void> {
  await page.goto(`/amazon-haul${search}`)
  await expect(page.getByRole('feed')).toHaveAttribute('aria-busy', 'false')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
}

/** Notes the query of every request for a page of deals from now on. */
export function watchLists(page: Page): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/products') asked.push(url.searchParams)
  })
  return asked
}

/**
 * Waits until no list has been asked for in a while. A feed lists once more when its stream stands again; what it finds
 * then is no news, so whoever waits for news imports after that.
 */
export async function listsRest(asked: readonly unknown[]): Promise<void> {
  const restsFor = async (ms: number) => {
    const before = asked.length
    await new Promise((resolve) => setTimeout(resolve, ms))
    return asked.length === before
  }
  await expect.poll(() => restsFor(1_500)).toBe(true)
}

/** Preferences of this device, before the page is opened. */
export async function prefer(page: Page, preferences: Record<string, unknown>): Promise<void> {
  await page.addInitScript(
    (text) => localStorage.setItem('dealdeck.preferences', text),
    JSON.stringify(preferences),
  )
}

export async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
}

/** The first card that is wholly below the header, and where it stands: what a reader would lose by a jump. */
export function firstInView(page: Page): Promise<{ title: string; top: number }> {
  return page.evaluate(() => {
    const found = [...document.querySelectorAll('article')]
      .map((article) => ({
        title: article.querySelector('h2 [id]')?.textContent ?? '',
        top: Math.round(article.getBoundingClientRect().top),
      }))
      .filter(({ top }) => top >= 56)
      .sort((one, other) => one.top - other.top)
    return found[0] ?? { title: '', top: 0 }
  })
}

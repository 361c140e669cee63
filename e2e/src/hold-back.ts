import type { Page } from '@playwright/test'

/** What the program of every page matches. */
export const program = '**/assets/*.js'

/** Holds back the page's requests that match; the function it returns lets them go. */
export async function holdBack(page: Page, url: string | RegExp): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    await held
    await route.continue()
  })
  return () => release()
}

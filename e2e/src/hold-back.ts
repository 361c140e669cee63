import type { Page } from '@playwright/test'

/** What the program of every page matches. */
export const program = '**/assets/*.js'

/** Holds back the page's requests that match; the function it returns lets them go. */
export async function holdBack(page: Page, url: string | RegExp): Promise<() => void> {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await held
    await route.fallback()
  })
  return release
}

/** What a change that `failLate` refused is told. */
export const refusal = 'It was changed in the meantime.'

/** Holds back the page's changes at addresses that match; the function it returns has the server refuse them. */
export async function failLate(page: Page, url: string | RegExp): Promise<() => void> {
  const { promise: held, resolve: fail } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    await held
    await route.fulfill({ status: 409, json: { code: 'CONFLICT', message: refusal } })
  })
  return fail
}

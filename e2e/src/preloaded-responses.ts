import type { Page } from '@playwright/test'

/** Has pages come without what the server puts into them, so that the program asks for all of it by itself. */
export async function withoutPreloadedResponses(page: Page): Promise<void> {
  await page.route(
    ({ pathname }) => !/^\/(api|assets|sample-images|images)\//.test(pathname),
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback()
      const response = await route.fetch()
      const html = await response.text()
      const body = html.replace(/<script type="application\/json".*?<\/script>/s, '')
      return route.fulfill({ response, body })
    },
  )
}

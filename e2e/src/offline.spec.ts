import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, searchBox } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

test.use({
  serviceWorkers: 'allow',
  expectedConsoleErrors: [/ERR_|Failed to (fetch|load)|can not be loaded/],
})

test('the program of other screens is fetched seconds after the first one is loaded', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(2))
  await page.addInitScript(() => {
    const register = navigator.serviceWorker.register.bind(navigator.serviceWorker)
    navigator.serviceWorker.register = (...args) => {
      performance.mark('fetching')
      return register(...args)
    }
  })
  await openFeed(page)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const afterLoading = await page.evaluate(() => {
    const [loaded] = performance.getEntriesByType('navigation')
    // The cast holds: a page's own entry of that type is one.
    const { loadEventEnd } = loaded as PerformanceNavigationTiming
    return (performance.getEntriesByName('fetching')[0]?.startTime ?? 0) - loadEventEnd
  })
  expect(afterLoading).toBeGreaterThan(2_500)
})

test('without a connection every screen opens, the feed is searched as of its time, and all comes back by itself', async ({
  page,
  context,
  importDeals,
}) => {
  await importDeals([dealRow({ title: 'Copper kettle', price: 8 }), ...dealRows(4)])
  await openFeed(page)
  await expect(cards(page)).toHaveCount(5)
  // The program is on the device.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    const isKept = async () => (await caches.match('/index.html')) !== undefined
    while (!(await isKept())) await new Promise((resolve) => setTimeout(resolve, 50))
  })
  expect(
    await page.evaluate(async () => {
      const names = await caches.keys()
      const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      const isProgram = ({ url }: Request) =>
        /^\/(assets\/.+|index\.html|before-paint\.js|favicon\.svg)$/.test(new URL(url).pathname)
      return kept.flat().length > 20 && kept.flat().every(isProgram)
    }),
  ).toBe(true)

  await context.setOffline(true)
  await expect(page.getByText('Live', { exact: true })).toHaveCount(0)
  await searchBox(page).fill('-kettle copper')
  await expect(page.getByText('No match among the deals known here')).toBeVisible()
  await searchBox(page).fill('kettle')
  await expect(page.getByText(/^Showing 1 of the deals of .*, the server can't be reached$/)).toBeVisible()
  await expect(cards(page)).toHaveCount(1)
  await expect(card(page, 'Copper kettle')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Offline' })).toBeVisible()
  await expect(page.getByText('Error Loading Deals')).toHaveCount(0)

  // A screen that was never open before, and a page that is loaded anew.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Link Generator' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Link Generator' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByText(/^Deals as of .*, the server can't be reached$/)).toBeVisible({
    timeout: 20_000,
  })
  await expect(page.getByRole('heading', { name: 'Deals seen last' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Copper kettle' }).first()).toBeVisible()
  await page.goto('/amazon-haul')
  await expect(page.getByText(/^Showing the deals of /)).toBeVisible()
  await expect(cards(page)).toHaveCount(5)

  await context.setOffline(false)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.getByText(/^Showing the deals of /)).toHaveCount(0)
})

test.describe('without the kept program', () => {
  test.use({ serviceWorkers: 'block' })

  test('a screen that can’t be fetched says so, and comes by itself', async ({ page }) => {
    await openProfile(page)
    await page.route(/link-tools|healthz/, (route) => route.abort())
    await page.getByRole('link', { name: 'Link Generator', exact: true }).first().click()
    await expect(page.getByRole('heading', { name: 'This screen can’t be loaded' })).toBeVisible()
    // Pressed once it can be had, the button may be gone with the notice before the press arrives.
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { name: 'This screen can’t be loaded' })).toBeVisible()
    await page.unroute(/link-tools|healthz/)
    await expect(page.getByRole('heading', { level: 1, name: 'Link Generator' })).toBeVisible({
      timeout: 20_000,
    })
  })

  test('a part of a screen that can’t be fetched says so, and comes by itself or with Try Again', async ({
    page,
    importDeals,
  }) => {
    const ofFeed = /assets\/(searches|feed-empty)-.*\.js/
    await page.route(ofFeed, (route) => route.abort())
    await page.goto('/amazon-haul')
    const empty = page.getByText('Why no deal is shown can’t be loaded.')
    await expect(empty).toBeVisible()
    await expect(page.getByText('Saved searches can’t be loaded.')).toBeVisible()
    await page.unroute(ofFeed)
    // At once, before it comes by itself; where it has, there is nothing to press.
    const again = empty.getByRole('button', { name: 'Try Again' })
    await again.dispatchEvent('click', {}, { timeout: 5_000 }).catch(() => undefined)
    await expect(page.getByText('No deals right now')).toBeVisible()

    await importDeals([dealRow({ asin: 'B00EXAMPLE' })])
    const parts = /assets\/(price-chart|bells)-.*\.js/
    await page.route(parts, (route) => route.abort())
    await page.goto('/deals/B00EXAMPLE')
    for (const what of ['The chart', 'The price you wait for', 'Why you were told, or not,'])
      await expect(page.getByText(`${what} can’t be loaded.`)).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Every price we have seen' })).toBeVisible()
    await page.unroute(parts)
    await expect(page.getByRole('application')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Tell me at a price' })).toBeVisible()
    await expect(page.getByText('can’t be loaded')).toHaveCount(0)
  })
})

test.describe('an administrator', () => {
  test.use({
    role: 'admin',
    serviceWorkers: 'block',
    expectedConsoleErrors: [/ERR_FAILED|can not be loaded/],
  })

  test('finds what was built on a screen after another one could not be fetched', async ({ page }) => {
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Link Generator' })
    const unavailable = page.getByRole('heading', { name: 'This screen can’t be loaded' })
    await page.route(/link-tools|healthz/, (route) => route.abort())
    await page.goto('/image-tools')
    const list = page.getByLabel('ASINs or product addresses')
    await list.fill('B00EXAMPLE, B000000002')
    await links.click()
    await expect(unavailable).toBeVisible()
    await expect(page.getByText('Searches, links, image lists and a chosen file are kept.')).toBeVisible()
    await page.goBack()
    await expect(list).toHaveValue('B00EXAMPLE, B000000002')
    await expect(page.getByText('2 products, 6 links')).toBeVisible()

    await page.goto('/import')
    const rows = 'asin,name,now,was\nB00EXAMPLE,Enamel mug,4.50,9.00'
    const mugs = { name: 'mugs.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
    await page.getByLabel('File of deals').setInputFiles(mugs)
    await page.getByLabel('Original price').selectOption('')
    await page.getByLabel('Availability of rows that state none').fill('Only 3 left')
    await page.getByLabel('This file lists everything').click()
    await links.click()
    await expect(unavailable).toBeVisible()
    await page.goBack()
    await expect(page.getByText('mugs.csv', { exact: true })).toBeVisible()
    await expect(page.getByLabel('Original price')).toHaveValue('')
    await expect(page.getByLabel('Availability of rows that state none')).toHaveValue('Only 3 left')
    await expect(page.getByLabel('This file lists everything')).toBeChecked()
    // Another one of after that is not taken for it.
    await page.getByRole('tab', { name: 'Sources' }).click()
    await page.getByRole('tab', { name: 'Import Deals' }).click()
    const plates = { ...mugs, name: 'plates.csv', buffer: Buffer.from(rows.replace('mug', 'plate')) }
    await page.getByLabel('Another file').setInputFiles(plates)
    await expect(page.getByRole('cell', { name: 'Enamel plate' })).toBeVisible()
  })

  test('sees the users again by themselves', async ({ page }) => {
    await page.route(/\/api\/users|readyz/, (route) => route.abort())
    await page.goto('/admin-dashboard?tab=users')
    await expect(page.getByText('Failed to load users')).toBeVisible()
    await page.unroute(/\/api\/users|readyz/)
    await expect(page.getByRole('table', { name: 'Users' })).toBeVisible()
  })
})

async function openProfile(page: Page): Promise<void> {
  await page.goto('/profile')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

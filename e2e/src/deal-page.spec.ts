import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, firstInView, openFeed, prefer } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'
import { importHistory, listNotSeen } from './prices.ts'

const asin = 'B00EXAMPLE'
const kettle = dealRow({ asin, title: 'Copper kettle', price: 14, original_price: 49.99, brand: 'Acme' })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const rows = (page: Page) => page.getByRole('table').locator('tbody tr')

for (const layout of ['grid', 'list'])
  test(`from a title of the feed to the deal and back to the same place: ${layout}`, async ({
    page,
    importDeals,
  }) => {
    await prefer(page, { layout })
    await importDeals(dealRows(120, { price: 10 }))
    await openFeed(page)
    await page.evaluate(() => window.scrollTo(0, 2_500))
    await expect.poll(async () => (await firstInView(page)).title).not.toBe('')
    const before = await firstInView(page)
    const { title } = before
    await card(page, title).getByRole('link', { name: title }).click()
    await expect(page).toHaveURL(/\/deals\/B0\w{8}$/)
    await expect(heading(page, title)).toBeVisible()
    await expect(page).toHaveTitle(`${title} · Dealdeck`)
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await expect(page).toHaveURL('/amazon-haul')
    await expect(page).toHaveTitle('Deals · Dealdeck')
    await expect.poll(() => firstInView(page)).toEqual(before)
    await page.goForward()
    await expect(heading(page, title)).toBeVisible()
    await page.goBack()
    await expect.poll(() => firstInView(page)).toEqual(before)
  })

test('back from a deal like it the reader is where they were, at any width', async ({
  page,
  importDeals,
}) => {
  const likes = Array.from({ length: 8 }, (_, at) =>
    dealRow({ title: `Copper kettle ${at} ${'with a long handle '.repeat(5)}`, price: 9 + at }),
  )
  await importDeals([kettle, ...likes])
  const similar = page.getByRole('region', { name: 'Similar deals' }).getByRole('article')
  const last = similar.last().getByRole('link').first()
  const top = () => last.evaluate((link) => Math.round(link.getBoundingClientRect().top))
  // Two wide columns are the highest of all, three of a small tablet the highest of those with more room.
  for (const width of [390, 520, 768]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/')
    await page.goto(`/deals/${asin}`)
    await expect(similar).toHaveCount(8)
    await last.scrollIntoViewIfNeeded()
    const before = await top()
    await last.click()
    await expect(page).not.toHaveURL(`/deals/${asin}`)
    await page.goBack()
    await expect(heading(page, 'Copper kettle')).toBeVisible()
    await expect.poll(top, `${width} pixels`).toBe(before)
  }
})

test('a link to a deal opens with all that is known of it, and leads to the shop, to the like and to others', async ({
  page,
  importDeals,
}) => {
  await importDeals([...dealRows(3), dealRow({ title: 'Steel kettle', price: 9 })])
  await importHistory(importDeals, kettle, listNotSeen)
  const asked: string[] = []
  page.on('request', (request) => request.resourceType() === 'fetch' && asked.push(request.url()))
  const answer = await page.goto(`/deals/${asin}`)
  expect(answer?.status()).toBe(200)
  await expect(heading(page, 'Copper kettle')).toBeVisible()
  await expect(page).toHaveTitle('Copper kettle · Dealdeck')
  const why = page.getByRole('region', { name: 'Why we say so' })
  await expect(why.getByText(/^We have not seen the \$49\.99 list price in 90 days/)).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: 'Not seen' })).toBeVisible()
  await expect(rows(page)).toHaveCount(3)
  await expect(page.getByRole('application')).toBeVisible()
  // The page has brought its answers.
  expect(asked.filter((url) => /by-asin|prices|verdict/.test(url))).toEqual([])
  const similar = page.getByRole('region', { name: 'Similar deals' })
  await expect(similar.getByRole('article')).toHaveCount(1)
  const shop = page.getByRole('link', { name: 'Open in shop', exact: true })
  await expect(shop).toHaveAttribute('href', `https://www.amazon.com/dp/${asin}`)
  await expect(shop).toHaveAttribute('target', '_blank')
  await page.getByRole('button', { name: 'Share' }).click()
  await expect(page.getByRole('dialog', { name: 'Share this deal' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Acme' }).click()
  await expect(page).toHaveURL(/q=brand%3A%22Acme%22/)
  await expect(cards(page)).toHaveCount(1)
  await page.goBack()
  await similar.getByRole('link', { name: 'Steel kettle' }).click()
  await expect(heading(page, 'Steel kettle')).toBeVisible()
  await expect(page).toHaveTitle('Steel kettle · Dealdeck')
})

test('a page asks once for what it shows, whether it is loaded or come to', async ({ page, importDeals }) => {
  await importHistory(importDeals, kettle, listNotSeen)
  await page.clock.install()
  let asked: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') asked.push(request.url())
  })
  await openFeed(page)
  // Nothing more is to be heard of the deal.
  await expect(card(page, 'Copper kettle')).toContainText('List price not seen')
  // What the list asks for once somebody uses it would be broken off by leaving it.
  const targets = ['alerts', 'destinations'].map((name) => page.waitForResponse(`**/api/${name}`))
  await page.getByRole('link', { name: 'Copper kettle' }).hover()
  await Promise.all(targets)
  asked = []
  await page.getByRole('link', { name: 'Copper kettle' }).click()
  await expect(rows(page)).toHaveCount(3)
  await page.clock.runFor(2_000)
  expect(asked.length).toBeGreaterThan(2)
  expect(asked).toEqual([...new Set(asked)])
  asked = []
  const stream = page.waitForResponse('**/api/events*')
  await page.reload()
  await expect(rows(page)).toHaveCount(3)
  expect((await stream).url()).toContain('last_event_id=')
  await page.clock.runFor(2_000)
  expect(asked.filter((path) => /by-asin|prices|verdict/.test(path))).toEqual([])
})

test('a change between the making of a page and its stream is shown', async ({ page, importDeals }) => {
  await importDeals([kettle])
  const live = await holdBack(page, '**/api/events*')
  await page.goto(`/deals/${asin}`)
  await expect(rows(page)).toHaveCount(1)
  await importDeals([{ ...kettle, price: 11.5 }])
  live()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('article').first().getByText('$11.50').first()).toBeVisible()
})

test('a page follows its deal: a price that changes, and an end', async ({ page, importDeals }) => {
  await importDeals([kettle])
  await page.goto(`/deals/${asin}`)
  await expect(rows(page)).toHaveCount(1)
  await importDeals([{ ...kettle, price: 11.5 }])
  await expect(page.getByRole('article').first().getByText('$11.50').first()).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('$11.50')
})

test.describe('an ASIN that is none, or of no deal', () => {
  test.use({ expectedConsoleErrors: [/status of 404/] })

  test('is said to be nothing here, and leads on', async ({ page }) => {
    for (const path of ['/deals/B00NOTHING', '/deals/nothing']) {
      await page.goto(path)
      await expect(heading(page, 'Nothing here')).toBeVisible()
      await expect(page).toHaveTitle('Nothing here · Dealdeck')
    }
    await page.goto('/deals/B00NOTHING')
    await expect(page.getByText('No deal B00NOTHING is known here')).toBeVisible()
    await page.getByRole('main').getByRole('link', { name: 'See the deals' }).click()
    await expect(heading(page, 'Deals')).toBeVisible()
  })
})

test.describe('while the server can not be reached', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_FAILED/] })

  test('what a list has shown of the deal stays, else there is a calm card that tries again', async ({
    page,
    importDeals,
  }) => {
    await importDeals([kettle])
    await openFeed(page)
    await page.route(/\/api\/products\/(by-asin|\d)|readyz/, (route) => route.abort())
    await card(page, 'Copper kettle').getByRole('link', { name: 'Copper kettle' }).click()
    await expect(heading(page, 'Copper kettle')).toBeVisible()
    const since = page.getByText(/^Deal as of .*, the server can't be reached$/)
    await expect(since).toContainText(`${new Date().getFullYear()}`)
    await expect(page.getByText('The prices can’t be loaded')).toBeVisible()

    await withoutPreloadedResponses(page)
    // What this device has seen last is of no use to another deal.
    await page.goto('/deals/B00OTHER00')
    await expect(page.getByRole('heading', { name: 'This deal can’t be loaded' })).toBeVisible()
    await importDeals([{ ...kettle, asin: 'B00OTHER00', title: 'Other kettle' }])
    await page.unroute(/\/api\/products\/(by-asin|\d)|readyz/)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(heading(page, 'Other kettle')).toBeVisible()
    await expect(rows(page)).toHaveCount(1)
  })
})

test('printed it is the deal with chart and table, without what surrounds it', async ({
  page,
  importDeals,
}) => {
  await importHistory(importDeals, kettle, listNotSeen)
  await page.goto(`/deals/${asin}`)
  await expect(page.getByRole('application')).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  for (const gone of ['banner', 'contentinfo'] as const) await expect(page.getByRole(gone)).toHaveCount(0)
  for (const gone of ['Open in shop', 'Back', 'Similar deals'])
    await expect(page.getByText(gone, { exact: true })).toBeHidden()
  await expect(page.getByRole('table')).toBeVisible()
  await expect(page.locator('figure svg')).toBeVisible()
})

import type { Page, Route } from '@playwright/test'
import { withDealWrites } from '../../server/src/features/deals/actions.ts'
import { recordedIds, recordedState, recording } from '../../server/src/features/deals/writing/recording.ts'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, firstInView, openFeed, prefer, questionOf, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

/** Takes deals out of the feed by title, as an import that finds them sold out does. */
function sellOut(databases: Databases, titles: string[]): Promise<void> {
  return withDealWrites(databases, async ({ client, recorded }) => {
    const stated = { price: 'price', original_price: 'original_price' }
    const before = { ...stated, is_visible: 'true', availability: "'In stock'" }
    const { rows } = await client.query<{ recorded: number[] }>(
      `with changed as (
         update deals set availability = null where title = any($1)
         returning id as deal_id, ${recordedState('old', (field) => before[field])},
           ${recordedState('new', (field) => field)}
       ), ${recording()} select ${recordedIds}`,
      [titles],
    )
    for (const row of rows) recorded.push(...row.recorded)
  })
}

test('new deals raise one toast with their number and move nothing until it is pressed', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(60, { price: 10 }))
  await openFeed(page)
  await page.evaluate(() => window.scrollTo(0, 900))
  const before = await firstInView(page)
  await importDeals([dealRow({ title: 'Arrived first', price: 12.5 })])
  await expect(toast(page)).toContainText('1 new, $12.50')
  await importDeals([
    dealRow({ title: 'Arrived second', price: 4.99 }),
    dealRow({ title: 'Too dear', price: 400 }),
  ])
  await expect(toast(page)).toContainText('2 new, from $4.99')
  await expect(toast(page)).toHaveCount(1)
  expect(await firstInView(page)).toEqual(before)

  await toast(page)
    .getByRole('button', { name: /New Deals Available!/ })
    .click()
  await expect(toast(page)).toHaveCount(0)
  await expect(card(page, 'Arrived second')).toBeVisible()
  await expect(card(page, 'Arrived first')).toBeVisible()
  await expect(card(page, 'Too dear')).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeFocused()
  const titles = await cards(page).locator('h2').allTextContents()
  expect(titles.slice(0, 2)).toEqual([
    expect.stringContaining('Arrived second'),
    expect.stringContaining('Arrived first'),
  ])
})

test('only what passes the reader’s own filters is announced, and in another order it leads to the newest', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(60, { price: 8, first_seen: '2026-01-05T00:00:00Z' }))
  await openFeed(page, '?sort=price&prime=true&max=10')
  const asked = page.waitForResponse(/ids=/)
  await importDeals([dealRow({ price: 11 }), dealRow({ price: 5, prime_eligible: false })])
  await asked
  await expect(toast(page)).toHaveCount(0)
  await page.evaluate(() => window.scrollTo(0, 900))
  const before = await firstInView(page)
  // Old for the shop, new for the reader: it stands on top although the newest-first list has it further down.
  await importDeals([dealRow({ title: 'For me', price: 9, first_seen: '2025-01-01T00:00:00Z' })])
  await expect(toast(page)).toContainText('1 new, $9.00 · newest first')
  expect(await firstInView(page)).toEqual(before)
  const newest = (url: URL) => url.pathname === '/api/products' && url.searchParams.get('sort') === 'newest'
  const showing = async (route: Route) => {
    const response = await route.fetch()
    await importDeals([dealRow({ title: 'Came meanwhile', price: 7 })])
    await expect(toast(page)).toContainText('2 new, from $7.00')
    await route.fulfill({ response })
  }
  await page.route(newest, showing, { times: 1 })
  await toast(page)
    .getByRole('button', { name: /New Deals Available!/ })
    .click()
  await expect.poll(() => questionOf(page)).toBe('price:<=10 prime:yes')
  await expect(toast(page)).toContainText('1 new, $7.00')
  await expect(cards(page).first()).toContainText('For me')
  await expect(cards(page).first().getByText('New', { exact: true })).toBeVisible()
  await expect(card(page, 'For me')).toBeInViewport()
  await page.goBack()
  await expect.poll(() => questionOf(page)).toBe('price:<=10 prime:yes sort:price')
})

test('a toast that was put away comes back only for what is newer still', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  await openFeed(page)
  await importDeals(dealRows(2))
  await toast(page).getByRole('button', { name: 'Not now' }).press('Enter')
  await expect(toast(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await importDeals(dealRows(1))
  await expect(toast(page)).toContainText('1 new,')
})

test('changed deals change in place; sold-out ones keep their place but lead nowhere', async ({
  page,
  importDeals,
  databases,
}) => {
  const lamp = dealRow({ title: 'Lamp of change', price: 20 })
  await importDeals([lamp, dealRow({ title: 'Sold out soon' }), ...dealRows(2)])
  await openFeed(page)
  await expect(cards(page)).toHaveCount(4)
  await importDeals([{ ...lamp, price: 15 }])
  // The price it had while the page was open stands before the one it has now.
  await expect(card(page, 'Lamp of change')).toContainText('$15.00fell from $20.00')
  await expect(page.getByRole('button', { name: '1 price fell' })).toBeVisible()
  await sellOut(databases, ['Sold out soon'])
  await expect(card(page, 'Sold out soon')).toContainText('No longer available')
  await expect(card(page, 'Sold out soon').getByRole('link')).toHaveCount(0)
  await expect(page.getByText('You have seen all 3 deals')).toBeVisible()
  await expect(toast(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Refresh deals' }).click()
  await expect(cards(page)).toHaveCount(3)
})

test.describe('without answers', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('a change that could not be fetched is fetched again without another event', async ({
    page,
    importDeals,
  }) => {
    const lamp = dealRow({ title: 'Lamp of change', price: 20 })
    await importDeals([lamp])
    await openFeed(page)
    let failures = 0
    const byIds = /\/api\/products\?ids=/
    await page.route(byIds, (route) => {
      failures += 1
      return failures > 1 ? route.continue() : route.abort()
    })
    await importDeals([{ ...lamp, price: 15 }])
    await expect.poll(() => failures).toBeGreaterThan(0)
    await expect(card(page, 'Lamp of change')).toContainText('$15.00')
  })
})

test('deals that change together are asked for together', async ({ page, importDeals }) => {
  const rows = dealRows(12, { price: 20 })
  await importDeals(rows)
  await openFeed(page)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/^\/api\/products(\/\d+)?$/.test(pathname))
      asked.push(decodeURIComponent(search).replace(/\d+/g, 'n'))
  })
  await importDeals(rows.map((row) => ({ ...row, price: 15 })))
  await expect(cards(page).filter({ hasText: '$15.00' })).toHaveCount(12)
  expect(asked).toEqual([`?ids=${Array(12).fill('n').join()}`])
})

test('an empty feed fills by itself', async ({ page, importDeals }) => {
  await page.goto('/amazon-haul')
  await expect(page.getByText('No deals right now')).toBeVisible()
  await importDeals(dealRows(3))
  await expect(cards(page)).toHaveCount(3)
})

test('a large import is one number, and shown from its newest on', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  await openFeed(page)
  await importDeals(dealRows(2_815))
  await expect(toast(page)).toContainText('200+ new')
  await expect(page.getByRole('definition').first()).toHaveText('2,818')
  await expect(page.getByText('2,818 of 2,818')).toBeVisible()
  await toast(page)
    .getByRole('button', { name: /New Deals Available!/ })
    .click()
  await expect(cards(page).first().getByText('New', { exact: true })).toBeVisible()
  await expect(toast(page)).toHaveCount(0)
})

test.describe('while the stream is down', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('a poll every 30 seconds raises the same toast', async ({ page, importDeals }) => {
    await page.clock.install()
    await page.route('**/api/events*', (route) => route.abort())
    await importDeals(dealRows(3))
    const polled = page.waitForResponse(/last_24_hours=true/)
    await page.goto('/amazon-haul')
    await expect(page.getByText('Offline', { exact: true })).toBeVisible()
    await polled
    await expect(cards(page)).toHaveCount(3)
    await importDeals([dealRow({ title: 'Found by asking' }), dealRow()])
    await expect(toast(page)).toHaveCount(0)
    await page.clock.runFor(31_000)
    await expect(toast(page)).toContainText('2 new,')
    await page.clock.runFor(62_000)
    await expect(toast(page)).toContainText('2 new,')
    await toast(page)
      .getByRole('button', { name: /New Deals Available!/ })
      .click()
    await expect(card(page, 'Found by asking')).toBeVisible()
    await page.clock.runFor(31_000)
    await expect(toast(page)).toHaveCount(0)
  })
})

test('without notifications there is no toast, yet the list is kept current', async ({
  page,
  importDeals,
}) => {
  const lamp = dealRow({ title: 'Quiet lamp', price: 20 })
  await importDeals([lamp])
  await prefer(page, { notifications: false })
  await openFeed(page)
  await importDeals([{ ...lamp, price: 11 }, dealRow()])
  await expect(card(page, 'Quiet lamp')).toContainText('$11.00')
  await expect(page.getByRole('definition').first()).toHaveText('2')
  await expect(toast(page)).toHaveCount(0)
})

test('without automatic refresh neither stream nor poll is opened, and what is shown stays of its time', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(2))
  await page.clock.install()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await prefer(page, { autoRefresh: false })
  await page.goto('/amazon-haul')
  await expect(cards(page)).toHaveCount(2)
  await expect(page.getByText('Paused', { exact: true })).toBeVisible()
  await page.clock.runFor(65_000)
  expect(asked.filter((url) => /events|last_24_hours/.test(url))).toEqual([])
  // Put on the device as seen when it was fetched.
  const age = await page.evaluate(() => {
    document.dispatchEvent(new Event('visibilitychange'))
    return Date.now() - Date.parse(JSON.parse(localStorage.getItem('dealdeck.last-deals') ?? '{}').time)
  })
  expect(age).toBeGreaterThan(60_000)
})

/** The requests for lists of deals and their figures; whether new ones pass the filters is asked by their ids. */
function watchQuestions(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/^\/api\/products(\/stats)?$/.test(pathname) && !search.includes('ids='))
      asked.push(pathname + search)
  })
  return asked
}
const figures = '/api/products/stats'

test('opening the feed asks for its lists and figures once, whole or inside the application', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(3, { price: 10 }))
  const asked = watchQuestions(page)
  await openFeed(page)
  await importDeals([dealRow({ title: 'Arrived first', price: 10 })])
  // Only the figures are asked for again after news, and whatever else was to be asked for is asked for with them.
  await expect.poll(() => asked).toContain(figures)
  await expect(toast(page)).toContainText('1 new')
  expect(asked).toEqual([figures])

  await page.goto('/profile')
  const feed = page.getByRole('navigation').getByRole('link', { name: 'Deals', exact: true }).first()
  await expect(feed).toBeVisible()
  asked.length = 0
  await feed.click()
  await expect(card(page, 'Arrived first')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await importDeals([dealRow({ title: 'Arrived second', price: 10 })])
  await expect.poll(() => asked.filter((one) => one === figures).length).toBe(2)
  const lists = asked.filter((one) => one !== figures)
  expect(lists).toEqual([...new Set(lists)])
  expect(lists).toHaveLength(2)
})

import { dealRow, dealRows } from './deals.ts'
import { card, cards, filterToggle, openFeed, scrollToEnd, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

const label = "Showing sample deals, the server can't be reached"
const lists = /\/api\/products\?/

test.use({ expectedConsoleErrors: [/ERR_FAILED|status of (400|503)/] })

test('an unreachable server is said so, two labelled samples stand in, and the deals come back by themselves', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ title: 'Real teapot' })])
  await page.setViewportSize({ width: 390, height: 844 })
  await withoutPreloadedResponses(page)
  await page.route(lists, (route) => route.abort())
  await page.goto('/amazon-haul')
  await expect(page.getByRole('heading', { name: '⚠️ Error Loading Deals' })).toBeVisible()
  await expect(page.getByText(label)).toBeVisible()
  await expect(cards(page)).toHaveCount(2)
  await expect(cards(page).getByRole('link')).toHaveCount(0)
  // What has happened is said in a strip: the deals are what one sees, on a phone too.
  expect((await cards(page).first().boundingBox())?.y).toBeLessThan(380)
  await expect(card(page, 'Real teapot')).toHaveCount(0)

  await page.unroute(lists)
  await expect(card(page, 'Real teapot')).toBeVisible()
  await expect(page.getByText(label)).toHaveCount(0)
  await expect(cards(page)).toHaveCount(1)
})

test('Try Again tries at once', async ({ page, importDeals }) => {
  await importDeals([dealRow({ title: 'Real teapot' })])
  let isBack = false
  await withoutPreloadedResponses(page)
  await page.route(lists, (route) =>
    isBack ? route.continue() : route.fulfill({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' } }),
  )
  await page.goto('/amazon-haul')
  await expect(page.getByText('⚠️ Error Loading Deals')).toBeVisible()
  const again = page.getByRole('button', { name: 'Try Again' })
  await expect(again).toBeEnabled()
  isBack = true
  // Not waited for as a click is: the screen tries by itself every few seconds, and then the button is gone.
  await again.evaluate((button: HTMLElement) => button.click())
  await expect(card(page, 'Real teapot')).toBeVisible()
})

test('a server that is busy, as while it reads its deals, is not said to be out of reach', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ title: 'Real teapot', rating: 5 })])
  await openFeed(page)
  await page.route(lists, (route) =>
    route.fulfill({ status: 503, json: { code: 'BUSY', message: 'The server is reading its deals.' } }),
  )
  await page.goto('/amazon-haul?q=rating:5')
  await expect(page.getByText(/^Showing .*, the server is busy$/)).toBeVisible()
  await expect(page.getByText("the server can't be reached")).toHaveCount(0)
  await page.unroute(lists)
  await expect(page.getByText('the server is busy')).toHaveCount(0)
  await expect(card(page, 'Real teapot')).toBeVisible()
})

test('a refusal is no outage: its own words and no samples', async ({ page, importDeals }) => {
  await importDeals(dealRows(1))
  await page.route(lists, (route) =>
    route.fulfill({ status: 400, json: { code: 'INVALID_INPUT', message: 'This search is not possible.' } }),
  )
  await page.goto('/amazon-haul?q=lantern')
  await expect(page.getByText('This search is not possible.')).toBeVisible()
  await expect(page.getByText(label)).toHaveCount(0)
  await expect(cards(page)).toHaveCount(0)
})

test('when only the next page fails, the list stays and can be continued', async ({ page, importDeals }) => {
  await importDeals(dealRows(70, { price: 10 }))
  await openFeed(page)
  await page.route(/cursor=/, (route) => route.abort())
  await scrollToEnd(page)
  await expect(page.getByText('More deals could not be loaded.')).toBeVisible()
  await expect(cards(page).first()).toBeVisible()
  await page.unroute(/cursor=/)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await scrollToEnd(page)
  await expect(page.getByText('You have seen all 70 deals')).toBeVisible()
})

test('a refresh that fails keeps what is there and says so', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  await openFeed(page)
  await page.route(lists, (route) => route.abort())
  await page.getByRole('button', { name: 'Refresh deals' }).click()
  await expect(page.getByText('Could not refresh.')).toBeVisible()
  await expect(cards(page)).toHaveCount(3)
})

test('a feed without a single deal says what happens next', async ({ page, openContext }) => {
  await page.goto('/amazon-haul')
  await expect(page.getByText('No deals right now')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Import deals' })).toHaveCount(0)
  const admin = await (await openContext('admin')).newPage()
  await admin.goto('/amazon-haul')
  await admin.getByRole('main').getByRole('link', { name: 'Import deals' }).click()
  await expect(admin).toHaveURL('/admin-dashboard?tab=import')
})

test('deals that are stored and seen by nobody are told of, and what to do', async ({
  page,
  openContext,
  importDeals,
}) => {
  await importDeals(dealRows(3, { availability: null }))
  const admin = await (await openContext('admin')).newPage()
  const words = '3 deals are stored, but nothing says that they are available, so nobody sees them.'
  for (const path of ['/amazon-haul', '/']) {
    await admin.goto(path)
    await expect(admin.getByText(words)).toBeVisible()
    await expect(admin.getByText('give its rows an availability')).toBeVisible()
    await page.goto(path)
    await expect(page.getByText('No deals right now')).toBeVisible()
    await expect(page.getByText(/stored|yet/)).toHaveCount(0)
  }
})

test('deals above the usual price are one press away, and nothing is claimed that could not be counted', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ price: 80, original_price: null })])
  await page.route(/products\/count/, (route) => route.fulfill({ status: 400, json: {} }))
  await page.goto('/amazon-haul')
  await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible()
  await expect(page.getByText('Together these filters')).toHaveCount(0)
  await page.unroute(/products\/count/)
  await page.reload()
  await expect(page.getByText('≤ $30 hides the only deal')).toBeVisible()
  await page.getByRole('button', { name: /^Show them/ }).click()
  await expect(cards(page)).toHaveCount(1)
})

test('sample deals are labelled, and an administrator removes them with one press', async ({
  page,
  databases,
  importDeals,
  openContext,
}) => {
  await importDeals(dealRows(3))
  await databases.durablePool.query('update deals set is_sample = true')
  await openFeed(page, '?max=29')
  await expect(cards(page).getByText('Sample', { exact: true })).toHaveCount(3)
  await expect(page.getByText('These are sample deals')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove samples' })).toHaveCount(0)

  const admin = await (await openContext('admin')).newPage()
  await openFeed(admin)
  await admin.getByRole('button', { name: 'Remove samples' }).click()
  for (const view of [admin, page]) {
    await expect(view.getByText(/^No deals (yet|right now)$/)).toBeVisible()
    await expect(view.getByText('These are sample deals')).toHaveCount(0)
  }
})

test('without the program of the language the text alone is asked, and the filters come with Try Again', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ title: 'Gas lamp', price: 45 }), dealRow({ title: 'Desk lamp', price: 9 })])
  await page.setViewportSize({ width: 390, height: 844 })
  const program = /\/assets\/language-/
  await page.route(program, (route) => route.abort())
  const asked = watchLists(page)
  await page.goto(`/amazon-haul?${new URLSearchParams({ q: 'lamp price:<50 sort:price' })}`)
  await expect(page.getByText('Filters can’t be loaded right now.')).toBeVisible()
  await expect(cards(page).getByRole('heading')).toHaveText([/Desk lamp/, /Gas lamp/])
  expect(asked.map((parameters) => [...parameters.keys()].join())).toEqual(['q,limit'])
  await expect(filterToggle(page)).toBeDisabled()
  // The server is there and has no such file: the page may be of an older build.
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Try Again' }).click()])
  await expect(page.getByText('Filters can’t be loaded right now.')).toBeVisible()
  await page.unroute(program)
  // It is also asked for by itself where the page is still beginning: then the button is gone.
  await expect(async () => {
    const again = page.getByRole('button', { name: 'Try Again' })
    if ((await again.count()) > 0) await again.click({ timeout: 1_000 })
    await expect(page.getByRole('button', { name: '< $50' })).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await expect(page.getByText('Filters can’t be loaded right now.')).toHaveCount(0)
  await expect(filterToggle(page)).toBeEnabled()
})

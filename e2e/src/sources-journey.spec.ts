import { toast } from './admin.ts'
import { removeAllDeals } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { openSite, removeSources, type Site, sourcesPage } from './sources-page.ts'

test.use({ role: 'admin' })

let site: Site
test.beforeAll(async () => {
  site = await openSite()
})
test.afterAll(() => site.close())
test.beforeEach(async ({ databases }) => {
  await removeSources(databases)
  await removeAllDeals(databases)
})

const item = (at: number, price = `$${at + 10}.99`) =>
  `<item><title>Camping lantern no. ${at} - ${price} (was $99)</title><guid>${at}</guid>
   <link>https://www.amazon.com/dp/B0JOURNE${String(at).padStart(2, '0')}?tag=x-20</link></item>`
const feed = (...items: string[]) => ({
  type: 'application/rss+xml',
  body: `<rss version="2.0"><channel><title>Deals</title>${items.join('')}</channel></rss>`,
})
const twelve = Array.from({ length: 12 }, (_, at) => item(at))

test('a new administrator adds a feed by its address alone; it fills, breaks, says so and gets over it by itself', async ({
  page,
  databases,
}) => {
  test.setTimeout(120_000)
  site.answers.set('/feed.xml', feed(...twelve, item(12, 'price on request')))
  const sources = sourcesPage(page)
  await sources.open()
  await page.getByRole('link', { name: /^Feed/ }).click()
  await page.keyboard.type(`${site.origin}/feed.xml`)
  await page.keyboard.press('Enter')
  await expect(sources.result.getByRole('row')).toHaveCount(11)
  await expect(sources.result).toContainText('$10.99')
  await sources.button('Add source').click()
  await expect(toast(page, '127.0.0.1 is added')).toBeVisible()
  await expect(sources.runs.first()).toContainText('13 rows, 12 new, 1 refused')
  const state = page.getByRole('region', { name: 'State' })
  await expect(state).toContainText('Works')

  // Time goes by: the source is due, and whoever works in the background finds it.
  const comesDue = () =>
    databases.durablePool.query(`update sources set next_run_at = now() - interval '1 second'`)
  const runs = { timeout: 30_000 }
  site.answers.set('/feed.xml', { status: 500, body: 'Out of order' })
  await comesDue()
  await expect(state).toContainText(
    'The server of the address has trouble of its own (500). Earlier deals stay.',
    runs,
  )
  await expect(state).toContainText(/It is asked again at (\w+ \d+, \d+, )?\d+:\d\d.[AP]M\./)
  await comesDue()
  await expect(state).toContainText('Failing', runs)
  await page.getByRole('button', { name: 'All sources' }).click()
  await expect(page.getByRole('heading', { name: 'The source needs you: 1 failing' })).toBeVisible()

  site.answers.set('/feed.xml', feed(...twelve, item(13)))
  await comesDue()
  await expect(page.getByRole('heading', { name: 'The source runs' })).toBeVisible(runs)
  await expect(sources.row('127.0.0.1')).toContainText('13 rows, 1 new')
  await page.goto('/amazon-haul')
  await expect(page.getByText('Camping lantern no. 13')).toBeVisible()
})

test('a feed that has no price is not said to work, and a try shows which rows are refused', async ({
  page,
}) => {
  site.answers.set('/news.xml', feed(item(1, 'cheap'), item(2, 'cheaper')))
  const sources = sourcesPage(page)
  await page.goto('/admin-dashboard?tab=sources&source=new-feed')
  await sources.field('Address of the feed').fill(`${site.origin}/news.xml`)
  await sources.button('Try').click()
  await expect(
    sources.result.getByRole('row', { name: /^1 Refused: .* Camping lantern no. 1 - cheap/ }),
  ).toBeVisible()
  await sources.button('Add source').click()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state).toContainText(
    /Failing.*All 2 rows were refused: .* \(2\)\. Nothing of it becomes a deal\./,
  )
})

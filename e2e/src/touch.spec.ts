import { dealRow, dealRows } from './deals.ts'
import { cards, filterToggle, listsRest, searchBox, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { smallTargets } from './small-targets.ts'
import { removeSources } from './sources-page.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, role: 'admin' })

test('whatever is pressed is large enough for a finger, on every main screen', async ({
  page,
  importDeals,
  server,
  databases,
}) => {
  test.slow()
  // One that needs its administrator would stand above the first deal.
  await removeSources(databases)
  await importDeals(dealRows(30))
  const small: Record<string, string[]> = {}
  const look = async (screen: string) => {
    small[screen] = await smallTargets(page)
  }
  await page.goto('/')
  await expect(cards(page).first()).toBeVisible()
  expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
  await look('Home')
  await page.getByRole('button', { name: 'Open menu' }).tap()
  await look('menu')

  const asked = watchLists(page)
  await page.goto('/amazon-haul?prime=true')
  await expect(cards(page).first()).toBeVisible()
  await searchBox(page).fill('lantern')
  await expect(page).toHaveURL(/q=lantern/)
  await expect(page.getByText('You have seen all 30 deals')).toBeAttached()
  await listsRest(asked)
  await filterToggle(page).tap()
  await importDeals([dealRow()])
  await expect(page.getByRole('button', { name: /New Deals Available/ })).toBeVisible()
  await look('feed')
  await filterToggle(page).tap()
  await searchBox(page).fill('lantern off:>=0 rating:>=0 -something -else -entirely -different')
  await page.getByRole('button', { name: 'Save search' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).tap()
  const saved = page.getByRole('navigation', { name: 'Saved searches' })
  await expect(saved.getByRole('link', { name: 'lantern' })).toBeVisible()
  await expect(page.getByText('Saved “lantern”')).toBeVisible()
  const sentence = page.getByText("'lantern', discounted")
  await expect(sentence).toBeVisible()
  expect(await sentence.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  // The row of saved searches is above it and the question in words, which has as many lines as it needs.
  const more = ((await sentence.boundingBox())?.height ?? 0) - 16.25
  expect(more).toBeLessThan(17)
  await expect.poll(async () => (await cards(page).first().boundingBox())?.y).toBeLessThanOrEqual(300 + more)
  await look('saved search')
  await page.getByRole('radio', { name: 'Compact list' }).check()
  await look('compact list')
  await page
    .getByRole('button', { name: /^Share / })
    .first()
    .tap()
  await expect(page.getByRole('dialog', { name: 'Share this deal' })).toBeVisible()
  await look('share')

  for (const name of ['Lanterns for the garden', 'Lanterns for the camp', 'Lanterns for the porch']) {
    const search = { name, q: 'lantern', sort: null, is_shared: false }
    const answer = await page.request.post('/api/searches', {
      data: search,
      headers: { origin: server.origin },
    })
    expect(answer.status()).toBe(201)
  }
  await importDeals([dealRow({ asin: 'B00EXAMPLE', title: 'Late lantern', brand: 'Acme', price: 9 })])
  await page.goto('/deals/B00EXAMPLE')
  await expect(page.getByRole('application')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Similar deals' })).toBeVisible()
  await look('deal')
  await page.goto('/')
  await expect(saved.getByText('new')).toHaveCount(4)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  for (const path of [
    '/tools',
    '/filters',
    '/brands',
    '/image-tools',
    '/import',
    '/profile',
    '/searches',
    '/alerts',
    '/admin-dashboard',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await look(path)
  }
  expect(Object.fromEntries(Object.entries(small).filter(([, found]) => found.length > 0))).toEqual({})
})

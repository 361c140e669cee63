import { dealRow, dealRows } from './deals.ts'
import { cards, filterToggle, openFeed, prefer, searchBox, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

const search = (url: string) => Object.fromEntries(new URL(url).searchParams)

test('filters stand in the address and survive reload, Back and sharing', async ({
  page,
  importDeals,
  openContext,
}) => {
  await importDeals([
    dealRow({ title: 'Plain mug', price: 8, prime_eligible: false }),
    dealRow({ title: 'Prime mug', price: 9, prime_eligible: true }),
    dealRow({ title: 'Prime kettle', price: 22, prime_eligible: true }),
  ])
  await openFeed(page)
  await expect.poll(() => search(page.url())).toEqual({})
  await page.getByLabel('Prime only').check({ force: true })
  await expect(cards(page)).toHaveCount(2)
  await page.getByLabel('Sort by').selectOption('Lowest price')
  await page.getByLabel('Max price (USD)').fill('12,50')
  await expect(cards(page)).toHaveCount(1)
  await expect.poll(() => search(page.url())).toEqual({ q: 'prime:yes sort:price price:<=12.5' })
  await expect(searchBox(page)).toHaveValue('prime:yes sort:price price:<=12.5')

  await page.reload()
  await expect(cards(page)).toHaveCount(1)
  await expect(page.getByLabel('Prime only')).toBeChecked()
  await expect(page.getByLabel('Max price (USD)')).toHaveValue('12.5')

  const other = await (await openContext('user')).newPage()
  await other.goto(page.url())
  await expect(cards(other)).toHaveCount(1)

  await page.goBack()
  await expect(page.getByLabel('Max price (USD)')).toHaveValue('30')
  await expect(cards(page)).toHaveCount(2)
  await expect(page.getByLabel('Sort by')).toHaveValue('price')
  await page.goBack()
  await expect(page.getByLabel('Sort by')).toHaveValue('newest')
  await page.goBack()
  await expect(cards(page)).toHaveCount(3)
  await expect.poll(() => search(page.url())).toEqual({})
})

test('the first request asks for the cheapest deals, the default view follows', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ title: 'Cheap', price: 4 }), dealRow({ title: 'Dear', price: 20 })])
  const asked = watchLists(page)
  await withoutPreloadedResponses(page)
  const release = await holdBack(page, /\/api\/products\?.*max_price=30/)
  await page.goto('/amazon-haul')
  await expect(cards(page)).toHaveCount(1)
  await expect(cards(page)).toContainText('Cheap')
  release()
  await expect(cards(page)).toHaveCount(2)
  expect(asked.slice(0, 2).map((query) => query.get('max_price'))).toEqual(['5', '30'])
})

test('with filters in the address only those are asked for', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  const asked = watchLists(page)
  await openFeed(page, '?prime=true&sort=discount&min=3&today=1')
  await expect(cards(page).first()).toBeVisible()
  for (const query of asked) {
    expect(Object.fromEntries(query)).toEqual({
      sort: 'discount',
      q: 'price:3..30 prime:yes new:today',
      time_zone: expect.stringMatching(/^Asia\/Kath?mandu$/),
      limit: '50',
    })
  }
})

test('values that make no sense fall back to their defaults', async ({ page, importDeals }) => {
  await importDeals(dealRows(2))
  await openFeed(page, '?sort=sideways&min=-4&max=cheap&prime=perhaps&stray=1')
  await expect(cards(page)).toHaveCount(2)
  await expect(page.getByLabel('Max price (USD)')).toHaveValue('30')
  await expect.poll(() => search(page.url())).toEqual({})
})

test('an empty max is no limit, and the default comes from the preferences', async ({
  page,
  importDeals,
}) => {
  await importDeals([10, 20, 25, 1299].map((price) => dealRow({ price, original_price: null })))
  await prefer(page, { defaultMaxPrice: 20 })
  await openFeed(page)
  await expect(cards(page)).toHaveCount(2)
  await page.getByLabel('Max price (USD)').fill('')
  await expect(cards(page)).toHaveCount(4)
  await expect(cards(page).filter({ hasText: '$1,299.00' })).toHaveCount(1)
  await expect.poll(() => search(page.url())).toEqual({ q: 'price:any' })
  await page.getByLabel('Min price (USD)').fill('twenty')
  await expect(page.getByText('Type an amount such as 12.50')).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(cards(page)).toHaveCount(2)
  await expect(page.getByLabel('Min price (USD)')).toHaveValue('')
  await expect.poll(() => search(page.url())).toEqual({})
})

test('the search answers while typing, by keyboard too', async ({ page, importDeals }) => {
  await importDeals([dealRow({ title: 'Blue Ämpel 100%' }), dealRow({ title: 'Red pan' })])
  await page.clock.install()
  await openFeed(page)
  const asked = watchLists(page)
  await page.keyboard.press('/')
  await expect(searchBox(page)).toBeFocused()
  // However slowly a busy machine types, for the page it is no time.
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.keyboard.type('äMPEL 100%')
  await page.clock.resume()
  await expect(cards(page)).toHaveCount(1)
  await expect.poll(() => search(page.url())).toEqual({ q: 'äMPEL 100%' })
  // Typing is one pause, one question.
  expect(asked.filter((query) => query.get('q'))).toHaveLength(1)
  await page.keyboard.press('Escape')
  await expect(searchBox(page)).toHaveValue('')
  await expect(cards(page)).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(searchBox(page)).not.toBeFocused()

  await searchBox(page).fill('nothing like it')
  await expect(page.getByText('No deal matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(cards(page)).toHaveCount(2)
  await searchBox(page).fill('still nothing')
  await expect(page.getByText('The search “still nothing” hides all 2')).toBeVisible()
  await page.getByRole('button', { name: /^Show them/ }).click()
  await expect(cards(page)).toHaveCount(2)
  await expect(searchBox(page)).toHaveValue('')
})

test('how many there are stands beside the search, and what hides the others is a chip that ends it', async ({
  page,
  importDeals,
}) => {
  await importDeals([
    dealRow({ title: 'Half price', price: 10, original_price: 20, rating: 4.5 }),
    dealRow({ title: 'Full price', price: 10, original_price: null, rating: null }),
    dealRow({ title: 'Little off', price: 90, original_price: 100, rating: 4.4 }),
  ])
  await openFeed(page)
  await expect(page.getByText('2 of 3')).toBeVisible()
  await page.getByLabel('At least off').selectOption('50%')
  await expect(page.getByText('1 of 3')).toBeVisible()
  await page.getByLabel('Rated at least').selectOption('4.5 stars')
  await expect(cards(page)).toHaveCount(1)
  await expect.poll(() => search(page.url())).toEqual({ q: 'off:>=50 rating:>=4.5' })
  await filterToggle(page).click()
  for (const chip of ['≥ 50% off', '≥ 4.5 stars']) await page.getByRole('button', { name: chip }).click()
  await expect(page.getByText('2 of 3')).toBeVisible()
  await page.getByRole('button', { name: '≤ $30' }).click()
  await expect(page.getByText('3 of 3')).toBeVisible()
  await expect.poll(() => search(page.url())).toEqual({ q: 'price:any' })
  // Figures over all deals that are a moment older are no whole of which these were a part.
  await withoutPreloadedResponses(page)
  await page.route('**/api/products/stats', (route) =>
    route.fulfill({
      json: { total_deals: 0, prime_eligible: 0, with_discounts: 0, average_price: null, sample_deals: 0 },
    }),
  )
  await page.reload()
  await expect(page.getByRole('definition').first()).toHaveText('0')
  await expect(cards(page)).toHaveCount(3)
  await expect(page.getByText(/^3( |$)/)).toBeVisible()
  await expect(page.getByText('of 0')).toHaveCount(0)
})

test('an empty list offers only what would bring deals back', async ({ page, importDeals }) => {
  await importDeals(dealRows(3, { price: 80, original_price: null, prime_eligible: false }))
  await page.goto('/amazon-haul?max=any&prime=true')
  await expect(page.getByText('Prime only hides all 3')).toBeVisible()
  await page.goto('/amazon-haul?prime=true')
  await expect(page.getByText('Together these filters hide everything')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter')
  await expect(cards(page)).toHaveCount(3)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('the bar is folded, counts what is active and remembers whether it was open', async ({
    page,
    importDeals,
  }) => {
    await importDeals(dealRows(2))
    await openFeed(page, '?prime=true&min=1&max=20')
    await expect(page.getByLabel('Sort by')).toBeHidden()
    await expect(filterToggle(page)).toContainText('2')
    await filterToggle(page).click()
    await expect(page.getByLabel('Sort by')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Sort by')).toBeVisible()
    await page.getByLabel('Sort by').press('Escape')
    await expect(page.getByLabel('Sort by')).toBeHidden()
    await expect(filterToggle(page)).toBeFocused()
  })
})

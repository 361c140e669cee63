import { dealRow, dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { carousel, figure, openHome, slides } from './home-page.ts'
import { watchShifts } from './layout-shifts.ts'
import { expectAccessible, looks, takePicture } from './looks.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

test('the hero shows what is measured', async ({ page, importDeals }) => {
  await importDeals([...dealRows(23), dealRow({ availability: null })])
  await openHome(page)
  await expect(page).toHaveTitle('Home · Dealdeck')
  await expect(figure(page, 'deals tracked')).toContainText('23')
  await expect(figure(page, 'uptime')).toContainText(/\d%of the last|\d%\D*of the last/)
  await expect(slides(page)).toHaveCount(20)
})

test.describe('without a stream', () => {
  test.use({ expectedConsoleErrors: [/api\/events/] })

  test('the hero says so', async ({ page }) => {
    await page.route('**/api/events*', (route) => route.abort())
    await page.goto('/')
    await expect(figure(page, 'real-time updates')).toContainText('Reconnecting')
  })
})

test.describe('without an answer', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_/] })

  test('the hero does not say that nothing was measured', async ({ page }) => {
    await withoutPreloadedResponses(page)
    await page.route('**/api/home', (route) => route.abort())
    await page.goto('/')
    await expect(figure(page, 'uptime')).toContainText('not known now')
    await expect(figure(page, 'uptime')).not.toContainText('not measured')
  })
})

test('a slide shows the offer and leads to its deal', async ({ page, importDeals }) => {
  await importDeals([
    dealRow({ title: 'Bamboo tray', price: 80, original_price: 200, rating: 4.5, review_count: 1250 }),
  ])
  await importDeals(dealRows(3, { first_seen: '2026-01-05T00:00:00Z' }))
  await openHome(page)
  const slide = slides(page).first()
  for (const text of ['Bamboo tray', '$80.00', '−60%', 'Prime', '4.5', '(1,250'])
    await expect(slide).toContainText(text)
  await expect(slide.locator('s')).toHaveText('$200.00')
  await slide.click()
  await expect(page).toHaveURL(/\/deals\/B0\w{8}$/)
  await expect(page.getByRole('heading', { name: 'Bamboo tray', level: 1 })).toBeVisible()
  await page.goBack()
  await expect(slide).toContainText('Bamboo tray')
})

test('the row moves by itself, and stands still for a pointer, the keyboard and the button', async ({
  page,
  importDeals,
}) => {
  await page.clock.install()
  await importDeals(dealRows(20))
  await openHome(page)
  const place = () =>
    slides(page)
      .first()
      .evaluate((slide) => Math.round(slide.getBoundingClientRect().x))
  const start = await place()
  await expect(carousel(page)).toHaveAttribute('data-moving', 'true')
  await page.clock.runFor(6_000)
  await expect.poll(place).not.toBe(start)

  await slides(page).nth(3).hover()
  await expect(carousel(page)).toHaveAttribute('data-moving', 'false')
  await page.mouse.move(5, 5)
  await expect(carousel(page)).toHaveAttribute('data-moving', 'true')

  await carousel(page).getByRole('button', { name: 'Next' }).focus()
  await expect(carousel(page)).toHaveAttribute('data-moving', 'false')
  await carousel(page).getByRole('button', { name: 'Pause' }).focus()
  await expect(carousel(page)).toHaveAttribute('data-moving', 'true')
  await page.keyboard.press('Enter')
  await expect(carousel(page)).toHaveAttribute('data-moving', 'false')
  await page.clock.runFor(1_000)
  const held = await place()
  await page.clock.runFor(12_000)
  expect(await place()).toBe(held)
  await carousel(page).getByRole('button', { name: 'Play' }).click()
  await expect(carousel(page)).toHaveAttribute('data-moving', 'true')
})

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('nothing moves by itself and the arrows still work', async ({ page, importDeals }) => {
    await importDeals(dealRows(20))
    await openHome(page)
    await expect(carousel(page).getByRole('button', { name: 'Next' })).toBeVisible()
    await expect(carousel(page)).toHaveAttribute('data-moving', 'false')
    await expect(carousel(page).getByRole('button', { name: 'Pause' })).toHaveCount(0)
    const place = () =>
      slides(page)
        .first()
        .evaluate((slide) => slide.getBoundingClientRect().x)
    const start = await place()
    await carousel(page).getByRole('button', { name: 'Next' }).click()
    await expect.poll(place).not.toBe(start)
  })
})

test('the keyboard walks round all twenty deals and opens one', async ({ page, importDeals }) => {
  await importDeals(dealRows(20))
  await openHome(page)
  const link = (place: number) => carousel(page).locator(`[data-slide="${place}"] a`)
  await link(0).focus()
  for (let step = 1; step <= 20; step += 1) {
    await page.keyboard.press('ArrowRight')
    await expect(link(step % 20)).toBeFocused()
    await expect(link(step % 20)).toBeInViewport()
  }
  await page.keyboard.press('ArrowLeft')
  await expect(link(19)).toBeFocused()
  await expect(link(19)).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/deals\/B0\w{8}$/)
})

test('a new deal arrives without moving what is in sight', async ({ page, importDeals }) => {
  await importDeals(dealRows(20))
  await openHome(page)
  await carousel(page).getByRole('button', { name: 'Pause' }).click()
  const seen = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('[data-slide]:not([inert])')].map(
        (slide) => `${slide.textContent} ${Math.round(slide.getBoundingClientRect().x)}`,
      ),
    )
  await expect.poll(async () => (await seen()).length).toBeLessThan(10)
  const before = await seen()
  await importDeals([dealRow({ title: 'Just in: copper kettle' })])
  await expect(carousel(page).getByText('Just in: copper kettle')).toBeAttached()
  await expect(slides(page)).toHaveCount(20)
  expect(await seen()).toEqual(before)
  await expect(carousel(page).getByRole('group', { name: '1 of 20', exact: true })).toContainText(
    'copper kettle',
  )
  await carousel(page).getByRole('button', { name: '1 new' }).click()
  await expect(carousel(page).getByText('Just in: copper kettle')).toBeInViewport()
  await expect(carousel(page).getByRole('button', { name: '1 new' })).toHaveCount(0)
})

test('a price that falls while one watches is marked and counted apart, as in the feed', async ({
  page,
  importDeals,
}) => {
  const kettle = dealRow({ title: 'Copper kettle', price: 9, first_seen: '2026-01-05T00:00:00Z' })
  await importDeals([kettle, ...dealRows(19)])
  await openHome(page)
  await carousel(page).getByRole('button', { name: 'Pause' }).click()
  const slide = slides(page).filter({ hasText: 'Copper kettle' })
  await expect(slide).not.toBeInViewport()
  await importDeals([{ ...kettle, price: 4.5 }])
  await expect(slide).toContainText('$4.50fell from $9.00')
  const fell = carousel(page).getByRole('button', { name: '1 price fell', exact: true })
  await expect(fell).toBeVisible()
  await expect(carousel(page).getByRole('button', { name: /new/ })).toHaveCount(0)
  await fell.click()
  await expect(slide).toBeInViewport()
  await expect(fell).toHaveCount(0)
  await expect(slide).toContainText('$4.50fell from $9.00')
  await slide.click()
  await expect(page.getByRole('article').first()).toContainText('$4.50fell from $9.00')
  // It has been told.
  await expect(page.getByText('1 price fell')).toHaveCount(0)
})

test('made-up deals are labelled', async ({ page, importDeals, databases }) => {
  await importDeals(dealRows(3))
  await databases.durablePool.query('update deals set is_sample = true')
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sample deals' })).toBeVisible()
  await expect(page.getByText('Sample', { exact: true })).toHaveCount(3)
})

test('without deals Home says so', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByText('No deals right now')).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Link generator' })).toBeVisible()
})

test.describe('when the deals can not be had', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('Home says so, tries again and keeps its other ways', async ({ page, importDeals }) => {
    await importDeals(dealRows(3))
    await withoutPreloadedResponses(page)
    await page.route('**/api/products?*', (route) => route.abort())
    await page.goto('/')
    await expect(page.getByText('⚠️ Error Loading Deals')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Filter database' })).toBeVisible()
    await page.unroute('**/api/products?*')
    const again = page.getByRole('button', { name: 'Try Again' })
    // Not waited for as a click is: the screen tries by itself every few seconds, and then the button is gone.
    await again.evaluateAll((buttons: HTMLElement[]) => buttons[0]?.click())
    await expect(slides(page)).toHaveCount(3)
  })
})

test.describe('broken pictures', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('are replaced', async ({ page, importDeals }) => {
    await page.route('**/images/I/**', (route) => route.abort())
    await importDeals([...dealRows(2), dealRow({ image_url: null })])
    await openHome(page)
    await expect(carousel(page).locator('img[data-placeholder]')).toHaveCount(3)
  })
})

test('cards lead on; without an invitation there is no chat', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  for (const [name, path] of [
    ['Link generator', '/tools'],
    ['Filter database', '/filters'],
    ['Image tools', '/image-tools'],
  ] as const) {
    await openHome(page)
    await page.getByRole('main').getByRole('link', { name }).click()
    await expect(page).toHaveURL(new RegExp(`${path}$`))
  }
  await openHome(page)
  await expect(page.getByText('beta', { exact: true })).toBeVisible()
  for (const name of ['Community chat', 'Filter management'])
    await expect(page.getByRole('link', { name })).toHaveCount(0)
})

test('an invitation opens the chat in a tab of its own', async ({ page }) => {
  await withoutPreloadedResponses(page)
  await page.route('**/api/home', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      json: { ...(await response.json()), community_url: 'https://t.me/deals' },
    })
  })
  await page.goto('/')
  const link = page.getByRole('link', { name: 'Community chat' })
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  const opened = page.waitForEvent('popup')
  await link.click()
  expect((await opened).url()).toBe('https://t.me/deals')
})

test.describe('an administrator', () => {
  test.use({ role: 'admin' })

  test('has filter management', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Filter management' }).click()
    await expect(page).toHaveURL(/\/admin-dashboard$/)
  })
})

for (const look of looks) {
  test.describe(look.name, () => {
    test.use(look.use)

    test('Home is accessible, still and shows its deals at once', async ({ page, importDeals }) => {
      await importDeals(dealRows(20))
      const shifted = await watchShifts(page)
      await openHome(page)
      await carousel(page).getByRole('button', { name: 'Pause' }).click()
      await expect(carousel(page)).toBeInViewport({ ratio: 0.99 })
      await expect(page.getByRole('main').getByRole('link', { name: 'Link generator' })).toBeAttached()
      await expectAccessible(page, look.name)
      expect(await shifted()).toBeLessThan(0.02)
      await takePicture(page, `home ${look.name}`)
    })
  })
}

import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, firstInView, openFeed, scrollToEnd, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { takePicture } from './looks.ts'
import { nextFrame } from './moments.ts'

/** Notes each 'Loading more' that appears, and when the list grew, in the page's own milliseconds. */
async function noteLoadingMore(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: { shown: number; grown: number[] } = { shown: 0, grown: [] }
    Object.assign(window, { loadingMore: noted })
    let [wasShown, loaded] = [false, 0]
    new MutationObserver(() => {
      const lines = [...document.querySelectorAll('main [role="status"]')]
      const isShown = lines.some((line) => line.textContent.includes('Loading more'))
      if (isShown && !wasShown) noted.shown += 1
      wasShown = isShown
      const now = Number(document.querySelector('[data-loaded]')?.getAttribute('data-loaded') ?? 0)
      if (loaded > 0 && now > loaded) noted.grown.push(performance.now())
      loaded = now
    }).observe(document, { childList: true, subtree: true, attributes: true })
  })
}

/** How long after it was asked for each further page was shown. A busy machine notices later, never earlier. */
function waits(page: Page): Promise<{ shown: number; ms: number[] }> {
  return page.evaluate(() => {
    const noted: { shown: number; grown: number[] } = Reflect.get(window, 'loadingMore')
    const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('cursor='))
    return { shown: noted.shown, ms: noted.grown.map((at, page) => at - (asked[page]?.startTime ?? at)) }
  })
}

/**
 * Goes to the end of the list, as often as it takes, and waits until it holds so many deals. The end of so many is not gone to: further
 * ones would come.
 */
async function loadMore(page: Page, deals: number): Promise<void> {
  const feed = page.getByRole('feed')
  await expect(async () => {
    await feed.evaluate((list, deals) => {
      if (Number(list.dataset.loaded) < deals) window.scrollTo(0, document.documentElement.scrollHeight)
    }, deals)
    await expect(feed).toHaveAttribute('data-loaded', String(deals), { timeout: 2_000 })
  }).toPass()
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

test('fifty a page, more at the end after a moment, each deal once, and a closing line', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(120, { price: 10 }))
  const asked = watchLists(page)
  await noteLoadingMore(page)
  await openFeed(page, '?sort=price')
  const seen = new Set<string>()
  const look = async () => {
    for (const title of await cards(page).getByRole('heading').allInnerTexts()) seen.add(title)
  }
  await look()
  await loadMore(page, 100)
  await loadMore(page, 120)
  await expect(page.getByText('You have seen all 120 deals')).toBeVisible()
  const { shown, ms } = await waits(page)
  expect(shown).toBe(2)
  expect(ms).toHaveLength(2)
  for (const wait of ms) expect(wait).toBeGreaterThan(495)
  expect(asked.filter((query) => query.has('cursor')).map((query) => query.get('limit'))).toEqual([
    '50',
    '50',
  ])

  // Only what is near the screen exists, and every place is numbered.
  await scrollToEnd(page)
  expect(await cards(page).count()).toBeLessThan(60)
  await expect(cards(page).last()).toHaveAttribute('aria-posinset', '120')
  await expect(cards(page).last()).toHaveAttribute('aria-setsize', '120')
  for (let top = 0; top < 12_000; top += 500) {
    await page.evaluate((top) => window.scrollTo(0, top), top)
    await nextFrame(page)
    await look()
  }
  expect(seen.size).toBe(120)
})

test('while deals load their places stand; the head counts all there are', async ({ page, importDeals }) => {
  await importDeals([
    dealRow({ price: 4, original_price: 8, prime_eligible: true }),
    dealRow({ price: 5, original_price: null, prime_eligible: true }),
    dealRow({ price: 6, original_price: null, prime_eligible: false }),
    dealRow({ price: 400, original_price: null, prime_eligible: false }),
    dealRow({ price: 7, availability: null }),
  ])
  const release = await holdBack(page, /\/api\/products\?/)
  await page.goto('/amazon-haul?sort=price')
  const feed = page.getByRole('feed')
  const places = feed.locator('div[aria-hidden="true"]')
  await expect(feed).toHaveAttribute('aria-busy', 'true')
  await expect(places.first()).toBeVisible()
  await expect(cards(page)).toHaveCount(0)
  release()
  await expect(cards(page)).toHaveCount(3)
  await expect(feed).toHaveAttribute('aria-busy', 'false')
  await expect(places).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  await expect(page.getByRole('term')).toHaveText(['total deals', 'Prime eligible', 'with discounts'])
  await expect(page.getByRole('definition')).toHaveText(['4', '2', '1'])
})

test('one deal and none have closing words of their own', async ({ page, importDeals }) => {
  await importDeals([dealRow()])
  await openFeed(page)
  await expect(page.getByText('You have seen the only deal')).toBeVisible()
})

test('a card shows what decides, and leads to the product in a new tab', async ({ page, importDeals }) => {
  const long = `Lamp ${'with many very useful features '.repeat(5)}`.trim()
  await importDeals([
    dealRow({
      title: long,
      price: 12.5,
      original_price: 25,
      rating: 4.6,
      review_count: 2255,
      availability: 'Only 3 left',
      first_seen: minutesAgo(5),
    }),
    dealRow({
      title: 'Bare',
      price: 3,
      original_price: null,
      rating: null,
      review_count: null,
      prime_eligible: false,
    }),
    dealRow({ title: 'Raised', price: 9, original_price: 8 }),
  ])
  await openFeed(page)
  const full = card(page, 'Lamp with')
  for (const text of ['$12.50', '$25.00', '−50%', '4.6', '2,255', 'Prime', 'Only 3 left', '5 min ago', 'New'])
    await expect(full.getByText(text).first()).toBeVisible()
  await expect(full.getByText(`${long.slice(0, 80).trimEnd()}…`)).toBeVisible()
  await full.locator('time').hover()
  await expect(full.locator('time')).toHaveAttribute('title', /\d{4}/)
  const link = full.getByRole('link', { name: /^Open in shop/ })
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')

  const opened = page.context().waitForEvent('page')
  await full.locator('img').click({ force: true })
  const product = await opened
  await expect(product).toHaveURL(/^https:\/\/www\.amazon\.com\/dp\//)
  expect(await product.evaluate(() => window.opener)).toBeNull()

  for (const title of ['Bare', 'Raised']) await expect(card(page, title).getByText('%')).toHaveCount(0)
  await expect(card(page, 'Bare').getByText('Prime')).toHaveCount(0)
  await expect(card(page, 'Bare').getByText('Rated')).toHaveCount(0)
})

test('a deal is new for half an hour, also while somebody keeps looking', async ({ page, importDeals }) => {
  await page.clock.install()
  await importDeals([
    dealRow({ title: 'Fresh', first_seen: minutesAgo(20) }),
    dealRow({ title: 'Older', first_seen: minutesAgo(40) }),
  ])
  await openFeed(page)
  await expect(card(page, 'Fresh').getByText('New', { exact: true })).toBeVisible()
  await expect(card(page, 'Older').getByText('New', { exact: true })).toHaveCount(0)
  await page.clock.fastForward('11:00')
  await expect(card(page, 'Fresh').getByText('New', { exact: true })).toHaveCount(0)
  await expect(card(page, 'Fresh').getByText('31 min ago')).toBeVisible()
})

test('a card says when an old price was seen, unless that is as old as the deal', async ({
  page,
  importDeals,
}) => {
  const day = 24 * 60
  await importDeals([
    dealRow({ title: 'Long known', first_seen: minutesAgo(700 * day), scraped_at: minutesAgo(215 * day) }),
    dealRow({ title: 'Seen once', scraped_at: minutesAgo(300 * day) }),
    dealRow({ title: 'Seen now', first_seen: minutesAgo(300 * day) }),
  ])
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await openFeed(page)
    await expect(card(page, 'Long known').getByText('Price seen 7 months ago')).toBeVisible()
    await card(page, 'Long known').scrollIntoViewIfNeeded()
    await expect(card(page, 'Seen once').getByText(/Price seen/)).toHaveCount(0)
    await expect(card(page, 'Seen now').getByText(/Price seen/)).toHaveCount(0)
    await expect(card(page, 'Seen once').getByText('9 months ago')).toBeVisible()
    await takePicture(page, `age of a price, ${width}`)
  }
})

test.describe('pictures', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('a missing or broken picture is replaced, and no card changes its size', async ({
    page,
    importDeals,
  }) => {
    await page.route(/broken/, (route) => route.abort())
    await importDeals([
      dealRow({ title: 'Broken', image_url: 'https://m.media-amazon.com/images/I/broken.jpg' }),
      dealRow({ title: 'Missing', image_url: null }),
      dealRow({ title: 'Whole' }),
    ])
    await openFeed(page)
    for (const title of ['Broken', 'Missing']) {
      const picture = card(page, title).locator('img')
      await expect(picture).toHaveAttribute('data-placeholder', 'true')
      await expect(picture).not.toHaveJSProperty('naturalWidth', 0)
      await expect(picture).not.toHaveAttribute('data-loaded')
    }
    await expect(card(page, 'Whole').locator('img')).not.toHaveAttribute('data-placeholder')
    // A white ground, which pictures bring with them.
    await expect(card(page, 'Whole').locator('img')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
    const heights = await cards(page).evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().height),
    )
    expect(new Set(heights).size).toBe(1)
    // Neither that of a missing picture nor one that is waited for shines in the dark.
    await page.route(/slow/, () => {})
    await importDeals([dealRow({ title: 'Slow', image_url: 'https://m.media-amazon.com/images/I/slow.jpg' })])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.reload()
    for (const title of ['Slow', 'Broken', 'Missing']) {
      const brightest = await card(page, title)
        .locator('img')
        .evaluate((image) =>
          [image, image.parentElement ?? image].flatMap((one) =>
            (getComputedStyle(one).backgroundColor.match(/\d+(?=[,)])/g) ?? []).slice(0, 3).map(Number),
          ),
        )
      expect(Math.max(...brightest), title).toBeLessThan(60)
    }
  })
})

test.describe('the place in the list', () => {
  test.use({ role: 'admin' })

  test('is kept on reload and on Back, with all that was loaded', async ({ page, importDeals }) => {
    await importDeals(dealRows(200, { price: 10 }))
    await openFeed(page)
    await loadMore(page, 100)
    await loadMore(page, 150)
    await page.evaluate(() => window.scrollTo(0, 4_000))
    await expect.poll(() => page.evaluate(() => sessionStorage['dealdeck.places'])).toContain('"offset":4000')
    const before = await firstInView(page)
    expect(before.title).not.toBe('')
    const asked = watchLists(page)

    await page.reload()
    await expect.poll(() => firstInView(page)).toEqual(before)
    expect(asked[0]?.get('limit')).toBe('150')

    await page.getByRole('link', { name: /^Admin/ }).click()
    await expect(page.getByRole('heading', { name: /^Welcome back/, level: 1 })).toBeVisible()
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.goBack()
    await expect.poll(async () => (await firstInView(page)).title).not.toBe('')
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(3_000)
  })
})

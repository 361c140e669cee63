import type { Locator, Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, firstInView, openFeed, prefer, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { type Check, expectNoSidewaysScroll, inEveryLook, takePicture } from './looks.ts'
import { importHistory, listNotSeen } from './prices.ts'

const phone = { width: 390, height: 844 }
const desk = { width: 1440, height: 900 }
const choice = (page: Page, name: 'Cards' | 'Compact list') => page.getByRole('radio', { name })
const top = async (of: Locator) => Math.round((await of.boundingBox())?.y ?? Number.NaN)
const long = `Lamp ${'with many very useful features '.repeat(5)}`.trim()

/** How many deals lie wholly in the window. */
const wholeDeals = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('article')].filter((article) => {
        const { top, bottom } = article.getBoundingClientRect()
        return top >= 56 && bottom <= window.innerHeight
      }).length,
  )

test('a compact list beside the cards: one line a deal on a desk, six deals on a phone, remembered, and the first starts high', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ title: long, rating: null }), ...dealRows(60, { price: 10 })])
  await page.addInitScript(() => localStorage.setItem('dealdeck.filters-open', 'false'))
  await page.setViewportSize(desk)
  await openFeed(page)
  await choice(page, 'Cards').focus()
  await page.keyboard.press('ArrowRight')
  await expect(choice(page, 'Compact list')).toBeChecked()
  await expect.poll(() => wholeDeals(page)).toBeGreaterThanOrEqual(14)
  const lines = await cards(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
  expect(new Set(lines.map(({ left, height }) => `${left} ${height}`)).size).toBe(1)
  // What one looks for stands in columns.
  const prices = await cards(page).evaluateAll((all) =>
    all.map((one) => one.querySelector('p > span')?.getBoundingClientRect().right),
  )
  expect(new Set(prices).size).toBe(1)
  await page.reload()
  await expect(choice(page, 'Compact list')).toBeChecked()

  await page.setViewportSize(phone)
  await expect.poll(() => wholeDeals(page)).toBeGreaterThanOrEqual(6)
  for (const name of ['Compact list', 'Cards'] as const) {
    await choice(page, name).check()
    await expect.poll(() => top(cards(page).first()), name).toBeLessThanOrEqual(300)
    await expectNoSidewaysScroll(page, name)
  }
})

test('changing between cards and list, or turning the phone, keeps what is read where it is', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(120, { price: 10 }))
  await page.setViewportSize(phone)
  await openFeed(page)
  await page.evaluate(() => window.scrollTo(0, 3_000))
  await expect.poll(async () => (await firstInView(page)).title).not.toBe('')
  const before = await firstInView(page)
  // The switch is above the screen by then; pressing it there scrolls nothing.
  const choose = (name: 'Cards' | 'Compact list') =>
    choice(page, name).evaluate((input: HTMLElement) => input.click())
  const read = card(page, before.title.split('  ')[0] ?? '')
  await choose('Compact list')
  await expect.poll(() => top(read)).toBe(before.top)
  await page.setViewportSize({ width: phone.height, height: phone.width })
  await expect(read).toBeInViewport({ ratio: 1 })
  await page.setViewportSize(phone)
  await choose('Cards')
  await expect(read).toBeInViewport({ ratio: 1 })
})

test('a list is live, shares and opens as the cards do', async ({ page, importDeals }) => {
  await prefer(page, { layout: 'list' })
  const others = dealRows(40)
  const lamp = dealRow({ title: long, price: 20 })
  await importDeals([...others, lamp])
  await openFeed(page)
  await importDeals([{ ...lamp, price: 15 }, dealRow({ title: 'Arrived', price: 4 })])
  await expect(card(page, 'Lamp with')).toContainText('$15.00fell from $20.00')
  await toast(page)
    .getByRole('button', { name: /New Deals Available!/ })
    .click()
  await expect(cards(page).first()).toContainText('Arrived')
  await expect(cards(page).first().getByText('New', { exact: true })).toBeVisible()
  await cards(page)
    .first()
    .getByRole('button', { name: /^Share / })
    .click()
  await expect(page.getByRole('dialog', { name: 'Share this deal' })).toBeVisible()
  await page.keyboard.press('Escape')
  const opened = page.context().waitForEvent('page')
  await cards(page).first().locator('img').click({ force: true })
  await expect(await opened).toHaveURL(/^https:\/\/www\.amazon\.com\/dp\//)
})

test('cards of a row are equal, and what a deal lacks leaves no empty line', async ({
  page,
  importDeals,
}) => {
  await importDeals([
    // In wide letters, so that what a card shows of it fills all the lines there are.
    dealRow({ title: `Full ${long.toUpperCase()}` }),
    dealRow({
      title: `Bare ${long.toUpperCase()}`,
      original_price: null,
      rating: null,
      prime_eligible: false,
    }),
    dealRow({ title: 'Short', rating: null, prime_eligible: false }),
    dealRow({ title: 'Rated', original_price: null, review_count: null }),
  ])
  for (const size of [phone, desk]) {
    await page.setViewportSize(size)
    await openFeed(page)
    await expect(cards(page)).toHaveCount(4)
    const seen = await cards(page).evaluateAll((all) =>
      all.map((one) => {
        const elements = [...one.querySelectorAll('h2 a > span, a[target] > span:last-child, p')]
        const lines = elements.map((line) => line.getBoundingClientRect()).sort((a, b) => a.top - b.top)
        const gaps = lines.map((line, at) => line.top - (lines[at - 1]?.bottom ?? line.top))
        return {
          height: one.getBoundingClientRect().height,
          isFull:
            lines.at(-1) !== undefined && one.getBoundingClientRect().bottom >= (lines.at(-1)?.bottom ?? 0),
          widest: Math.max(...gaps),
          // The price is worth something yet to be said: its words have no line before they come.
          empty: elements.filter((line, at) => !line.textContent || lines[at]?.height === 0).length,
        }
      }),
    )
    expect(new Set(seen.map(({ height }) => height)).size).toBe(1)
    for (const { isFull, widest, empty } of seen) {
      expect({ isFull, empty }).toEqual({ isFull: true, empty: 0 })
      expect(widest).toBeLessThan(8)
    }
    // Its room is the title's.
    const title = (of: string) => card(page, of).locator('h2 a > span').first()
    const [full, bare] = [await title('Full').boundingBox(), await title('Bare').boundingBox()]
    if (size === phone) expect((bare?.height ?? 0) - (full?.height ?? 0)).toBeGreaterThan(15)
    await takePicture(page, `cards without empty lines, ${size.width}`)
  }
})

test('on a phone a deal of the list has three lines, and says what decides', async ({
  page,
  importDeals,
}) => {
  await prefer(page, { layout: 'list' })
  await page.setViewportSize(phone)
  const judged = dealRow({ title: `Judged ${long}`, price: 14, original_price: 49.99 })
  await importHistory(importDeals, judged, listNotSeen)
  const fresh = { first_seen: new Date().toISOString() }
  await importDeals([dealRow({ title: `Fresh ${long}`, original_price: 49.99, ...fresh })])
  await openFeed(page)
  await expect(card(page, 'Judged').getByText('List price not seen in 90 days')).toBeVisible()
  for (const text of ['$14.00', '−72%', 'ago'])
    await expect(card(page, 'Judged').getByText(text)).toBeVisible()
  for (const text of ['New', '$9.99', '−80%', 'just now'])
    await expect(card(page, 'Fresh').getByText(text, { exact: true })).toBeVisible()
  const lines = await cards(page).evaluateAll((all) =>
    all.map((one) => {
      const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
      const middles: number[] = []
      const frame = one.getBoundingClientRect()
      while (words.nextNode()) {
        const parent = words.currentNode.parentElement
        const box = parent?.getBoundingClientRect()
        // What is only heard is no line, nor is what stands on the picture.
        if (
          !box ||
          box.width < 2 ||
          !parent?.checkVisibility() ||
          parent.closest('article > div:first-child')
        )
          continue
        const range = document.createRange()
        range.selectNodeContents(words.currentNode)
        for (const { top, bottom, left } of range.getClientRects()) {
          const middle = (top + bottom) / 2
          const isSeen = document.elementFromPoint(left + 1, middle)?.closest('article') === one
          const isInside = middle > box.top && middle < box.bottom && middle < frame.bottom
          if (isSeen && isInside && !middles.some((other) => Math.abs(other - middle) < 6))
            middles.push(middle)
        }
      }
      return middles.length
    }),
  )
  expect(lines).toEqual([3, 3])
  await takePicture(page, 'three lines a deal')
})

test('on a phone nothing of a line lies over another part of it', async ({ page, importDeals }) => {
  await prefer(page, { layout: 'list' })
  const seen = new Date(Date.now() - 11 * 31 * 86_400_000).toISOString()
  await importDeals([
    dealRow({ review_count: 4_123_456, observed_at: seen }),
    dealRow({ review_count: 1_280, observed_at: seen }),
    dealRow({ rating: null, observed_at: seen }),
  ])
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await openFeed(page)
    await page.mouse.move(width / 2, 400)
    await expect(page.getByRole('button', { name: /^Tell me at a price/ })).toHaveCount(3)
    const met = await cards(page).evaluateAll((all) =>
      all.flatMap((one) => {
        const parts = [...one.querySelectorAll('a[target] time:last-child, button, p > span')]
          .filter((part) => part.checkVisibility() && part.getBoundingClientRect().width > 0)
          .map((part) => ({
            name: part.getAttribute('aria-label') ?? part.textContent,
            ...part.getBoundingClientRect().toJSON(),
          }))
        return parts.flatMap((a, at) =>
          parts
            .slice(at + 1)
            .filter(
              (b) =>
                a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1,
            )
            .map((b) => `${a.name} | ${b.name}`),
        )
      }),
    )
    expect(met, `at ${width}`).toEqual([])
  }
})

test('the list is accessible and has no sideways scroll', async ({ page, importDeals }) => {
  await prefer(page, { layout: 'list' })
  await importDeals([dealRow({ title: long, image_url: null }), ...dealRows(20)])
  const steps = async (check: Check) => {
    await openFeed(page)
    await check('compact list', cards(page).first())
  }
  await inEveryLook(page, steps, { isOpenedAtEachSize: true })
})

test.describe('a cut title', () => {
  const shown = (page: Page) => page.locator('body > [aria-hidden]').filter({ hasText: long })

  test('stands there in full for a pointer at rest and for the keyboard, until Esc', async ({
    page,
    importDeals,
  }) => {
    await importDeals([dealRow({ title: long }), dealRow({ title: 'Short' })])
    await openFeed(page)
    await card(page, 'Lamp with').locator('img').hover({ force: true })
    await expect(shown(page)).toBeVisible()
    await card(page, 'Short').hover()
    await expect(shown(page)).toHaveCount(0)
    await page.mouse.move(2, 2)
    await page.getByRole('button', { name: 'Refresh deals' }).focus()
    const link = card(page, 'Lamp with').getByRole('link', { name: /^Lamp with/ })
    const isFocused = () => link.evaluate((element) => element === document.activeElement)
    for (let presses = 0; presses < 40 && !(await isFocused()); presses += 1) await page.keyboard.press('Tab')
    await expect(shown(page)).toBeVisible()
    await expect(link).toBeFocused()
    await expect(link).toHaveAccessibleName(/^Lamp with/)
    await page.keyboard.press('Escape')
    await expect(shown(page)).toHaveCount(0)
  })

  test.describe('under a finger', () => {
    test.use({ viewport: phone, hasTouch: true, isMobile: true })

    test('stands there in full while it is held, and the deal stays closed', async ({
      page,
      importDeals,
    }) => {
      await importDeals([...dealRows(5), dealRow({ title: long })])
      await openFeed(page)
      const opened: unknown[] = []
      page.context().on('page', (other) => opened.push(other))
      const box = await card(page, 'Lamp with').locator('img').boundingBox()
      const point = { x: (box?.x ?? 0) + 60, y: (box?.y ?? 0) + 90 }
      const device = await page.context().newCDPSession(page)
      const touch = (type: 'touchStart' | 'touchEnd', touchPoints: (typeof point)[]) =>
        device.send('Input.dispatchTouchEvent', { type, touchPoints })
      await touch('touchStart', [point])
      await expect(shown(page)).toBeVisible()
      await touch('touchEnd', [])
      await expect(shown(page)).toBeVisible()
      await page.touchscreen.tap(195, 20)
      await expect(shown(page)).toHaveCount(0)
      expect(opened).toEqual([])
      // A press that isn't held opens it.
      const product = page.context().waitForEvent('page')
      await page.touchscreen.tap(point.x, point.y)
      await product
    })
  })
})

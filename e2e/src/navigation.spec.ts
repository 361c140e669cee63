import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectNoSidewaysScroll, inEveryLook } from './looks.ts'

test.describe('an address that is none', () => {
  test.use({ expectedConsoleErrors: [/status of 404/] })

  test('is answered with 404, says so and leads on', async ({ page }) => {
    const nothing = page.getByRole('heading', { name: 'Nothing here', level: 1 })
    await inEveryLook(page, async (check) => {
      const answer = await page.goto('/no/such/place')
      expect(answer?.status()).toBe(404)
      await check('no such place', nothing)
    })
    await expect(page).toHaveTitle('Nothing here · Dealdeck')
    await expect(page).toHaveURL('/no/such/place')
    await page.getByRole('main').getByRole('link', { name: 'Go to Home' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Low-price finds, as they come in')
    await page.goBack()
    await expect(nothing).toBeVisible()
    await page.getByRole('link', { name: 'See the deals' }).click()
    await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  })
})

test.describe('for an administrator', () => {
  test.use({ role: 'admin' })

  test("a desktop's header has room for everything in it at any width", async ({ page }) => {
    for (const width of [1160, 1200, 1440]) {
      const place = `at ${width} pixels`
      await page.setViewportSize({ width, height: 800 })
      await page.goto('/')
      const button = page.getByRole('button', { name: 'Sign Out' })
      const room = await button
        .locator('.mantine-Button-label')
        .evaluate((label) => [label.scrollWidth, label.clientWidth])
      expect.soft(room[0], place).toBeLessThanOrEqual(room[1] ?? 0)
      await expectNoSidewaysScroll(page, place)
      const box = await button.boundingBox()
      expect.soft((box?.x ?? 0) + (box?.width ?? 0), place).toBeLessThanOrEqual(width)
    }
  })

  const screens = [
    '/',
    '/amazon-haul',
    '/tools',
    '/filters',
    '/image-tools',
    '/admin-dashboard',
    '/profile',
    '/searches',
    '/alerts',
  ]

  test('the navigation stands still from screen to screen, and every head begins at one edge', async ({
    page,
  }) => {
    for (const width of [390, 1200, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      const seen: Record<string, unknown> = {}
      for (const path of screens) {
        await page.goto(path)
        await expect(page.locator('main h1')).toBeVisible()
        // Before the program has come its place is held.
        await expect(page.locator('header[inert]')).toHaveCount(0)
        seen[path] = await whereThingsStand(page)
      }
      const [first] = Object.values(seen)
      const same = Object.fromEntries(screens.map((path) => [path, first]))
      expect.soft(seen, `at ${width} pixels`).toEqual(same)
    }
  })
})

/** The left edges of the screen's head and of each part of the navigation, in pixels. */
function whereThingsStand(page: Page) {
  return page.evaluate(() => {
    const left = (element: Element) => Math.round(element.getBoundingClientRect().left * 10) / 10
    const heading = document.querySelector('main h1')
    return {
      head: heading && left(heading.closest('header') ?? heading),
      navigation: [...document.querySelectorAll('header nav a')].map(left),
      isScrolling: document.documentElement.scrollHeight > window.innerHeight,
    }
  })
}

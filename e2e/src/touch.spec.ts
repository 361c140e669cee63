import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { cards, filterToggle, listsRest, searchBox, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

const least = 44

/**
 * What can be pressed on the page as it stands and is less than a fingertip high or wide. Only links within a sentence may
 * be: lines that far apart could not be read.
 */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const pressed = 'a[href], button, input, select, textarea, summary, [role="button"], [role="tab"]'
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
    const boxOf = (element: Element) => {
      // A label is pressed for its field, and a link that covers its card is as large as that.
      const field = element.matches('input')
        ? (element.closest('label') ?? document.querySelector(`label[for="${CSS.escape(element.id)}"]`))
        : null
      const whole = element.matches('article a, li a') ? element.closest('article, li') : null
      const boxes = [element, field, whole].flatMap((one) => (one ? [one.getBoundingClientRect()] : []))
      return {
        width: Math.max(...boxes.map(({ width }) => width)),
        height: Math.max(...boxes.map(({ height }) => height)),
      }
    }
    return [...document.querySelectorAll(pressed)].flatMap((element) => {
      if (!isShown(element) || element.closest('[inert]')) return []
      if (element.matches('p a, dd a') && getComputedStyle(element).display === 'inline') return []
      const { width, height } = boxOf(element)
      const name = element.getAttribute('aria-label') ?? (element.textContent?.trim() || element.id)
      if (width === 0) return []
      // Half a pixel is lost to rounding.
      return Math.min(width, height) < least - 0.5
        ? [`${element.tagName.toLowerCase()} ${name}: ${Math.round(width)} × ${Math.round(height)}`]
        : []
    })
  }, least)
}

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, role: 'admin' })

test('whatever is pressed is large enough for a finger, on every main screen', async ({
  page,
  importDeals,
  server,
}) => {
  test.slow()
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

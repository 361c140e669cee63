import { prefer } from './feed-page.ts'
import { setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import {
  asked,
  choose,
  copyButton,
  keyword,
  link,
  openButton,
  openTools,
  panel,
  someFilters,
  sortWarning,
} from './links-page.ts'

test.beforeEach(({ databases }) => setFilters(databases, someFilters))

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('a keyword and filters make a link that is in reach', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openTools(page)
    await expect(page.getByText('Searches amazon.com', { exact: true })).toBeVisible()
    await expect(page.getByText(/retailer/i)).toHaveCount(0)
    await keyword(page).fill('phone case')
    await choose(page, 'Percent Off', '50% off or more')
    await expect.poll(() => asked(page)).toEqual({ k: 'phone case', rh: 'p_8:50-' })
    await expect(panel(page)).toContainText('phone case, 50 % off or more')
    await expect(copyButton(page)).toBeInViewport({ ratio: 1 })
    await expect(openButton(page)).toBeInViewport({ ratio: 1 })
    await copyButton(page).tap()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'https://www.amazon.com/s?k=phone+case&rh=p_8%3A50-',
    )
    await expect(page.getByRole('button', { name: /^\d+%$/ })).toHaveCount(0)
  })

  test('the bar covers neither the last control nor the button that leads to the top', async ({ page }) => {
    await openTools(page, '?q=lamp&with=Mine:p_72:1&with=Yours:p_72:2&with=Ours:p_72:3')
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    const bar = await panel(page).boundingBox()
    for (const control of [
      page.getByRole('button', { name: 'Remove Ours' }),
      page.getByRole('button', { name: 'Scroll to top' }),
      page.getByRole('contentinfo'),
    ]) {
      const box = await control.boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    }
  })
})

test('the link follows every key', async ({ page }) => {
  await openTools(page)
  await expect(link(page)).toHaveValue('')
  await keyword(page).pressSequentially('café 50% "<b>&=#', { delay: 30 })
  await expect.poll(() => asked(page)).toEqual({ k: 'café 50% "<b>&=#' })
  await expect(keyword(page)).toHaveValue('café 50% "<b>&=#')
  await choose(page, 'Brands', 'Acme', 'Bolt & Sons')
  await choose(page, 'Deal Types', 'All bargains')
  await choose(page, 'Sold By', 'The shop itself')
  await choose(page, 'Departments', 'Garden')
  await expect
    .poll(async () => (await asked(page))?.rh)
    .toBe('n:2972638011,p_89:Acme|Bolt & Sons,p_n_deal_type:23566065011,p_6:ATVPDKIKX0DER')
  expect(await link(page).inputValue()).not.toContain('%257C')
  await page.getByRole('button', { name: 'Clear keyword' }).click()
  await expect(keyword(page)).toBeFocused()
  await expect.poll(async () => (await asked(page))?.k).toBeUndefined()
})

test('a price range is exact to the cent, non-numbers count as 0, and a range that is none is explained', async ({
  page,
}) => {
  await openTools(page, '?q=lamp')
  await page.getByRole('switch', { name: 'Price range' }).click()
  const min = page.getByRole('spinbutton', { name: 'Min price' })
  const max = page.getByRole('spinbutton', { name: 'Max price' })
  await expect(min).toHaveValue('0')
  await expect(max).toHaveValue('30')
  for (const input of [min, max]) {
    await expect(input).toHaveAttribute('min', '0')
    await expect(input).toHaveAttribute('step', '1')
  }
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:0-3000')
  await max.fill('19.99')
  await min.fill('5')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:500-1999')
  await min.press('ArrowUp')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:600-1999')
  await min.fill('')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:0-1999')
  await min.blur()
  await expect(min).toHaveValue('0')
  await min.fill('-4')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:0-1999')
  await min.fill('25')
  const warning = panel(page).getByRole('alert')
  await expect(warning).toHaveText('The lowest price is above the highest price, so nothing can match.')
  await expect(max).toHaveAttribute('aria-invalid', 'true')
  await expect(copyButton(page)).toBeDisabled()
  await expect(panel(page).getByRole('button', { name: 'Open in Browser' })).toBeDisabled()
  await max.fill('0')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:2500-')
  await max.fill('26')
  await expect(warning).toHaveCount(0)
  await expect(copyButton(page)).toBeEnabled()
  for (const input of [min, max]) await input.fill('')
  await expect.poll(() => asked(page)).toEqual({ k: 'lamp' })
  await min.fill('25')
  await max.fill('26')
  await page.getByRole('switch', { name: 'Price range' }).click()
  await expect.poll(() => asked(page)).toEqual({ k: 'lamp' })
  await page.getByRole('switch', { name: 'Price range' }).click()
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:2500-2600')
})

test("the range starts with the user's own highest price", async ({ page }) => {
  await prefer(page, { defaultMaxPrice: 12 })
  await openTools(page)
  await page.getByRole('switch', { name: 'Price range' }).click()
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_36:0-1200')
})

test('copied is said for three seconds, also with nothing to copy or to open', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await openTools(page)
  await page.clock.pauseAt(Date.now() + 60_000)
  const said = panel(page).getByRole('status')
  // They look disabled; who presses them is told why.
  for (const button of [copyButton(page), panel(page).getByRole('button', { name: 'Open in Browser' })])
    await expect(button).toBeDisabled()
  await copyButton(page).click({ force: true })
  await expect(said).toHaveText('No URL to copy')
  await openButton(page).click({ force: true })
  await expect(said).toHaveText('No URL to open')
  await page.clock.runFor(3_100)
  await expect(said).toHaveText('')
  await copyButton(page).click({ force: true })
  await expect(said).toHaveText('No URL to copy')
  // There is one now, so nothing says so any longer.
  await keyword(page).fill('lamp')
  await expect(said).toHaveText('')
  await page.clock.runFor(1_000)
  await copyButton(page).click()
  await expect(said).toHaveText('Link copied')
  await expect(copyButton(page)).toHaveText('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('https://www.amazon.com/s?k=lamp')
  await page.clock.runFor(2_800)
  await expect(said).toHaveText('Link copied')
  await page.clock.runFor(300)
  await expect(said).toHaveText('')
  await expect(copyButton(page)).toHaveText('Copy')
})

test('a refused clipboard is said so', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await openTools(page, '?q=lamp')
  await copyButton(page).click()
  await expect(panel(page).getByRole('status')).toHaveText('Failed to copy link')
})

test('the link opens in a new tab that knows nothing of this one', async ({ page }) => {
  await openTools(page, '?q=lamp')
  const opened = page.context().waitForEvent('page')
  await openButton(page).click()
  const tab = await opened
  await tab.waitForLoadState()
  expect(tab.url()).toBe('https://www.amazon.com/s?k=lamp')
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  expect(await tab.evaluate(() => document.referrer)).toBe('')
})

test('two departments without a sort warn, and neither copy nor open', async ({ page }) => {
  await openTools(page)
  await choose(page, 'Departments', 'Garden')
  await expect(page.getByText(sortWarning)).toHaveCount(0)
  await choose(page, 'Departments', 'Kitchen')
  const warning = panel(page).getByRole('alert')
  await expect(warning).toHaveText(sortWarning)
  await expect(warning.getByRole('img', { name: 'Warning' })).toBeVisible()
  await expect(copyButton(page)).toBeDisabled()
  await expect(panel(page).getByRole('button', { name: 'Open in Browser' })).toBeDisabled()
  await expect(panel(page).getByRole('link')).toHaveCount(0)
  await choose(page, 'Sort By', 'Cheapest first')
  await expect(warning).toHaveCount(0)
  await expect(copyButton(page)).toBeEnabled()
  await expect.poll(() => asked(page)).toEqual({ rh: 'n:2972638011,n:1055398', s: 'price-asc-rank' })
  await expect(panel(page)).toContainText('in Garden and Kitchen, cheapest first')
})

test('text that looks like markup or a script stays text', async ({ page, databases }) => {
  page.on('dialog', () => expect('a dialog').toBe('none'))
  const names = ['<script>alert(1)</script>', '"><img src=x onerror=alert(2)>', 'javascript:alert(3)']
  await setFilters(
    databases,
    names.map((name) => ({ category: 'brands' as const, name, code: 'p_89:x' })),
  )
  const search = new URLSearchParams([
    ['q', 'javascript:alert(4)//"><script>alert(5)</script>'],
    ...names.map((name) => ['brand', name]),
    ['with', '<img src=x onerror=alert(6)>:javascript:alert(7)'],
    ['brand', '<b>gone</b>'],
  ])
  await openTools(page, `?${search}`)
  await expect(panel(page)).toContainText('javascript:alert(4)//"><script>alert(5)</script>')
  await expect(page.getByText('<b>gone</b> (Brands)')).toBeVisible()
  await expect(panel(page).getByRole('link')).toHaveAttribute(
    'href',
    /^https:\/\/www\.amazon\.com\/s\?k=javascript/,
  )
  for (const href of await page
    .locator('a')
    .evaluateAll((links) => links.map((a) => a.getAttribute('href')))) {
    expect(href).not.toMatch(/^javascript:/)
  }
  expect(await page.locator('main script, main img:not([alt])').count()).toBe(0)
})

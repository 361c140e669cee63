import type { Page } from '@playwright/test'
import {
  addFilter,
  listFilters,
  removeFilter,
  updateFilter,
} from '../../server/src/features/filters/actions.ts'
import { openWeakLink } from '../../server/testing/weak-link.ts'
import { filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'

/** Brands are rows of a table. */
const cards = (page: Page) => {
  const panel = page.getByRole('tabpanel')
  const rows = panel.getByRole('row').filter({ has: page.getByRole('rowheader') })
  return panel.getByRole('listitem').or(rows)
}
const card = (page: Page, name: string) => cards(page).filter({ hasText: name })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search by name or code' })
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) })
const copyButton = (page: Page, name: string) =>
  page.getByRole('button', { name: `Copy the code of ${name}` })

const some = [
  filterRow('Acme Tools'),
  filterRow('Bolt & Sons', 'p_89:Bolt & Sons'),
  filterRow('All bargains', 'p_n_deal_type:23566065011', 'deals'),
  filterRow('100% off', 'p_8:100-', 'percent_off'),
  filterRow('60% off', 'p_8:60-', 'percent_off'),
  filterRow('Garden', 'n:2972638011', 'departments'),
  filterRow('Garden tools', 'n:3238155011', 'departments'),
  filterRow('The shop itself', 'p_6:ATVPDKIKX0DER', 'sold_by'),
  filterRow('Cheapest first', 's=price-asc-rank', 'sort_by'),
]

async function openFilters(page: Page, query = ''): Promise<void> {
  await page.goto(`/filters${query}`)
  await expect(page.getByRole('tab', { name: /^All \d/ })).toBeVisible()
}

test.beforeEach(({ databases }) => setFilters(databases, some))

test('tabs count what each category holds, and search counts with them', async ({ page }) => {
  await openFilters(page)
  const counts = () => page.getByRole('tab').allInnerTexts()
  await expect
    .poll(async () => (await counts()).map((text) => text.replaceAll(/\s+/g, ' ')))
    .toEqual([
      'All 9',
      'Brands 2',
      'Deal Types 1',
      'Discounts 2',
      'Departments 2',
      'Sellers 1',
      'Sort Options 1',
    ])
  await expect(cards(page)).toHaveCount(9)
  await tab(page, 'Discounts').click()
  // Numbers count as numbers.
  await expect(cards(page)).toContainText(['60% off', '100% off'])
  await search(page).fill('garden')
  await expect(tab(page, 'Departments')).toHaveText(/2$/)
  await expect(page.getByText('No match in this category')).toBeVisible()
  await expect(page.getByText('Other categories have 2.')).toBeVisible()
  await page.getByRole('button', { name: 'Show all categories' }).click()
  await expect(cards(page)).toHaveCount(2)
})

test('finds by name or code in any case, also a code as an address has it', async ({ page }) => {
  await openFilters(page)
  for (const [text, names] of [
    ['aCME', ['Acme Tools']],
    ['tools gar', ['Garden tools']],
    ['P_8:', ['60% off', '100% off']],
    ['p_8%3A60-', ['60% off']],
    ['price-asc', ['Cheapest first']],
    ['100%', ['100% off']],
  ] as const) {
    await search(page).fill(text)
    await expect(cards(page)).toHaveCount(names.length)
    await expect(cards(page)).toContainText([...names])
  }
  await search(page).fill('nothing like it')
  await expect(page.getByText('No filter matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await expect(cards(page)).toHaveCount(9)
  await expect(search(page)).toHaveValue('')
})

test('search and tab are in the address, survive a reload and Back; nonsense in it is ignored', async ({
  page,
}) => {
  await openFilters(page)
  await search(page).fill('garden')
  await expect(page).toHaveURL('/filters?q=garden')
  await tab(page, 'Departments').click()
  await expect(page).toHaveURL('/filters?q=garden&category=departments')
  await page.reload()
  await expect(search(page)).toHaveValue('garden')
  await expect(tab(page, 'Departments')).toHaveAttribute('aria-selected', 'true')
  await expect(cards(page)).toHaveCount(2)
  await page.goBack()
  await expect(tab(page, 'All')).toHaveAttribute('aria-selected', 'true')
  await openFilters(page, '?q=60&category=shoes&x=1')
  await expect(search(page)).toHaveValue('60')
  await expect(tab(page, 'All')).toHaveAttribute('aria-selected', 'true')
})

test('a card copies its code and says so for two seconds', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await openFilters(page)
  await page.clock.pauseAt(Date.now() + 60_000)
  const said = page.getByRole('status').filter({ hasText: 'Copied' })
  await card(page, 'Bolt & Sons').getByRole('button').click()
  await expect(said).toHaveText('Code copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('p_89:Bolt & Sons')
  await page.clock.runFor(1_900)
  await expect(said).toBeVisible()
  await page.clock.runFor(200)
  await expect(said).toHaveCount(0)
})

test('a refused clipboard is said so', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await openFilters(page)
  await copyButton(page, 'Acme Tools').click()
  await expect(page.getByRole('status').filter({ hasText: 'Failed to copy' })).toBeVisible()
})

test('everything is reached by keyboard', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openFilters(page)
  await page.keyboard.press('/')
  await expect(search(page)).toBeFocused()
  await page.keyboard.type('garden')
  await expect(cards(page)).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(search(page)).toHaveValue('')
  await expect(cards(page)).toHaveCount(9)
  await page.keyboard.press('Tab')
  await expect(tab(page, 'All')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(tab(page, 'Brands')).toHaveAttribute('aria-selected', 'true')
  for (const _ of ['Brand', 'Filter code', 'Copy']) await page.keyboard.press('Tab')
  await expect(copyButton(page, 'Acme Tools')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Code copied' })).toBeVisible()
})

test('names and codes with markup stay text', async ({ page, databases }) => {
  const names = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(2)>',
    'javascript:alert(3)',
    'نستله 小米 👩‍🔧',
  ]
  page.on('dialog', () => expect('a dialog').toBe('none'))
  await setFilters(
    databases,
    names.map((name) => filterRow(name)),
  )
  await openFilters(page, `?q=${encodeURIComponent('<script>')}`)
  await expect(card(page, names[0] ?? '')).toHaveCount(1)
  await search(page).fill('')
  await expect(cards(page)).toHaveCount(4)
  for (const name of names) await expect(card(page, name)).toBeVisible()
  expect(await page.locator('main img, main script').count()).toBe(0)
})

test('says what to do when there is nothing, and fills by itself', async ({ page, databases }) => {
  await setFilters(databases, [])
  await openFilters(page)
  await expect(page.getByText('No filters yet')).toBeVisible()
  await addFilter(databases, { category: 'brands', name: 'First of all', code: 'p_89:First of all' })
  await expect(card(page, 'First of all')).toBeVisible()
})

test('what an administrator adds, changes and removes is on every open screen at once', async ({
  page,
  openContext,
  databases,
}) => {
  await openFilters(page)
  const other = await (await openContext('user')).newPage()
  await openFilters(other, '?category=brands')
  const screens = [page, other]
  // Long before a screen asks again by itself.
  const soon = { timeout: 10_000 }
  const { id } = await addFilter(databases, { category: 'brands', name: 'Newcomer', code: 'p_89:Newcomer' })
  for (const screen of screens) await expect(card(screen, 'Newcomer')).toBeVisible(soon)
  await updateFilter(databases, id, { name: 'Renamed' })
  for (const screen of screens) await expect(card(screen, 'Renamed')).toBeVisible(soon)
  await removeFilter(databases, id)
  for (const screen of screens) await expect(card(screen, 'Renamed')).toHaveCount(0, soon)
})

test.describe('without the server', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_|status of 503/] })

  test('what changed while the connection was lost is there when it is back', async ({
    server,
    openContext,
    databases,
  }) => {
    const link = await openWeakLink(server.origin)
    const page = await (await openContext('user', link.url)).newPage()
    await openFilters(page)
    link.cut()
    await addFilter(databases, { category: 'brands', name: 'Missed', code: 'p_89:Missed' })
    await expect(card(page, 'Acme Tools')).toBeVisible()
    link.mend()
    await expect(card(page, 'Missed')).toBeVisible({ timeout: 25_000 })
    await link.close()
  })

  test('without a stream a change is there with the next question, 30 seconds later at most', async ({
    page,
    databases,
  }) => {
    await page.clock.install()
    await page.route('**/api/events*', (route) => route.abort())
    await openFilters(page)
    await expect(cards(page)).toHaveCount(9)
    const asked = page.waitForResponse('**/api/amazon_filters*')
    await page.clock.pauseAt(Date.now() + 60_000)
    await (await asked).finished()
    await addFilter(databases, { category: 'brands', name: 'Synced', code: 'p_89:Synced' })
    await page.clock.runFor(29_000)
    await expect(card(page, 'Synced')).toHaveCount(0)
    await page.clock.runFor(2_000)
    await page.clock.resume()
    await expect(card(page, 'Synced')).toBeVisible()
  })

  test('the built-in set stands in, labelled and unmixed, and goes away by itself', async ({
    page,
    databases,
  }) => {
    await page.route('**/api/amazon_filters*', (route) => route.abort())
    await openFilters(page, '?category=brands')
    const label = page.getByText("Showing default filters, the server can't be reached")
    await expect(label).toBeVisible()
    await expect(card(page, 'Acme Tools')).toHaveCount(0)
    expect(await cards(page).count()).toBeGreaterThan(20)
    await page.unroute('**/api/amazon_filters*')
    await expect(label).toHaveCount(0)
    await expect(cards(page)).toHaveCount(2)
    expect(await listFilters(databases)).toHaveLength(some.length)
  })

  test('filters that were loaded stay, and a failed refresh is said so', async ({ page, databases }) => {
    await openFilters(page)
    await page.route('**/api/amazon_filters*', (route) => route.fulfill({ status: 503, json: { code: 'X' } }))
    await addFilter(databases, { category: 'brands', name: 'Not yet', code: 'p_89:Not yet' })
    await expect(page.getByText('These filters may be out of date')).toBeVisible()
    await expect(cards(page)).toHaveCount(9)
    await page.unroute('**/api/amazon_filters*')
    await expect(card(page, 'Not yet')).toBeVisible()
    await expect(page.getByText('These filters may be out of date')).toHaveCount(0)
  })
})

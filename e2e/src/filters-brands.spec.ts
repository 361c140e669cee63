import type { Page } from '@playwright/test'
import { addFilter } from '../../server/src/features/filters/actions.ts'
import { brandRows, filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook } from './looks.ts'

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('rowheader') })
const names = (page: Page) => page.getByRole('rowheader').allInnerTexts()
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search by name or code' })
const heading = (page: Page, name: string) => page.getByRole('columnheader', { name })

async function openBrands(page: Page, query = ''): Promise<void> {
  await page.goto(`/brands${query}`)
  await expect(page.getByRole('table', { name: 'Brands' })).toBeVisible()
}

const few = [
  filterRow('Cog', 'p_123:1'),
  filterRow('acme', 'p_123:30'),
  filterRow('Bolt', 'p_123:4'),
  filterRow('Not a brand', 'n:1', 'departments'),
]

test('brands are sorted by name or code, either way, and the address remembers', async ({
  page,
  databases,
}) => {
  await setFilters(databases, few)
  await openBrands(page)
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Brands 3')
  await expect(heading(page, 'Brand')).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => names(page)).toEqual(['acme', 'Bolt', 'Cog'])
  await heading(page, 'Brand').getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['Cog', 'Bolt', 'acme'])
  await heading(page, 'Filter code').getByRole('button').click()
  await expect.poll(() => names(page)).toEqual(['Cog', 'Bolt', 'acme'])
  await heading(page, 'Filter code').getByRole('button').click()
  await expect(heading(page, 'Filter code')).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(() => names(page)).toEqual(['acme', 'Bolt', 'Cog'])
  await expect(page).toHaveURL('/filters?category=brands&sort=code&desc=true')
  await page.reload()
  await expect.poll(() => names(page)).toEqual(['acme', 'Bolt', 'Cog'])
})

test('a brand is found by name or code and its code copied', async ({ page, databases, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await setFilters(databases, few)
  await openBrands(page)
  await search(page).fill('P_123:4')
  await expect.poll(() => names(page)).toEqual(['Bolt'])
  await expect(page.getByText('1 of 4 filters')).toBeVisible()
  await page.getByRole('button', { name: 'Copy the code of Bolt' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Code copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('p_123:4')
  await search(page).fill('zzz')
  await expect(page.getByText('No filter matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await expect(rows(page)).toHaveCount(3)
  await setFilters(databases, [filterRow('Only a department', 'n:1', 'departments')])
  await expect(page.getByText('No filters in this category yet')).toBeVisible()
})

test('of 5,000 brands only those near the screen exist; the last is reached, and one more comes by itself', async ({
  page,
  databases,
}) => {
  await setFilters(databases, brandRows(5_000))
  await openBrands(page)
  await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', '5001')
  expect(await rows(page).count()).toBeLessThan(70)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await expect(page.getByRole('rowheader', { name: 'Brand 5000', exact: true })).toBeInViewport()
  await expect(rows(page).last()).toHaveAttribute('aria-rowindex', '5001')
  await expect(heading(page, 'Brand')).toBeInViewport()
  await page.evaluate(() => window.scrollTo(0, 0))
  await search(page).fill('brand 499')
  await expect(page.getByText('15 of 5,000 filters')).toBeVisible()
  await addFilter(databases, { category: 'brands', name: 'Brand 499 and a half', code: 'p_89:Half' })
  await expect(page.getByText('16 of 5,001 filters')).toBeVisible()

  await page.goto('/filters')
  const cards = page.getByRole('tabpanel').getByRole('listitem')
  await expect(cards.first()).toHaveAttribute('aria-setsize', '5001')
  expect(await cards.count()).toBeLessThan(160)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await expect(cards.last()).toHaveAttribute('aria-posinset', '5001')
  await expect(cards.last()).toBeInViewport()
})

test('a row with the focus is not lost by scrolling', async ({ page, databases }) => {
  await setFilters(databases, brandRows(500))
  await openBrands(page)
  await page.getByRole('button', { name: 'Copy the code of Brand 3', exact: true }).focus()
  await page.evaluate(() => window.scrollTo(0, 9_000))
  await expect(page.getByRole('rowheader', { name: 'Brand 200', exact: true })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Copy the code of Brand 4', exact: true })).toBeFocused()
})

const long =
  'An extraordinarily long name of a brand that nobody would ever print on a box, with (parentheses)'

test('filters and brands are accessible', async ({ page, databases }) => {
  await setFilters(databases, [
    filterRow(long, `p_89:${long}`),
    filterRow('60% off', 'p_8:60-', 'percent_off'),
    ...brandRows(60),
  ])
  await inEveryLook(page, async (check) => {
    for (const path of ['filters', 'brands']) {
      const code = page.getByText('p_89:Brand 1').first()
      await page.goto(`/${path}`)
      await expect(code).toBeVisible()
      await check(path, code)
      const clear = page.getByRole('button', { name: 'Clear search' }).last()
      await page.goto(`/${path}?q=nothing`)
      await expect(clear).toBeVisible()
      await check(`${path} without a match`, clear)
    }
  })
})

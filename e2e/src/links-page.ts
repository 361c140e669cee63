import type { Locator, Page } from '@playwright/test'
import { filterRow } from './filters.ts'
import { expect } from './fixtures.ts'

/** Filters of every category, of invented names. */
export const someFilters = [
  filterRow('Acme', 'p_89:Acme'),
  filterRow('Bolt & Sons', 'p_89:Bolt & Sons'),
  filterRow('Cog', 'p_89:Cog'),
  filterRow('All bargains', 'p_n_deal_type:23566065011', 'deals'),
  filterRow('50% off or more', 'p_8:50-', 'percent_off'),
  filterRow('60% off or more', 'p_8:60-', 'percent_off'),
  filterRow('Garden', 'n:2972638011', 'departments'),
  filterRow('Kitchen', 'n:1055398', 'departments'),
  filterRow('The shop itself', 'p_6:ATVPDKIKX0DER', 'sold_by'),
  filterRow('Cheapest first', 's=price-asc-rank', 'sort_by'),
  filterRow('Newest first', 's=date-desc-rank', 'sort_by'),
]

export const sortWarning = 'When 2 or more departments are selected, you must select a Sort By option.'

export const keyword = (page: Page): Locator => page.getByRole('textbox', { name: 'Keyword' })
export const link = (page: Page): Locator => page.getByRole('textbox', { name: 'Generated link' })
export const panel = (page: Page): Locator => page.getByRole('region', { name: 'Generated link' })
export const copyButton = (page: Page): Locator => panel(page).getByRole('button', { name: /^Cop/ })
/** A link while there is something to open, a button otherwise. */
export const openButton = (page: Page): Locator => panel(page).getByText('Open in Browser')

/** The field of a multi-select, such as 'Brands'. */
export const field = (page: Page, label: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${label} `) })

/** The open list of a multi-select. */
export const list = (page: Page, label: string): Locator => page.getByRole('dialog', { name: label })

export const option = (page: Page, name: string): Locator => page.getByRole('option', { name, exact: true })

/** Opens the generator at an address, whatever was set up before, and waits until its filters are there. */
export async function openTools(page: Page, search = ''): Promise<void> {
  if (page.url().startsWith('http')) await page.evaluate(() => localStorage.removeItem('dealdeck.link-setup'))
  await page.goto(`/tools${search}`)
  await expect(field(page, 'Brands')).toBeVisible()
}

/** Chooses in a multi-select and closes it. */
export async function choose(page: Page, label: string, ...names: string[]): Promise<void> {
  await field(page, label).click()
  for (const name of names) await option(page, name).click()
  await page.keyboard.press('Escape')
  await expect(list(page, label)).toHaveCount(0)
}

/** What the link asks for, or null while there is none. */
export async function asked(page: Page): Promise<Record<string, string> | null> {
  const url = await link(page).inputValue()
  if (url === '') return null
  expect(url).toMatch(/^https:\/\/www\.amazon\.com\/s\?/)
  return Object.fromEntries(new URL(url).searchParams)
}

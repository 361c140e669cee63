import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { listFilters, updateFilter } from '../../server/src/features/filters/actions.ts'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { openAdmin, toast } from './admin.ts'
import { brandRows, filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'

test.use({ role: 'admin' })

const rows = (page: Page) => page.getByRole('list', { name: 'Filters', exact: true }).getByRole('listitem')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const dialog = (page: Page) => page.getByRole('dialog')

/** Has somebody else change Bolt just before the page's removal of it arrives. */
async function changeBeforeRemoval(page: Page, databases: Databases): Promise<void> {
  const bolt = (await listFilters(databases)).find(({ name }) => name === 'Bolt')
  await page.route(`**/api/amazon_filters/${bolt?.id}?*`, async (route) => {
    await updateFilter(databases, bolt?.id ?? 0, { code: 'p_123:theirs' })
    await route.fallback()
  })
}

test.beforeEach(({ databases }) =>
  setFilters(databases, [
    filterRow('Acme Tools'),
    filterRow('Bolt', 'p_123:4'),
    filterRow('60% off', 'p_8:60-', 'percent_off'),
  ]),
)

test('each filter shows what it becomes in a link, with a link to try it', async ({ page }) => {
  await openAdmin(page)
  await expect(page.getByRole('tab', { name: /^Brands/ })).toHaveText(/2$/)
  await expect(row(page, '60% off')).toContainText('rh=p_8%3A60-')
  const link = page.getByRole('link', { name: 'Try Acme Tools in the shop' })
  await expect(link).toHaveAttribute('href', 'https://www.amazon.com/s?rh=p_89%3AAcme+Tools')
  await expect(link).toHaveAttribute('target', '_blank')
})

test('adds, edits and removes by keyboard alone; a removal can be undone', async ({ page, databases }) => {
  await openAdmin(page)
  await page.getByRole('button', { name: 'Add filter' }).focus()
  await page.keyboard.press('Enter')
  await dialog(page).getByLabel('Name').focus()
  await page.keyboard.type('  Cog &  Co ')
  await page.keyboard.press('Tab')
  await page.keyboard.type('rh=p_89%3ACog')
  await expect(dialog(page)).toContainText('In links: rh=p_89%3ACog')
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Added “Cog & Co”.')).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Add filter' })).toBeFocused()
  await expect(row(page, 'Cog & Co')).toContainText('p_89:Cog')

  await page.getByRole('button', { name: 'Edit Cog & Co' }).focus()
  await page.keyboard.press('Enter')
  await dialog(page).getByLabel('Name').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Cogs')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Cogs')).toBeVisible()

  await page.getByRole('button', { name: 'Remove Cogs' }).focus()
  await page.keyboard.press('Enter')
  await expect(row(page, 'Cogs')).toHaveCount(0)
  await toast(page, 'Removed “Cogs”.').getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await expect(row(page, 'Cogs')).toBeVisible()
  expect((await listFilters(databases)).map(({ name }) => name)).toContain('Cogs')
})

test.describe('refusals', () => {
  test.use({ expectedConsoleErrors: [/status of (400|404|409|503)/] })

  test('what is missing or taken is said at the field, and nothing is lost', async ({ page }) => {
    await openAdmin(page)
    await page.getByRole('button', { name: 'Add filter' }).click()
    await dialog(page).getByLabel('Name').fill('  ')
    await dialog(page).getByRole('button', { name: 'Add filter' }).click()
    await expect(dialog(page).getByRole('alert')).toHaveText('Please enter both name and code')
    await dialog(page).getByLabel('Name').fill('ACME tools')
    await dialog(page).getByLabel('Code').fill('p_89:Acme')
    await dialog(page).getByRole('button', { name: 'Add filter' }).click()
    await expect(dialog(page).getByText('Filter name already exists in this category')).toBeVisible()
    await expect(dialog(page).getByLabel('Name')).toBeFocused()
    await dialog(page).getByLabel('Category').selectOption('Departments')
    await dialog(page).getByLabel('Code').fill('nonsense')
    await dialog(page).getByRole('button', { name: 'Add filter' }).click()
    await expect(
      dialog(page)
        .getByText('doesn’t say what it filters')
        .or(dialog(page).getByText("doesn't say what it filters")),
    ).toBeVisible()
    await expect(dialog(page).getByLabel('Code')).toBeFocused()
    await expect(dialog(page).getByLabel('Code')).toHaveAccessibleDescription(/what it filters/)
    await dialog(page).getByLabel('Code').fill('n:123')
    await dialog(page).getByRole('button', { name: 'Add filter' }).click()
    await expect(toast(page, 'Added “ACME tools”.')).toBeVisible()
    await page.getByRole('button', { name: 'Edit Bolt' }).click()
    await dialog(page).getByLabel('Name').fill('Acme Tools')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expect(dialog(page).getByText('Filter name already exists or filter not found')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toHaveCount(0)
  })

  test('what is refused after its dialog was closed is said over the list', async ({ page }) => {
    await openAdmin(page)
    const release = await holdBack(page, '**/api/amazon_filters/*')
    await page.getByRole('button', { name: 'Edit Bolt' }).click()
    await dialog(page).getByLabel('Name').fill('Acme Tools')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toHaveCount(0)
    release()
    await expect(
      toast(page, '“Acme Tools” was not saved. Filter name already exists or filter not found'),
    ).toBeVisible()
    await expect(row(page, 'Bolt')).toBeVisible()
  })

  test('of two who edit one filter the second is told what it is now, and decides', async ({
    page,
    databases,
  }) => {
    await openAdmin(page)
    await page.getByRole('button', { name: 'Edit Bolt' }).click()
    await dialog(page).getByLabel('Code').fill('p_123:mine')
    const bolt = (await listFilters(databases)).find(({ name }) => name === 'Bolt')
    await updateFilter(databases, bolt?.id ?? 0, { code: 'p_123:theirs' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expect(dialog(page).getByRole('alert')).toHaveText(
      'Somebody else changed this filter meanwhile: it is “Bolt” with p_123:theirs now. Save again to replace that.',
    )
    await expect(dialog(page).getByLabel('Code')).toHaveValue('p_123:mine')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expect(row(page, 'Bolt')).toContainText('p_123:mine')
  })

  test('who removes a filter that was changed meanwhile is told what it is now', async ({
    page,
    databases,
  }) => {
    await openAdmin(page)
    await changeBeforeRemoval(page, databases)
    await page.getByRole('button', { name: 'Remove Bolt' }).click()
    await expect(
      toast(
        page,
        'Somebody else changed “Bolt” meanwhile: it is “Bolt” with p_123:theirs now, and was not removed.',
      ),
    ).toBeVisible()
    await expect(row(page, 'Bolt')).toContainText('p_123:theirs')
  })

  test('what a changed filter is now is not made up where that can’t be read', async ({
    page,
    databases,
  }) => {
    await openAdmin(page)
    await expect(row(page, 'Bolt')).toBeVisible()
    await page.route('**/api/amazon_filters', (route) => route.fulfill({ status: 503, json: { code: 'X' } }))
    await changeBeforeRemoval(page, databases)
    await page.getByRole('button', { name: 'Remove Bolt' }).click()
    await expect(
      toast(
        page,
        'Somebody else changed this filter in the meantime. Look at it again before you remove it.',
      ),
    ).toBeVisible()
  })

  test('a removal that fails is said so and the filter stays', async ({ page }) => {
    await openAdmin(page)
    await page.route('**/api/amazon_filters/*', (route) =>
      route.fulfill({ status: 503, json: { code: 'X' } }),
    )
    await page.getByRole('button', { name: 'Remove Bolt' }).click()
    await expect(toast(page, 'Failed to remove filter')).toBeVisible()
    await expect(row(page, 'Bolt')).toBeVisible()
  })

  test('a broken file says which line and changes nothing', async ({ page, databases }) => {
    await openAdmin(page)
    await page.getByRole('button', { name: 'Import filters' }).click()
    const lines = ['category,name,code', 'brands,New,p_89:New', 'brands,,p_89:X', 'shoes,Y,p_89:Y']
    await dialog(page)
      .getByLabel('File of filters')
      .setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) })
    await expect(dialog(page).getByRole('alert')).toContainText('Line 3: Please enter both name and code.')
    await expect(dialog(page).getByText('line 4: category must be one of')).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: 'Import filters' })).toBeDisabled()
    expect(await listFilters(databases)).toHaveLength(3)
  })

  test('a file that can’t be read is said so, and the one before it is not imported in its place', async ({
    page,
  }) => {
    await openAdmin(page)
    await page.getByRole('button', { name: 'Import filters' }).click()
    const buffer = Buffer.from('category,name,code\nbrands,New,p_89:New')
    const choose = (name: string) =>
      dialog(page).getByLabel('File of filters').setInputFiles({ name, mimeType: 'text/csv', buffer })
    await choose('f.csv')
    await expect(dialog(page).getByText('1 added, none changed')).toBeVisible()
    // As with a file in a cloud that isn't reached, or one that is moved meanwhile.
    await page.evaluate(() => {
      Blob.prototype.text = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
    })
    await choose('other.csv')
    await expect(dialog(page).getByRole('alert')).toContainText('This file can’t be read.')
    await expect(dialog(page).getByText('1 added, none changed')).toHaveCount(0)
    await expect(dialog(page).getByRole('button', { name: 'Import filters' })).toBeDisabled()
  })

  test('a file that is read slowly doesn’t come in place of the one chosen after it', async ({ page }) => {
    await openAdmin(page)
    await page.getByRole('button', { name: 'Import filters' }).click()
    await page.evaluate(() => {
      const read = Blob.prototype.text
      Blob.prototype.text = async function (this: File) {
        const content = await read.call(this)
        if (this.name === 'slow.csv')
          await new Promise((resolve) => window.addEventListener('slow-is-read', resolve))
        return content
      }
    })
    const choose = (name: string, rows: string) =>
      dialog(page)
        .getByLabel('File of filters')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(`category,name,code\n${rows}`) })
    await choose('slow.csv', 'brands,One,p_89:One')
    await choose('quick.csv', 'brands,Two,p_89:Two\nbrands,Three,p_89:Three')
    await expect(dialog(page).getByText('2 added, none changed')).toBeVisible()
    await page.evaluate(() => window.dispatchEvent(new Event('slow-is-read')))
    await page.getByRole('dialog').getByRole('button', { name: 'Import filters' }).click()
    await expect(row(page, 'Three')).toBeVisible()
    await expect(row(page, 'One')).toHaveCount(0)
  })
})

test('the whole set goes out and comes in as a file, tried before it is taken', async ({
  page,
  databases,
}) => {
  await openAdmin(page)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toBe(
    'category,name,code\r\nbrands,Acme Tools,p_89:Acme Tools\r\nbrands,Bolt,p_123:4\r\npercent_off,60% off,p_8:60-\r\n',
  )
  await page.getByRole('button', { name: 'Import filters' }).click()
  const file = { name: 'f.csv', mimeType: 'text/csv' }
  const buffer = Buffer.from(text.replace('p_123:4', 'p_123:5').replace('percent_off,60%', 'percent_off,70%'))
  await dialog(page)
    .getByLabel('File of filters')
    .setInputFiles({ ...file, buffer })
  await expect(dialog(page).getByText('1 added, 1 changed, none removed, 1 unchanged')).toBeVisible()
  await dialog(page).getByLabel('Replace all filters by the file’s').click()
  await expect(dialog(page).getByText('1 added, 1 changed, 1 removed, 1 unchanged')).toBeVisible()
  expect(await listFilters(databases)).toHaveLength(3)
  await dialog(page).getByRole('button', { name: 'Import filters' }).click()
  await expect(toast(page, 'Imported: 1 added, 1 changed, 1 removed, 1 unchanged.')).toBeVisible()
  await expect(row(page, '70% off')).toBeVisible()
  await expect(row(page, '60% off')).toHaveCount(0)
  await expect(row(page, 'Bolt')).toContainText('p_123:5')
})

test('5,000 filters scroll and search; what others change comes by itself', async ({ page, databases }) => {
  await setFilters(databases, brandRows(5_000))
  await openAdmin(page)
  await expect(rows(page).first()).toHaveAttribute('aria-setsize', '5000')
  expect(await rows(page).count()).toBeLessThan(100)
  await page.getByRole('searchbox', { name: 'Search by name or code' }).fill('brand 4999')
  await expect(rows(page)).toHaveCount(1)
  const [first] = (await listFilters(databases)).filter(({ name }) => name === 'Brand 4999')
  await updateFilter(databases, first?.id ?? 0, { code: 'p_89:Elsewhere' })
  await expect(row(page, 'Brand 4999')).toContainText('p_89:Elsewhere')
})

import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { openAdmin } from './admin.ts'
import { dealRow, dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook } from './looks.ts'

test.use({ role: 'admin' })

const header = 'asin,product_name,current_price,list_price,stars,link'

function csvLine(index: number, price = '4.50') {
  const asin = `B0CSV${String(index).padStart(5, '0')}`
  return `${asin},"Enamel mug, no. ${index}",${price},9.00,4.4,https://www.amazon.com/dp/${asin}`
}

function csvFile(name: string, lines: string[]) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from([header, ...lines].join('\r\n')) }
}

async function choose(page: Page, file: { name: string; mimeType: string; buffer: Buffer }) {
  await page.goto('/import')
  await page.getByLabel('File of deals').setInputFiles(file)
  await expect(page.getByRole('heading', { name: 'First rows' })).toBeVisible()
}

/** The figure that stands under a label of the result. */
function figure(page: Page, label: string) {
  return page
    .locator('dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd')
}

test('a file is recognised, tried, imported and seen in the feed', async ({ page }) => {
  await choose(
    page,
    csvFile(
      'mugs.csv',
      [1, 2, 3].map((index) => csvLine(index)),
    ),
  )
  await expect(page.getByLabel('Title')).toHaveValue('product_name')
  await expect(page.getByLabel('Price', { exact: true })).toHaveValue('current_price')
  await expect(page.getByLabel('Original price')).toHaveValue('list_price')
  await expect(page.getByLabel('Availability of rows that state none')).toHaveValue('In stock')
  await expect(page.getByRole('cell', { name: 'Enamel mug, no. 2' })).toBeVisible()

  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByRole('heading', { name: 'Dry run: nothing was stored' })).toBeFocused()
  await expect(figure(page, 'Created')).toHaveText('3')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Imported', exact: true })).toBeFocused()
  await expect(figure(page, 'Created')).toHaveText('3')

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Unchanged')).toHaveText('3')
  await page.getByRole('link', { name: 'See the deals' }).click()
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  await expect(page.getByText('Enamel mug, no. 3').first()).toBeVisible()
})

test('what came of it stands on top, the way to the deals first', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await choose(page, csvFile('mugs.csv', [csvLine(1)]))
  const result = page.getByRole('region', { name: 'Result' })
  const top = async (name: string) =>
    (await page.getByRole('region', { name, exact: true }).boundingBox())?.y ?? 0
  await expect(result).toHaveCount(0)
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByRole('heading', { name: 'Dry run: nothing was stored' })).toBeInViewport()
  expect(await top('Result')).toBeLessThan(await top('File'))
  await page.getByRole('button', { name: 'Import now' }).click()
  const done = page.getByRole('heading', { name: 'Imported', exact: true })
  await expect(done).toBeFocused()
  await expect(done).toBeInViewport()
  await page.keyboard.press('Tab')
  await expect(result.getByRole('link', { name: 'See the deals' })).toBeFocused()
  expect(await top('Result')).toBeLessThan(await top('File'))
  await expect(page.getByRole('list', { name: 'Imports' }).getByRole('listitem').first()).toContainText(
    'mugs.csv',
  )
})

test('a wrong column can be corrected before anything is stored', async ({ page }) => {
  await choose(page, csvFile('mugs.csv', [csvLine(1, '7.25')]))
  await page.getByLabel('Price', { exact: true }).selectOption('list_price')
  await expect(page.getByRole('cell', { name: '$9.00', exact: true })).toBeVisible()
  await page.getByLabel('Title').selectOption('')
  await expect(page.getByText('Every row needs Title.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
})

test('without an availability deals stay hidden, and the page says so', async ({ page, databases }) => {
  await choose(page, csvFile('mugs.csv', [csvLine(1)]))
  await page.getByLabel('Availability of rows that state none').fill('')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByText('1 of these deals stays hidden')).toBeVisible()
  const { rows } = await databases.durablePool.query('select is_visible from deals')
  expect(rows).toEqual([{ is_visible: false }])
})

test('refused rows are counted by reason and can be taken away as a table', async ({ page }) => {
  await choose(page, csvFile('mugs.csv', [csvLine(1), csvLine(2, '-3'), '=1+1,Broken,1,2,3,nowhere']))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Rejected')).toHaveText('2')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download rejects (CSV)' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('mugs.csv.rejected.csv')
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines[0]).toBe('\uFEFFrow,asin,reason')
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(line).not.toMatch(/(^|,)"?[=+\-@]/)
})

test('packed files are read too, and other kinds are refused with a reason', async ({ page }) => {
  await page.goto('/import')
  await page
    .getByLabel('File of deals')
    .setInputFiles({ name: 'deals.xlsx', mimeType: '', buffer: Buffer.from('x') })
  await expect(page.getByText('deals.xlsx is not a kind of file that can be imported.')).toBeVisible()
  const rows = dealRows(30).map((row) => JSON.stringify(row))
  const packed = { name: 'deals.ndjson.gz', mimeType: 'application/gzip', buffer: gzipSync(rows.join('\n')) }
  await page.getByLabel('File of deals').setInputFiles(packed)
  await expect(page.getByText('NDJSON', { exact: false }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Created')).toHaveText('30')
})

test.describe('a file', () => {
  test.use({ expectedConsoleErrors: [/status of 400/] })

  test('that can’t be read says what is wrong', async ({ page }) => {
    await page.goto('/import')
    await page
      .getByLabel('File of deals')
      .setInputFiles({ name: 'notes.json', mimeType: '', buffer: Buffer.from('{"a":') })
    await expect(page.getByRole('alert')).toContainText('can’t be previewed')
    // A name in Cyrillic, in bytes that may mean other letters as well.
    const [before, after] = [`${header}\nB0CSV00001,`, ',4.50,9.00,4.4,\n']
    const letters = Buffer.from([0xcb, 0xe0, 0xec, 0xef, 0xe0])
    const buffer = Buffer.concat([Buffer.from(before), letters, Buffer.from(after)])
    await page.getByLabel('Another file').setInputFiles({ name: 'lamp.csv', mimeType: 'text/csv', buffer })
    await expect(page.getByRole('alert')).toContainText('maybe windows-1251')
    await page.getByLabel('Encoding of the file').selectOption('windows-1251')
    await expect(page.getByRole('cell', { name: 'Лампа' })).toBeVisible()
    await page.getByLabel('Another file').setInputFiles(csvFile('mugs.csv', [csvLine(1)]))
    await expect(page.getByRole('heading', { name: 'First rows' })).toBeVisible()
  })
})

test('a file far larger than its preview arrives whole', async ({ page }) => {
  const lines = Array.from({ length: 30_000 }, (_, index) => csvLine(index))
  await choose(page, csvFile('mugs.csv', lines))
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByRole('heading', { name: 'Dry run: nothing was stored' })).toBeVisible({
    timeout: 40_000,
  })
  await expect(figure(page, 'Received')).toHaveText('30,000')
})

test('a file that lists everything hides the rest, after a dry run has said what', async ({ page }) => {
  const lines = [1, 2, 3].map((index) => csvLine(index))
  await choose(page, csvFile('mugs.csv', lines))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Created')).toHaveText('3')
  await choose(page, csvFile('fewer.csv', lines.slice(0, 2)))
  await page.getByLabel('This file lists everything').click()
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled()
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByText('1 of 3 deals would be hidden')).toBeVisible()
  await page.getByText('Which these are').click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Enamel mug, no. 3' })).toBeVisible()
  await page.getByRole('button', { name: 'Import and hide 1 deal' }).click()
  await expect(page.getByText('1 of 3 deals was hidden')).toBeVisible()
  await choose(page, csvFile('one.csv', lines.slice(3).concat(csvLine(9))))
  await page.getByLabel('This file lists everything').click()
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByText('That is more than half of all deals.')).toBeVisible()
  await page.getByRole('button', { name: 'Import and hide 2 deals' }).click()
  await expect(page.getByText('2 of 2 deals were hidden')).toBeVisible()
  await openAdmin(page, 'import')
  await expect(page.getByText('2 not listed and hidden')).toBeVisible()
})

test('the prices of a file are kept as history, unless that is switched off', async ({ page, databases }) => {
  const points = async () =>
    (await databases.customPlanPool.query<{ price: number }>('select price from price_points order by price'))
      .rows
  await choose(page, csvFile('mugs.csv', [csvLine(1)]))
  await page.getByRole('switch', { name: 'Keep no price history' }).check({ force: true })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Created')).toHaveText('1')
  expect(await points()).toEqual([])
  await page.getByRole('switch', { name: 'Keep no price history' }).uncheck({ force: true })
  await page.getByLabel('Another file').setInputFiles(csvFile('mugs.csv', [csvLine(1, '4.00')]))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(figure(page, 'Updated')).toHaveText('1')
  expect(await points()).toEqual([{ price: 4 }])
})

test('an import can be cancelled', async ({ page }) => {
  await choose(page, csvFile('mugs.csv', [csvLine(1)]))
  await page.route('**/api/products/import?*', () => {})
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Cancelled.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeEnabled()
})

test('every step is accessible', async ({ page }) => {
  await inEveryLook(page, async (check) => {
    const heading = (name: string) => page.getByRole('heading', { name })
    await page.goto('/import')
    await expect(heading('Import deals')).toBeVisible()
    await check('import', heading('Import deals'))
    const rows = [...dealRows(12), { ...dealRow(), price: -1 }]
    const buffer = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
    await page.getByLabel('File of deals').setInputFiles({ name: 'deals.ndjson', mimeType: '', buffer })
    await expect(heading('First rows')).toBeVisible()
    await expect(page.getByText('Of the first 13 rows 1 would be refused')).toBeVisible()
    await check('import preview', heading('First rows'))
    await page.getByRole('button', { name: 'Dry run' }).click()
    await expect(heading('Dry run: nothing was stored')).toBeVisible()
    await check('import dry run', heading('Dry run: nothing was stored'))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await check('imported', page.getByRole('heading', { name: 'Imported', exact: true }))
    const fewer = { name: 'fewer.ndjson', mimeType: '', buffer: Buffer.from(JSON.stringify(dealRow())) }
    await page.getByLabel('Another file').setInputFiles(fewer)
    await page.getByLabel('This file lists everything').click()
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Which these are').click()
    await check('import of everything', heading('Dry run: nothing was stored'))
  })
})

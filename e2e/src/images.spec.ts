import type { Page, Route } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const asin = 'B07N4M94HP'
const url = (item = asin, size = 'LZZZZZZZ') =>
  `https://images-na.ssl-images-amazon.com/images/P/${item}.01.${size}.jpg`
// What the shop answers for a product without a picture.
const onePixel = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

const field = (page: Page) => page.getByRole('textbox', { name: 'ASIN or product address', exact: true })
const generate = (page: Page) => page.getByRole('button', { name: 'Generate' })
const result = (page: Page) => page.getByRole('region', { name: 'Generated picture' })
const shown = (page: Page) => result(page).getByRole('status', { name: 'Picture URL' })
const picture = (page: Page) => result(page).getByRole('img')
const said = (page: Page) => result(page).getByRole('status').last()
const pictures = /images-na\.ssl-images-amazon\.com/

test('an ASIN gives a large picture, and the sizes its smaller ones', async ({ page, outside }) => {
  await page.goto('/image-tools')
  await expect(page.getByRole('heading', { name: 'Image Tools beta' })).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Large 317×475' })).toBeChecked()
  await field(page).fill(asin.toLowerCase())
  await field(page).press('Enter')
  await expect(shown(page)).toHaveText(url())
  await expect(picture(page)).toHaveAccessibleName(`Product ${asin}, large`)
  await expect(picture(page)).toHaveCSS('opacity', '1')
  for (const [label, code] of [
    ['Small 40×60', 'THUMBZZZ'],
    ['Standard 93×140', 'MZZZZZZZ'],
  ] as const) {
    await page.getByRole('radio', { name: label }).check({ force: true })
    await expect(shown(page)).toHaveText(url(asin, code))
  }
  await expect(page).toHaveURL(`/image-tools?asin=${asin}&size=standard`)
  await page.reload()
  await expect(shown(page)).toHaveText(url(asin, 'MZZZZZZZ'))
  expect(outside.answered).toContain(url(asin, 'THUMBZZZ'))
})

test('an address or an ISBN works too, anything else is refused in plain words', async ({ page }) => {
  await page.goto('/image-tools')
  await generate(page).click()
  await expect(page.getByText('Please enter an ASIN')).toBeVisible()
  for (const [text, problem] of [
    ['hello', 'This is no ASIN.'],
    ['https://amzn.to/3abc', "Short links can't be resolved offline"],
    ['0547577096', "its check digit doesn't fit"],
    ['javascript:alert(1)', 'This is no ASIN.'],
    ['<script>alert(1)</script>', 'This is no ASIN.'],
  ] as const) {
    await field(page).fill(text)
    await generate(page).click()
    await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByText(problem)).toBeVisible()
    await expect(field(page)).toHaveValue(text)
    await expect(shown(page)).toHaveText('')
  }
  for (const [text, item] of [
    [`https://www.amazon.com/Some-Thing/dp/${asin}?tag=other-20`, asin],
    ['0-547-57709-5', '0547577095'],
  ] as const) {
    await field(page).fill(text)
    await generate(page).click()
    await expect(shown(page)).toHaveText(url(item))
    await expect(field(page)).toHaveValue(item)
  }
  // A refused text leaves no old link to be taken for its own.
  await field(page).fill('hello')
  await generate(page).click()
  await expect(shown(page)).toHaveText('')
  await page.goBack()
  await expect(shown(page)).toHaveText(url('0547577095'))
  // Neither does its refusal stand beside the link that is shown again.
  await expect(field(page)).toHaveValue('0547577095')
  await expect(page.getByText('This is no ASIN.')).toHaveCount(0)
})

test.describe('the picture', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_|status of 404/] })

  test('loads, is there, or could not be loaded', async ({ page }) => {
    const waiting: Route[] = []
    await page.route(pictures, (route) => void waiting.push(route))
    await page.goto(`/image-tools?asin=${asin}`)
    await expect(result(page)).toContainText('Loading the picture…')
    await expect.poll(() => waiting.length).toBe(1)
    await waiting[0]?.fulfill({ contentType: 'image/gif', body: onePixel })
    await expect(result(page)).toContainText('Image could not be loaded')
    await expect(picture(page)).toHaveCount(0)
    // The link is right all the same.
    await expect(shown(page)).toHaveText(url())
    await page.unroute(pictures)
    await page.route(pictures, (route) => route.fulfill({ status: 404, body: '' }))
    await field(page).fill('B0CX23V2ZK')
    await generate(page).click()
    await expect(result(page)).toContainText('Image could not be loaded')
    await page.unroute(pictures)
    await page.route(pictures, (route) => route.abort())
    await field(page).fill('B0CX23V2ZL')
    await generate(page).click()
    await expect(result(page)).toContainText('Image could not be loaded')
    await page.unroute(pictures)
    await field(page).fill('B0CX23V2ZM')
    await generate(page).click()
    await expect(picture(page)).toHaveCSS('opacity', '1')
    await expect(result(page)).not.toContainText('Image could not be loaded')
  })
})

test('copied is said for three seconds, also with nothing to copy or to open', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await page.goto('/image-tools')
  await expect(generate(page)).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
  const copy = result(page).getByRole('button', { name: /^Cop/ })
  await expect(copy).toBeDisabled()
  await copy.click({ force: true })
  await expect(said(page)).toHaveText('No URL to copy')
  await result(page).getByRole('button', { name: 'Open' }).click({ force: true })
  await expect(said(page)).toHaveText('No URL to open')
  await field(page).fill(asin)
  await generate(page).click()
  await page.clock.runFor(3_100)
  await expect(said(page)).toHaveText('')
  await copy.click()
  await expect(said(page)).toHaveText('URL copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url())
  await page.clock.runFor(2_800)
  await expect(said(page)).toHaveText('URL copied')
  await page.clock.runFor(300)
  await expect(said(page)).toHaveText('')
  const open = result(page).getByRole('link', { name: 'Open' })
  await expect(open).toHaveAttribute('href', url())
  await expect(open).toHaveAttribute('target', '_blank')
  await expect(open).toHaveAttribute('rel', 'noopener noreferrer')
})

test('a refused clipboard is said so', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  await page.goto(`/image-tools?asin=${asin}`)
  await result(page).getByRole('button', { name: 'Copy' }).click()
  await expect(said(page)).toHaveText('Failed to copy URL')
})

test('a pasted list becomes a table, with a reason for each line that is none, copied in four ways', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/image-tools')
  const input = page.getByRole('textbox', { name: 'ASINs or product addresses' })
  await input.fill(
    `${asin}, 0547577095\n<script>alert(1)</script>\nhttps://www.amazon.com/x/dp/B0CX23V2ZK?a=1,2\n${asin}`,
  )
  const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') })
  await expect(rows).toHaveCount(3)
  await expect(page.getByText('3 products, 9 links')).toBeVisible()
  const reasons = page.getByRole('region', { name: 'Entries left out' }).getByRole('listitem')
  await expect(reasons).toHaveText([
    /^Line 2<script>alert\(1\)<\/script> This is no ASIN\./,
    new RegExp(`^Line 4${asin} ${asin} is already in line 1\\.`),
  ])
  await expect(rows.nth(2).getByRole('link').first()).toHaveAttribute('href', url('B0CX23V2ZK', 'THUMBZZZ'))
  const copied = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await expect(page.getByText(`Copied as ${name}`)).toBeVisible()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const line = (separator: string) =>
    [asin, url(asin, 'THUMBZZZ'), url(asin, 'MZZZZZZZ'), url()].join(separator)
  expect(await copied('Text')).toContain(`\n${line('\t')}\n`)
  expect(await copied('Markdown')).toContain(`\n| ${line(' | ')} |\n`)
  expect(await copied('HTML')).toContain(`<tr><td>${line('</td><td>')}</td></tr>`)
  expect((await copied('CSV')).replaceAll('\r\n', '\n')).toContain(`\n${line(',')}\n`)
  await page.getByRole('button', { name: 'Clear the list' }).click()
  await expect(rows).toHaveCount(0)
})

test('some hundreds at once', async ({ page }) => {
  await page.goto('/image-tools')
  const list = Array.from({ length: 501 }, (_, index) => `B0${String(index).padStart(8, '0')}`)
  await page.getByRole('textbox', { name: 'ASINs or product addresses' }).fill(list.join('\n'))
  await expect(page.getByText('500 products, 1,500 links')).toBeVisible()
  await expect(page.getByText('A list takes 500 items; this one is beyond.')).toBeVisible()
})

test('what is refused or cleared leaves the focus where one goes on', async ({ page }) => {
  await page.goto('/image-tools')
  await page.getByRole('button', { name: 'Generate' }).click()
  const one = page.getByRole('textbox', { name: 'ASIN or product address' })
  await expect(one).toHaveAccessibleDescription('Please enter an ASIN')
  await expect(one).toBeFocused()
  const many = page.getByRole('textbox', { name: 'ASINs or product addresses' })
  await many.fill('B07N4M94HP')
  await page.getByRole('button', { name: 'Clear the list' }).click()
  await expect(many).toBeFocused()
})

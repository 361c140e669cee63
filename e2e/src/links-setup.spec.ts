import type { Page } from '@playwright/test'
import decodeQR from 'qr/decode.js'
import { removeFilter } from '../../server/src/features/filters/actions.ts'
import { setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { asked, choose, field, keyword, link, openTools, panel, someFilters } from './links-page.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const full = '?q=lamp&price=5..19.99&brand=Acme&brand=Cog&off=50%25+off+or+more&sort=Cheapest+first'
const fullAsked = { k: 'lamp', rh: 'p_89:Acme|Cog,p_36:500-1999,p_8:50-', s: 'price-asc-rank' }

test.beforeEach(({ databases }) => setFilters(databases, someFilters))

test.describe('in the address', () => {
  test('a set-up is written as it is made, and survives reload, Back and another person', async ({
    page,
    openContext,
  }) => {
    await openTools(page)
    await keyword(page).pressSequentially('lamp ', { delay: 60 })
    await keyword(page).pressSequentially('red', { delay: 60 })
    await expect(page).toHaveURL('/tools?q=lamp+red')
    await choose(page, 'Brands', 'Acme', 'Bolt & Sons')
    await expect(page).toHaveURL('/tools?q=lamp+red&brand=Acme&brand=Bolt+%26+Sons')
    await choose(page, 'Sort By', 'Cheapest first')
    await expect(page).toHaveURL('/tools?q=lamp+red&brand=Acme&brand=Bolt+%26+Sons&sort=Cheapest+first')
    const made = await asked(page)
    await page.reload()
    await expect.poll(() => asked(page)).toEqual(made)
    await expect(field(page, 'Brands')).toHaveAccessibleName('Brands Acme, Bolt & Sons')
    const other = await (await openContext('user')).newPage()
    await openTools(other, new URL(page.url()).search)
    await expect.poll(() => asked(other)).toEqual(made)
    // All brands were one step, and so was the typing.
    await page.goBack()
    await expect(field(page, 'Sort By')).toHaveAccessibleName('Sort By Any')
    await page.goBack()
    await expect(field(page, 'Brands')).toHaveAccessibleName('Brands Any')
    await expect(keyword(page)).toHaveValue('lamp red')
    await page.goBack()
    await expect(keyword(page)).toHaveValue('')
    await page.goForward()
    await expect(keyword(page)).toHaveValue('lamp red')
    await page.getByRole('link', { name: 'Filters' }).click()
    await page.goBack()
    await expect(keyword(page)).toHaveValue('lamp red')
    // What was typed a moment before leaving is there too.
    await keyword(page).fill('lamp green')
    await page.getByRole('link', { name: 'Filters' }).click()
    const tools = page.getByRole('link', { name: 'Link Generator' })
    await tools.click()
    await expect(keyword(page)).toHaveValue('lamp green')
    await tools.click()
    await expect(keyword(page)).toHaveValue('lamp green')
    const tab = await page.context().newPage()
    await tab.goto('/tools')
    await expect(keyword(tab)).toHaveValue('lamp green')
    await tab.getByRole('button', { name: 'Reset', exact: true }).click()
    await tab.getByRole('link', { name: 'Filters' }).click()
    await tab.getByRole('link', { name: 'Link Generator' }).click()
    await expect(tab).toHaveURL('/tools')
    await expect(keyword(tab)).toHaveValue('')
  })

  test('it is copied to be shared, and cleared', async ({ page, context, server }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openTools(page, full)
    await expect.poll(() => asked(page)).toEqual(fullAsked)
    await page.getByRole('button', { name: 'Share' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Link copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${server.origin}/tools${full}`)
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await expect(page).toHaveURL('/tools')
    await expect.poll(() => asked(page)).toBeNull()
    await page.goBack()
    await expect.poll(() => asked(page)).toEqual(fullAsked)
  })

  test('a filter that is gone is told, and the rest still holds', async ({ page, databases }) => {
    const { rows } = await databases.durablePool.query("select id from amazon_filters where name = 'Cog'")
    await openTools(page, full)
    await removeFilter(databases, rows[0].id)
    await expect(page.getByText('These filters don’t exist any more')).toBeVisible()
    await expect(page.getByText('Cog (Brands)')).toBeVisible()
    await expect.poll(async () => (await asked(page))?.rh).toBe('p_89:Acme,p_36:500-1999,p_8:50-')
    await page.getByRole('button', { name: 'Remove them' }).click()
    await expect(page.getByText('Cog (Brands)')).toHaveCount(0)
    await expect(page).toHaveURL(
      '/tools?q=lamp&price=5..19.99&brand=Acme&off=50%25+off+or+more&sort=Cheapest+first',
    )
  })

  test('nonsense is ignored, and what cannot be in the link is told', async ({ page }) => {
    await openTools(page, '?q[]=1&price=abc&brand[x]=1&x=1&sort=&with=Odd:nothing')
    await expect.poll(() => asked(page)).toBeNull()
    await expect(page.getByText('Odd: Its code is none.')).toBeVisible()
  })
})

test.describe('a pasted link', () => {
  const address =
    'https://www.amazon.com/s?k=desk+lamp&i=garden&rh=n%3A2972638011%2Cp_89%3AAcme%7CCog%2Cp_72%3A2661618011&low-price=5&high-price=19.99&s=date-desc-rank&ref=nb_sb_noss&rh=bad%3Abad'

  test('fills the controls and lists what is unknown', async ({ page }) => {
    await openTools(page, '?q=before')
    await page.getByRole('button', { name: 'Paste link' }).click()
    await dialog(page).getByRole('button', { name: 'Fill in' }).click()
    await expect(dialog(page)).toContainText('Please paste an address')
    const input = dialog(page).getByRole('textbox', { name: 'Address of a search' })
    for (const wrong of [
      'https://example.com/s?k=x',
      'javascript:alert(1)',
      'https://www.amazon.de/s?k=x',
      'lamp',
    ]) {
      await input.fill(wrong)
      await input.press('Enter')
      await expect(dialog(page)).toContainText('This is no address of a search on amazon.com.')
    }
    await input.fill(`${address}&x=${'y'.repeat(6_000)}`)
    await expect(dialog(page)).toContainText(
      /^Paste a link.*6,\d\d\d characters are too many; at most 6,000 are taken\./,
    )
    await expect(dialog(page).getByRole('button', { name: 'Fill in' })).toBeDisabled()
    await input.fill(address)
    await dialog(page).getByRole('button', { name: 'Fill in' }).click()
    await expect(dialog(page)).toHaveCount(0)
    await expect(keyword(page)).toHaveValue('desk lamp')
    await expect(page.getByRole('spinbutton', { name: 'Min price' })).toHaveValue('5')
    await expect(page.getByRole('spinbutton', { name: 'Max price' })).toHaveValue('19.99')
    await expect(field(page, 'Brands')).toHaveAccessibleName('Brands Acme, Cog')
    await expect(field(page, 'Departments')).toHaveAccessibleName('Departments Garden')
    await expect(field(page, 'Sort By')).toHaveAccessibleName('Sort By Newest first')
    await expect(page.getByRole('checkbox', { name: '4 stars and up' })).toBeChecked()
    await expect(page.getByText('Not understood in the pasted link')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: 'bad:bad' })).toBeVisible()
    const before = await asked(page)
    await page.reload()
    await expect.poll(() => asked(page)).toEqual(before)
    await page.goBack()
    await expect(keyword(page)).toHaveValue('before')
  })

  test('is read in the keyword field as well, other text stays text', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openTools(page)
    const paste = async (text: string) => {
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
      await keyword(page).focus()
      await page.keyboard.press('ControlOrMeta+v')
    }
    await paste('https://example.com/x')
    await expect(keyword(page)).toHaveValue('https://example.com/x')
    await paste('https://www.amazon.com/s?k=desk+lamp&rh=p_89%3ACog')
    await expect(keyword(page)).toHaveValue('desk lamp')
    await expect.poll(() => asked(page)).toEqual({ k: 'desk lamp', rh: 'p_89:Cog' })
  })
})

test('presets are saved, loaded, renamed, replaced and deleted', async ({ page }) => {
  await openTools(page)
  const open = (name: RegExp) => page.getByRole('button', { name }).click()
  await open(/^Presets$/)
  await expect(dialog(page).getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await openTools(page, full)
  await open(/^Presets$/)
  const name = dialog(page).getByRole('textbox', { name: 'Save the present set-up as' })
  await name.press('Enter')
  await expect(dialog(page).getByRole('alert')).toHaveText('Please enter a name')
  await name.fill('<b>Night</b> lamps')
  await name.press('Enter')
  const load = (text: string) => dialog(page).getByRole('button', { name: text, exact: true })
  await expect(load('<b>Night</b> lamps')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.reload()
  await open(/^Presets \(1\)$/)
  await load('<b>Night</b> lamps').click()
  await expect(dialog(page)).toHaveCount(0)
  await expect.poll(() => asked(page)).toEqual(fullAsked)
  await keyword(page).fill('torch')
  await open(/^Presets/)
  await name.fill('<B>night</b> lamps ')
  await dialog(page).getByRole('button', { name: 'Replace' }).click()
  await name.fill('Other')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await dialog(page).getByRole('button', { name: 'Rename Other' }).click()
  const renamed = dialog(page).getByRole('textbox', { name: 'New name of Other' })
  await expect(renamed).toBeFocused()
  await renamed.fill('<B>night</b> lamps')
  await renamed.press('Enter')
  await expect(dialog(page).getByRole('alert')).toContainText('There is already a preset named')
  await renamed.fill('Torches')
  await renamed.press('Enter')
  await dialog(page).getByRole('button', { name: 'Delete Torches' }).click()
  await expect(load('Torches')).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Undo' }).click()
  await load('Torches').click()
  await expect.poll(async () => (await asked(page))?.k).toBe('torch')
})

test('custom filters need a name and a code, are brought into form, kept and removed', async ({ page }) => {
  await openTools(page)
  const section = page.getByRole('region', { name: 'Custom filters' })
  await section.getByRole('button', { name: 'Add' }).click()
  const name = dialog(page).getByRole('textbox', { name: 'Name' })
  const code = dialog(page).getByRole('textbox', { name: 'Code' })
  const add = dialog(page).getByRole('button', { name: 'Add filter' })
  await add.click()
  await expect(dialog(page).getByRole('alert')).toHaveText('Please enter both name and code')
  await name.fill('Four stars')
  await code.fill('   ')
  await add.click()
  await expect(dialog(page).getByRole('alert')).toHaveText('Please enter both name and code')
  await code.fill('stars')
  await add.click()
  await expect(dialog(page)).toContainText("'stars' doesn't say what it filters.")
  await expect(code).toBeFocused()
  await code.fill('&rh=p_72%253A2661618011,')
  await expect(dialog(page)).toContainText('Becomes p_72:2661618011')
  await code.press('Enter')
  await expect(dialog(page)).toHaveCount(0)
  const check = section.getByRole('checkbox', { name: 'Four stars' })
  await expect(check).toBeChecked()
  await expect.poll(() => asked(page)).toEqual({ rh: 'p_72:2661618011' })
  await check.uncheck()
  await expect.poll(() => asked(page)).toBeNull()
  await page.goto('/tools')
  await expect(check).not.toBeChecked()
  await section.getByRole('button', { name: 'Add' }).click()
  await name.fill(' four STARS')
  await code.fill('p_8:50-')
  await add.click()
  await expect(dialog(page)).toContainText('There is already a custom filter named')
  await expect(name).toBeFocused()
  await page.keyboard.press('Escape')
  await section.getByRole('button', { name: 'Remove Four stars' }).click()
  await page.reload()
  await expect(section.getByRole('checkbox')).toHaveCount(0)
  // Somebody else's comes with an address and stays when it is kept.
  await openTools(page, '?with=Theirs:p_72:1')
  await section.getByRole('button', { name: 'Keep Theirs in your account' }).click()
  await page.goto('/tools')
  await expect(section.getByRole('checkbox', { name: 'Theirs' })).toBeVisible()
  // What is left out of a link can be put back, until something else is opened.
  await openTools(page, '?q=lamp&with=Other:p_72:2')
  const other = section.getByRole('checkbox', { name: 'Other' })
  await other.uncheck()
  await expect.poll(() => asked(page)).toEqual({ k: 'lamp' })
  await expect(other).not.toBeChecked()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await expect(other).toHaveCount(0)
})

test('the QR code says the link', async ({ page }) => {
  await openTools(page, full)
  await panel(page).getByRole('button', { name: 'QR code of the link' }).click()
  const code = dialog(page).getByRole('img', { name: 'QR code of the link' })
  await expect(code).toBeVisible()
  await expect(dialog(page)).toContainText('lamp, $5–$19.99, Acme or Cog, 50 % off or more, cheapest first')
  const drawn = await code.evaluate((svg) => ({
    size: Number(svg.getAttribute('viewBox')?.split(' ')[2]),
    path: svg.querySelector('path')?.getAttribute('d') ?? '',
  }))
  expect(decodeQR(pixelsOf(drawn))).toBe(await link(page).inputValue())
  await page.keyboard.press('Escape')
  await expect(panel(page).getByRole('button', { name: 'QR code of the link' })).toBeFocused()
})

/** What a camera would see of a path of dark squares. */
function pixelsOf({ size, path }: { size: number; path: string }) {
  const scale = 4
  const [width, height] = [size * scale, size * scale]
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h/g)) {
    for (let pixel = 0; pixel < scale * scale; pixel += 1) {
      const column = Number(x) * scale + (pixel % scale)
      const row = Number(y) * scale + Math.floor(pixel / scale)
      data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
    }
  }
  return { width, height, data }
}

test.describe('without the server', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_/] })

  test('the built-in filters stand in, labelled, and links are made all the same', async ({ page }) => {
    await withoutPreloadedResponses(page)
    await page.route('**/api/amazon_filters*', (route) => route.abort())
    await openTools(page, '?q=lamp&brand=Apple')
    await expect(page.getByText("Showing default filters, the server can't be reached")).toBeVisible()
    await expect.poll(() => asked(page)).toEqual({ k: 'lamp', rh: 'p_89:Apple' })
  })
})

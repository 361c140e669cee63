import { brandRows, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { field, link, openTools, option, panel, someFilters } from './links-page.ts'
import { type Check, cutLabels, expectNoSidewaysScroll, inEveryLook, takePicture } from './looks.ts'

const long =
  'A filter with an extraordinarily long name that somebody once typed in, with (parentheses) and more'
const setup = `?q=desk+lamp&price=40..30&in=Garden&in=Kitchen&brand=Acme&brand=Gone&with=${long}:p_72:1&with=Odd:x`

test('the link generator is accessible and fits, empty, full and with its list', async ({
  page,
  databases,
}) => {
  await setFilters(databases, [...someFilters, ...brandRows(20)])
  const steps = async (check: Check) => {
    await openTools(page)
    await check('links empty', field(page, 'Brands'))
    await openTools(page, setup)
    await expect(link(page)).toHaveValue(/desk/)
    const alert = panel(page).getByRole('alert')
    await expect(alert).toBeVisible()
    await check('links full', alert)
    await field(page, 'Brands').click()
    await option(page, 'Brand 1').hover()
    await check('links list', option(page, 'Brand 1'))
  }
  await inEveryLook(page, steps, { isOpenedAtEachSize: true })
})

test('the dialogs of the link generator are accessible and fit', async ({ page, databases }) => {
  await setFilters(databases, [...someFilters, ...brandRows(20)])
  await inEveryLook(page, async (check) => {
    await openTools(page, '?q=desk+lamp&off=50%25+off+or+more')
    for (const name of ['Paste link', 'Presets', 'Add', 'QR code of the link']) {
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name, exact: true }).click()
      await expect(dialog).toBeVisible()
      await check(`links ${name}`, dialog)
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    }
  })
})

test('the image tools are accessible and fit', async ({ page }) => {
  await inEveryLook(page, async (check) => {
    const field = page.getByRole('textbox', { name: 'ASINs or product addresses' })
    await page.goto('/image-tools')
    await page.getByRole('button', { name: 'Generate' }).click()
    await check('images empty', field)
    await page.goto('/image-tools?asin=B07N4M94HP&size=small')
    await field.fill(`B07N4M94HP\n0547577095\n${long}\nB0SHORT1, B0CX23V2ZK`)
    await expect(page.getByRole('row')).toHaveCount(4)
    await check('images full', page.getByRole('row').first())
  })
})

test.describe('for an administrator', () => {
  test.use({ role: 'admin' })

  test('nothing is cut off at any width', async ({ page, databases }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await setFilters(databases, someFilters)
    for (const width of [320, 390, 768, 900, 1024, 1184, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      for (const path of [`/tools${setup}`, '/image-tools?asin=B07N4M94HP']) {
        const place = `tools at ${width}${path.startsWith('/image') ? ' images' : ''}`
        await page.goto(path)
        await expect.soft(page.getByRole('heading', { level: 1 }), place).toBeVisible()
        await expectNoSidewaysScroll(page, place)
        // A bar that keeps to the screen's edge doesn't widen the page.
        const ends = await page
          .locator('section button, section textarea')
          .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().right))
        expect.soft(ends.length, place).toBeGreaterThan(0)
        expect.soft(Math.max(...ends), place).toBeLessThanOrEqual(width)
        const copy = page.getByRole('button', { name: /^Copy$/ }).first()
        if (await copy.isEnabled()) await copy.click()
        expect.soft(await cutLabels(page), place).toEqual([])
        await takePicture(page, place)
      }
    }
  })
})

test('on its side a phone gives the link a quarter of its height, and what is off looks so', async ({
  page,
  databases,
}) => {
  await setFilters(databases, someFilters)
  await page.setViewportSize({ width: 844, height: 390 })
  for (const search of ['', '?q=desk+lamp', setup]) {
    await openTools(page, search)
    const box = await panel(page).boundingBox()
    expect.soft(box?.height ?? 390, `with ${search}`).toBeLessThanOrEqual(390 / 4)
    await expect(page.getByRole('button', { name: 'Copy', exact: true })).toBeInViewport({ ratio: 1 })
    expect.soft(await cutLabels(page), `with ${search}`).toEqual([])
  }
  // All of an open list is on the screen, whether the page is scrolled or not.
  await openTools(page)
  for (const scrolled of [0, 120]) {
    await page.evaluate((to) => window.scrollTo(0, to), scrolled)
    await field(page, 'Brands').click()
    await expect(option(page, 'Acme')).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Done' })).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Escape')
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const reset = page.getByRole('button', { name: 'Reset', exact: true })
    await expect(reset).toHaveCSS('opacity', '0.55')
    await expect(reset).toHaveCSS('cursor', 'not-allowed')
    const [copy, open] = ['Copy', 'Open in Browser'].map((name) =>
      page.getByRole('button', { name, exact: true }),
    )
    for (const button of [copy, open]) await expect(button ?? reset).toHaveCSS('cursor', 'not-allowed')
  }
})

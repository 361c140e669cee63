import { brandRows, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { field, link, openTools, option, panel, someFilters } from './links-page.ts'
import { expectAccessible, looks, takePicture } from './looks.ts'

const long =
  'A filter with an extraordinarily long name that somebody once typed in, with (parentheses) and more'
const setup = `?q=desk+lamp&price=40..30&in=Garden&in=Kitchen&brand=Acme&brand=Gone&with=${long}:p_72:1&with=Odd:x`

for (const look of looks) {
  test.describe(look.name, () => {
    test.use(look.use)

    test('the link generator is accessible and fits, empty, full and with its dialogs', async ({
      page,
      databases,
    }) => {
      await setFilters(databases, [...someFilters, ...brandRows(20)])
      await openTools(page)
      await expectAccessible(page)
      await takePicture(page, `links empty ${look.name}`)
      await openTools(page, setup)
      await expect(link(page)).toHaveValue(/desk/)
      await expect(panel(page).getByRole('alert')).toBeVisible()
      await expectAccessible(page)
      await takePicture(page, `links full ${look.name}`)
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
      await field(page, 'Brands').click()
      await option(page, 'Brand 1').hover()
      await expectAccessible(page)
      await takePicture(page, `links list ${look.name}`)
      await page.keyboard.press('Escape')
      await openTools(page, '?q=desk+lamp&off=50%25+off+or+more')
      for (const name of ['Paste link', 'Presets', 'Add', 'QR code of the link']) {
        await page.getByRole('button', { name, exact: true }).click()
        await expect(page.getByRole('dialog')).toBeVisible()
        await expectAccessible(page)
        await takePicture(page, `links ${name} ${look.name}`)
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }
    })

    test('the image tools are accessible and fit', async ({ page }) => {
      await page.goto('/image-tools')
      await page.getByRole('button', { name: 'Generate' }).click()
      await expectAccessible(page)
      await takePicture(page, `images empty ${look.name}`)
      await page.goto('/image-tools?asin=B07N4M94HP&size=small')
      await page
        .getByRole('textbox', { name: 'ASINs or product addresses' })
        .fill(`B07N4M94HP\n0547577095\n${long}\nB0SHORT1, B0CX23V2ZK`)
      await expect(page.getByRole('row')).toHaveCount(4)
      await expectAccessible(page)
      await takePicture(page, `images full ${look.name}`)
      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
      expect(scrollWidth).toBe(clientWidth)
    })
  })
}

for (const width of [320, 768, 900, 1024, 1184]) {
  test.describe(`${width} pixels wide`, () => {
    test.use({ viewport: { width, height: 800 }, role: 'admin' })

    test('nothing is cut off', async ({ page, databases }) => {
      await setFilters(databases, someFilters)
      for (const path of [`/tools${setup}`, '/image-tools?asin=B07N4M94HP']) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
        expect(scrollWidth).toBe(clientWidth)
        // A bar that keeps to the screen's edge doesn't widen the page.
        for (const control of await page.locator('section button, section textarea').all()) {
          const box = await control.boundingBox()
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
        }
        await takePicture(page, `tools at ${width}${path.startsWith('/image') ? ' images' : ''}`)
      }
    })
  })
}

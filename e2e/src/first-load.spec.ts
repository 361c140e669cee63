import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Response } from '@playwright/test'
import { budget, readFirstLoad } from '../../tools/web-size.ts'
import { dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { watchShifts } from './layout-shifts.ts'
import { looks } from './looks.ts'

const maxLayoutShift = 0.02

async function gzipBytes(responses: Response[], type: string): Promise<number> {
  const bodies = responses.filter((response) => response.request().resourceType() === type && response.ok())
  const sizes = await Promise.all(
    bodies.map(async (response) => gzipSync(await response.body(), { level: 9 }).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('what is drawn before the program has come has the classes of its sheet', () => {
  const dist = new URL('../../web/dist/', import.meta.url)
  const shells = readFileSync(new URL('.vite/prerendered-shells.json', dist), 'utf8')
  const [name = ''] = readdirSync(new URL('assets/', dist)).filter((file) => file.endsWith('.css'))
  const sheet = readFileSync(new URL(`assets/${name}`, dist), 'utf8')
  const classes = [...shells.matchAll(/class=\\"([^"\\]*)/g)].flatMap(([, names = '']) => names.split(' '))
  const own = [...new Set(classes.filter((one) => one.startsWith('_')))]
  expect(own.length).toBeGreaterThan(20)
  expect(own.filter((one) => !new RegExp(`\\.${one}(?![a-zA-Z0-9])`).test(sheet))).toEqual([])
})

for (const look of looks) {
  test.describe(look.name, () => {
    test.use(look.use)

    test('the first load of the feed is small, still and asks nobody else', async ({
      page,
      importDeals,
      outside,
    }) => {
      await importDeals(dealRows(60))
      const responses: Response[] = []
      page.on('response', (response) => responses.push(response))
      const layoutShift = await watchShifts(page)

      await page.goto('/amazon-haul')
      await expect(page.getByRole('article').first()).toBeVisible()
      await expect(page.getByText('Live', { exact: true })).toBeVisible()
      // Every picture on screen has arrived: whatever was going to move has moved.
      await page.waitForFunction(() => [...document.images].every((image) => image.complete))

      const sizes = {
        script: await gzipBytes(responses, 'script'),
        stylesheet: await gzipBytes(responses, 'stylesheet'),
      }
      test.info().annotations.push({ type: 'gzip bytes', description: JSON.stringify(sizes) })
      expect(sizes.script).toBeGreaterThan(10_000)
      expect(sizes.script).toBeLessThanOrEqual(budget.script)
      expect(sizes.stylesheet).toBeLessThanOrEqual(budget.stylesheet)
      // What `npm run verify` counts without a browser is what a browser loads.
      expect(readFirstLoad()).toMatchObject(sizes)
      expect(await layoutShift()).toBeLessThan(maxLayoutShift)
      expect(outside.answered.length).toBeGreaterThan(0)
      for (const address of outside.answered)
        expect(address).toMatch(/^https:\/\/m\.media-amazon\.com\/images\//)
    })
  })
}

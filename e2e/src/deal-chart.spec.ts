import type { Page } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { watchShifts } from './layout-shifts.ts'
import { inEveryLook } from './looks.ts'
import { importHistory, listNotSeen } from './prices.ts'

const asin = 'B00EXAMPLE'
const kettle = dealRow({ asin, title: 'Copper kettle', price: 14, original_price: 49.99 })
const chart = (page: Page) => page.getByRole('application')
const readout = (page: Page) => page.getByRole('figure').getByRole('status')
const rows = (page: Page) => page.getByRole('table').locator('tbody tr')

test('one stop of the keyboard, whose arrows read each change, which are those of the table', async ({
  page,
  importDeals,
}) => {
  await importHistory(importDeals, kettle, [
    { price: 20, from: 200, to: 120 },
    { price: 18, from: 110, to: 100 },
    ...listNotSeen,
  ])
  await page.goto(`/deals/${asin}`)
  await page.getByRole('radio', { name: 'All time' }).check()
  await expect(rows(page)).toHaveCount(5)
  await page.keyboard.press('Tab')
  await expect(chart(page)).toBeFocused()
  await page.keyboard.press('Home')
  const read: string[] = []
  for (let change = 0; change < 5; change += 1) {
    read.push((await readout(page).textContent()) ?? '')
    await page.keyboard.press('ArrowRight')
  }
  expect(new Set(read).size).toBe(5)
  // The last one stays.
  await expect(readout(page)).toHaveText(read[4] ?? '')
  await page.keyboard.press('ArrowLeft')
  await expect(readout(page)).toHaveText(read[3] ?? '')
  await page.keyboard.press('End')
  await expect(readout(page)).toHaveText(read[4] ?? '')
  await expect(readout(page)).toHaveAttribute('role', 'status')

  const told = await rows(page).evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  )
  const table = told.toReversed().map(([seen = '', price, list, held]) => {
    const parts = [price, ...(list === '–' ? [] : [`list price ${list}`]), `held ${held}`]
    return `${seen.split(',').slice(0, 2).join(',')}: ${parts.join(', ')}`
  })
  expect(read).toEqual(table)
  // The next stop is beyond the chart.
  await page.keyboard.press('Tab')
  await expect(chart(page)).not.toBeFocused()
})

test('a shorter range shows what falls into it, and a pointer reads the price where it is', async ({
  page,
  importDeals,
}) => {
  await importHistory(importDeals, kettle, listNotSeen)
  await page.goto(`/deals/${asin}`)
  await page.getByRole('radio', { name: '30 days', exact: true }).check()
  await chart(page).focus()
  await page.keyboard.press('Home')
  await expect(readout(page)).toContainText('$12.50')
  await page.getByRole('radio', { name: '90 days' }).check()
  const box = await chart(page).boundingBox()
  if (box === null) throw new Error('There is no chart')
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40)
  await expect(readout(page)).toContainText('$14.00, list price $49.99, held 50 days')
  await page.mouse.move(box.x + box.width * 0.75, box.y + 40)
  await expect(readout(page)).toContainText('$12.50')
})

test.describe('under a finger', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test('a tap reads the price, and a stroke up or down still scrolls', async ({ page, importDeals }) => {
    await importHistory(importDeals, kettle, listNotSeen)
    await page.goto(`/deals/${asin}`)
    await chart(page).scrollIntoViewIfNeeded()
    const box = await chart(page).boundingBox()
    if (box === null) throw new Error('There is no chart')
    await page.touchscreen.tap(box.x + box.width * 0.75, box.y + 20)
    await expect(readout(page)).toContainText('$12.50')
    await expect(chart(page)).toHaveCSS('touch-action', 'pan-y')
  })
})

test.describe('for an administrator', () => {
  test.use({ role: 'admin' })

  test('a price is marked as wrong after a question, counts no more, and is taken back', async ({
    page,
    importDeals,
  }) => {
    await importHistory(importDeals, kettle, listNotSeen)
    await page.goto(`/deals/${asin}`)
    const row = rows(page).filter({ hasText: '$12.50' })
    const low = page
      .getByRole('definition')
      .filter({ hasText: /^\$\d+\.\d\d held .+, last seen/ })
      .first()
    await expect(low).toContainText('$12.50')
    await row.getByRole('button', { name: /^Mark as wrong: \$12\.50/ }).click()
    const question = page.getByRole('dialog', { name: 'Mark this price as wrong?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(row).not.toContainText('Marked as wrong')
    await row.getByRole('button', { name: /^Mark as wrong/ }).click()
    await question.getByRole('button', { name: 'Mark as wrong' }).click()
    await expect(row).toContainText('Marked as wrong')
    await expect(low).toContainText('$14.00')
    await row.getByRole('button', { name: /^Take back/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await expect(row).not.toContainText('Marked as wrong')
    await expect(low).toContainText('$12.50')
  })
})

test('nobody else is offered to mark a price', async ({ page, importDeals }) => {
  await importDeals([kettle])
  await page.goto(`/deals/${asin}`)
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: /Mark as wrong/ })).toHaveCount(0)
})

const longTitle = `Lamp ${'with many very useful features '.repeat(8)}`.trim()
const rightToLeft = 'מנורת שולחן מתקפלת עם שלוש דרגות בהירות'

test('the page is good to look at and accessible, with titles long and from right to left', async ({
  page,
  importDeals,
}) => {
  await importDeals(dealRows(3, { title: 'Lamp with a shade', price: 12 }))
  for (const [index, title] of [longTitle, rightToLeft].entries()) {
    const row = dealRow({ asin: `B00TITLE0${index}`, title, category: 'Home > Lighting', brand: 'Acme' })
    await importHistory(importDeals, row, [
      { price: 20, from: 200, to: 120 },
      { price: 99_999.99, original: 199_999.99, from: 85, to: 84 },
      ...listNotSeen,
    ])
  }
  await inEveryLook(page, async (check) => {
    for (const [index, name] of ['long title', 'from right to left'].entries()) {
      await page.goto(`/deals/B00TITLE0${index}`)
      await expect(page.getByRole('application')).toBeVisible()
      await check(`deal with ${name}`, page.getByRole('heading', { level: 1 }))
      await chart(page).focus()
      await page.keyboard.press('End')
      await check(`chart of a deal with ${name}`, readout(page))
    }
  })
})

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
])
  test(`nothing on the page moves while it comes, at ${viewport.width} pixels`, async ({
    page,
    importDeals,
  }) => {
    await page.setViewportSize(viewport)
    await importDeals(dealRows(3, { title: 'Steel kettle' }))
    await importHistory(importDeals, kettle, listNotSeen)
    const shifted = await watchShifts(page)
    await page.goto(`/deals/${asin}`)
    await expect(chart(page)).toBeVisible()
    // Their pictures come only once they are near.
    await page.getByRole('heading', { name: 'Similar deals' }).scrollIntoViewIfNeeded()
    await page.waitForFunction(() => [...document.images].every((image) => image.complete))
    expect(await shifted()).toBeLessThan(0.02)
  })

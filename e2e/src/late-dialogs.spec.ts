import type { Page } from '@playwright/test'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { failLate, refusal } from './hold-back.ts'
import { importHistory, listNotSeen } from './prices.ts'

test.use({ expectedConsoleErrors: [/status of 409/] })

const dialog = (page: Page) => page.getByRole('dialog')
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
const watch = () => dealRow({ asin: 'B0WATCH001', title: 'Dive watch', price: 20, original_price: 50 })

test.describe('for an administrator', () => {
  test.use({ role: 'admin' })

  test('a price that can’t be marked says so also once its question is closed', async ({
    page,
    importDeals,
  }) => {
    await importHistory(importDeals, watch(), listNotSeen)
    await page.goto('/deals/B0WATCH001')
    const fail = await failLate(page, '**/prices/wrong')
    await page.getByRole('button', { name: /^Mark as wrong: \$12\.50/ }).click()
    await press(page, 'Mark as wrong')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /^Mark as wrong: \$14\.00/ })
      .first()
      .click()
    fail()
    await expect(page.getByText(`$12.50 was not marked as wrong. ${refusal}`)).toBeAttached()
    await expect(dialog(page)).toContainText('$14.00')
  })
})

import type { Page } from '@playwright/test'
import { alert, destination, fakeAlerts } from './alerts-page.ts'
import { dealRow } from './deals.ts'
import { openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { failLate, holdBack, refusal } from './hold-back.ts'
import { importHistory, listNotSeen } from './prices.ts'

test.use({ expectedConsoleErrors: [/status of 409/] })

const dialog = (page: Page) => page.getByRole('dialog')
const press = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click()
const watch = () => dealRow({ asin: 'B0WATCH001', title: 'Dive watch', price: 20, original_price: 50 })

/** Names what is asked, in the dialog that is then on its way. */
async function beginSaving(page: Page, name: string, q = 'watch'): Promise<void> {
  await openFeed(page, `?q=${q}`)
  await page.getByRole('button', { name: 'Save search' }).click()
  await dialog(page).getByLabel('Name').fill(name)
  await press(page, 'Save')
}

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

test('a search that is saved late takes nobody back to the deals', async ({ page, importDeals }) => {
  await importDeals([watch()])
  const release = await holdBack(page, /\/api\/searches$/)
  await beginSaving(page, 'Watches')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Home' }).first().click()
  await expect(page).toHaveURL(/\/$/)
  const saved = page.waitForResponse((response) => response.request().method() === 'POST')
  release()
  await (await saved).finished()
  await page.getByRole('link', { name: 'Watches' }).first().waitFor()
  await expect(page).toHaveURL(/\/$/)
})

test('a search that is not saved says so also once its dialog is closed', async ({ page, importDeals }) => {
  await importDeals([watch()])
  const fail = await failLate(page, '**/api/searches')
  await beginSaving(page, 'Watches')
  await page.keyboard.press('Escape')
  fail()
  await expect(page.getByText(`“Watches” was not saved. ${refusal}`)).toBeVisible()
})

test('a search that is edited late closes no other dialog, and says that it failed', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  for (const [q, name] of [
    ['watch', 'Watches'],
    ['dive', 'Divers'],
  ] as const) {
    await beginSaving(page, name, q)
    await expect(dialog(page)).toHaveCount(0)
  }
  await page.goto('/searches')
  const edit = async (name: string, other: string) => {
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    await dialog(page).getByLabel('Name').fill(other)
  }
  const release = await holdBack(page, /\/api\/searches\/\d+$/)
  await edit('Watches', 'Dive watches')
  await press(page, 'Save')
  await page.keyboard.press('Escape')
  await edit('Divers', 'Old divers')
  release()
  await expect(page.getByText('Saved “Dive watches”.')).toBeAttached()
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Old divers')
  const fail = await failLate(page, /\/api\/searches\/\d+$/)
  await press(page, 'Save')
  await page.keyboard.press('Escape')
  fail()
  await expect(page.getByText(`“Divers” was not saved. ${refusal}`)).toBeVisible()
})

test('an order of searches that is not kept is said where it can be seen', async ({ page, importDeals }) => {
  await importDeals([watch()])
  await beginSaving(page, 'Watches')
  await expect(dialog(page)).toHaveCount(0)
  await beginSaving(page, 'Divers', 'dive')
  await expect(dialog(page)).toHaveCount(0)
  const fail = await failLate(page, '**/api/searches/row')
  fail()
  await page.getByRole('link', { name: 'Watches' }).focus()
  await page.keyboard.press('Alt+ArrowRight')
  await expect(page.getByText(`The order was not saved. ${refusal}`)).toBeVisible()
})

test('options of an alert that are not saved say so also once their dialog is closed', async ({ page }) => {
  await fakeAlerts(page, { destinations: [destination()], alerts: [alert()] })
  await page.goto('/alerts')
  const fail = await failLate(page, '**/api/alerts/*')
  await page.getByRole('button', { name: 'Options: Watches' }).click()
  await press(page, 'Save')
  await page.keyboard.press('Escape')
  fail()
  await expect(page.getByText(`The options of “Watches” were not saved. ${refusal}`)).toBeVisible()
})

test.describe('a price to wait for', () => {
  const places = [destination(), destination({ id: 2, name: 'Phone' })]

  test('that is moved leaves none behind where its dialog is closed meanwhile', async ({
    page,
    importDeals,
  }) => {
    await importDeals([watch()])
    const fakes = await fakeAlerts(page, { destinations: places })
    await page.goto('/deals/B0WATCH001')
    await page.getByRole('button', { name: 'Tell me at a price' }).click()
    await page.getByRole('button', { name: 'Tell me at $18.00' }).click()
    await dialog(page).getByLabel('Where').selectOption('Phone')
    const release = await holdBack(page, /\/api\/alerts$/)
    await press(page, 'Tell me')
    await page.keyboard.press('Escape')
    release()
    await expect.poll(() => fakes.alerts.map((one) => one.destination_id)).toEqual([2])
  })

  test('says that it was not changed, or not brought back', async ({ page, importDeals }) => {
    await importDeals([watch()])
    await fakeAlerts(page, { destinations: places.slice(0, 1) })
    await page.goto('/deals/B0WATCH001')
    await page.getByRole('button', { name: 'Tell me at a price' }).click()
    await page.getByRole('button', { name: 'Tell me at $18.00' }).click()
    const fail = await failLate(page, '**/api/alerts/*')
    await press(page, 'Tell me')
    await page.keyboard.press('Escape')
    fail()
    await expect(page.getByText(`Nothing changed. ${refusal}`)).toBeVisible()
    await page.unroute('**/api/alerts/*')
    await page.getByRole('button', { name: 'Tell me at $18.00' }).click()
    await press(page, 'Remove')
    await expect(page.getByText('The price you waited for is removed.')).toBeVisible()
    const failAgain = await failLate(page, '**/api/alerts')
    failAgain()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByText(`Not brought back. ${refusal}`)).toBeVisible()
  })
})

test('a destination that is removed late goes, and says where it could not be', async ({ page }) => {
  await fakeAlerts(page, { destinations: [destination(), destination({ id: 2, name: 'Phone' })] })
  await page.goto('/alerts?tab=destinations')
  const card = (name: string) => page.getByRole('button', { name: `Remove: ${name}` })
  const release = await holdBack(page, '**/api/destinations/1')
  await card('Telegram').click()
  await press(page, 'Remove')
  await page.keyboard.press('Escape')
  await card('Phone').click()
  release()
  await expect(page.getByText('Telegram is removed')).toBeAttached()
  await expect(dialog(page)).toContainText('Remove Phone?')
  const fail = await failLate(page, '**/api/destinations/2')
  await press(page, 'Remove')
  await page.keyboard.press('Escape')
  await expect(card('Telegram')).toHaveCount(0)
  fail()
  await expect(page.getByText(`Phone was not removed. ${refusal}`)).toBeVisible()
})

test('a destination that is added late takes nobody back to it', async ({ page }) => {
  const fakes = await fakeAlerts(page)
  await page.goto('/alerts?tab=destinations&at=new-ntfy')
  await page.getByLabel('Address').fill('https://ntfy.example/deals')
  const release = await holdBack(page, /\/api\/destinations$/)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('link', { name: 'Home' }).first().click()
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toHaveCount(0)
  const added = page.waitForResponse((response) => response.request().method() === 'POST')
  release()
  await (await added).finished()
  await expect.poll(() => fakes.destinations.length).toBe(1)
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await expect(page).toHaveURL(/\/$/)
})

test('signing out stays in sight until it is answered', async ({ page }) => {
  await page.goto('/')
  const fail = await failLate(page, '**/api/session')
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await press(page, 'Sign Out')
  await page.keyboard.press('Escape')
  fail()
  await expect(dialog(page).getByText(`You are still signed in. ${refusal}`)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
})

test('a pause that fails is said where it was asked for', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 600 })
  await fakeAlerts(page, { destinations: [destination()] })
  await page.goto('/alerts?tab=quiet')
  const fail = await failLate(page, '**/api/alerts/peace')
  fail()
  await page.getByRole('button', { name: 'Pause for a day' }).click()
  await expect(page.getByText(`Nothing changed. ${refusal}`)).toBeInViewport()
})

test('what failed can be read to its end on a narrow phone', async ({ page, importDeals }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await importDeals([watch()])
  const fail = await failLate(page, '**/api/searches')
  const name = 'Watches for diving with a steel band and a date'
  await beginSaving(page, name)
  await page.keyboard.press('Escape')
  fail()
  const said = page.getByText(`“${name}” was not saved. ${refusal}`)
  await expect(said).toBeVisible()
  expect(await said.evaluate((text) => text.scrollHeight - text.clientHeight)).toBeLessThan(2)
})

test('what matches now is sent from a bell whose line has moved to those that tell', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  await beginSaving(page, 'Watches')
  await expect(dialog(page)).toHaveCount(0)
  await fakeAlerts(page, { destinations: [destination()] })
  await page.goto('/alerts')
  await page.getByRole('button', { name: 'Tell me of new deals in Watches' }).click()
  await expect(page.getByRole('button', { name: 'Options: Watches' })).toBeVisible()
  await page.getByRole('button', { name: 'Send those now' }).click()
  await expect(page.getByText('What matches now is sent as one list.')).toBeVisible()
})

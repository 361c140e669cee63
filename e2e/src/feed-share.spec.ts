import type { Page } from '@playwright/test'
import { dealRow } from './deals.ts'
import { card, openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

const title = 'Enamel camping mug with a lid, a spoon and a small brush for cleaning'
const text = `Check out this amazing deal: ${title} - Only $4.50!`

async function openDialog(page: Page) {
  await openFeed(page)
  await card(page, 'Enamel camping mug')
    .getByRole('button', { name: /^Share / })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Share this deal' })
  await expect(dialog).toBeVisible()
  return dialog
}

test.beforeEach(({ importDeals }) => importDeals([dealRow({ title, price: 4.5, asin: 'B0SHARE001' })]))

test('six services open in a small window that knows nothing of the feed', async ({ page }) => {
  await page.addInitScript(() => {
    const open = window.open.bind(window)
    Object.assign(window, { features: [] })
    window.open = (address, name, features) => {
      Reflect.get(window, 'features').push(features)
      return open(address, name, features)
    }
  })
  const dialog = await openDialog(page)
  await expect(
    dialog.getByText(
      'Check out this amazing deal: Enamel camping mug with a lid, a spoon and a small… - Only $4.50!',
    ),
  ).toBeVisible()
  await expect(dialog.getByText('the whole title is shared')).toBeVisible()
  const product = 'https://www.amazon.com/dp/B0SHARE001'
  const expected: Record<string, Record<string, string>> = {
    Twitter: { text, url: product },
    Facebook: { u: product, quote: text },
    LinkedIn: { url: product },
    Reddit: { url: product, title: text },
    WhatsApp: { text: `${text} ${product}` },
    Telegram: { url: product, text },
  }
  for (const [service, parameters] of Object.entries(expected)) {
    const opened = page.context().waitForEvent('page')
    await dialog.getByRole('link', { name: service }).click()
    const popup = await opened
    await popup.waitForLoadState()
    expect(Object.fromEntries(new URL(popup.url()).searchParams)).toEqual(parameters)
    expect(await popup.evaluate(() => window.opener)).toBeNull()
    await popup.close()
  }
  const features: string[] = await page.evaluate(() => Reflect.get(window, 'features'))
  expect(features).toHaveLength(6)
  for (const feature of features) expect(feature).toMatch(/^popup,noopener,noreferrer,width=600,height=400/)
})

test('the link is copied, said for three seconds', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  const dialog = await openDialog(page)
  await page.clock.pauseAt(Date.now() + 60_000)
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Link copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'https://www.amazon.com/dp/B0SHARE001',
  )
  await page.clock.runFor(2_000)
  await expect(dialog.getByRole('status')).toHaveText('Link copied')
  await page.clock.runFor(1_100)
  await expect(dialog.getByRole('status')).toHaveText('')
})

test('a refused clipboard is said so', async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))
  })
  const dialog = await openDialog(page)
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Failed to copy link')
})

test('the focus stays in the dialog and goes back where it came from', async ({ page }) => {
  const dialog = await openDialog(page)
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab')
    const isOutside = await page.evaluate(() => {
      const { activeElement } = document
      return activeElement !== document.body && activeElement?.closest('dialog') === null
    })
    expect(isOutside).toBe(false)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Share / })).toBeFocused()
})

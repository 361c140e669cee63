import type { Locator } from '@playwright/test'
import { dealRow } from './deals.ts'
import { card, openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook } from './looks.ts'

const asin = 'B00HIDDEN0'
const gong = dealRow({ asin, title: 'Walnut gong', price: 14 })

test.describe('an administrator', () => {
  test.use({ role: 'admin' })

  test('hides a deal from all members on its page, and shows it again', async ({
    page,
    importDeals,
    openContext,
  }) => {
    await importDeals([gong, dealRow({ title: 'Brass lamp', price: 9 })])
    const member = await (await openContext('user')).newPage()
    await openFeed(member)
    await expect(card(member, 'Walnut gong')).toBeVisible()
    await page.goto(`/deals/${asin}`)
    await page.getByRole('button', { name: 'Hide from members' }).click()
    await expect(page.getByText(/^Hidden from members since /)).toBeVisible()
    // Their open feed is told.
    await expect(card(member, 'Walnut gong').getByText('No longer available')).toBeVisible()
    await openFeed(member)
    await expect(card(member, 'Brass lamp')).toBeVisible()
    await expect(card(member, 'Walnut gong')).toHaveCount(0)
    await importDeals([{ ...gong, price: 11 }])
    await inEveryLook(page, async (check) => {
      await page.goto(`/deals/${asin}`)
      await check('a hidden deal', page.getByText(/^Hidden from members since /))
    })
    await page.goto('/amazon-haul')
    await expect(page.getByText('1 of 1')).toBeVisible()
    await page.goto('/amazon-haul?q=is:hidden')
    await expect(card(page, 'Walnut gong')).toBeVisible()
    // The figures count what members see, so that they say nothing of how many of these there are.
    await expect(page.getByRole('button', { name: 'hidden' })).toBeVisible()
    await expect(page.getByRole('definition').first()).toHaveText('1')
    await expect(page.getByText('1 of')).toHaveCount(0)
    await page.goto(`/deals/${asin}`)
    await page.getByRole('button', { name: 'Show to members again' }).click()
    await expect(page.getByRole('button', { name: 'Hide from members' })).toBeVisible()
    await openFeed(member)
    await expect(card(member, 'Walnut gong')).toContainText('$11.00')
  })
})

test.describe('an administrator with a phone', () => {
  test.use({ role: 'admin', viewport: { width: 390, height: 844 } })

  test('finds the hiding of a deal below what is said of it', async ({ page, importDeals }) => {
    await importDeals([gong])
    await page.goto(`/deals/${asin}`)
    const top = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN
    const hide = await top(page.getByRole('button', { name: 'Hide from members' }))
    for (const part of [page.getByRole('heading', { level: 1 }), page.getByText('First seen')])
      expect(await top(part)).toBeLessThan(hide)
  })
})

test('a member has no such button, and of a hidden deal no page', async ({
  page,
  importDeals,
  databases,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/404/)
  await importDeals([gong])
  await page.goto(`/deals/${asin}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Walnut gong' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: /members/ })).toHaveCount(0)
  await databases.durablePool.query('update deals set hidden_at = now() where asin = $1', [asin])
  await page.reload()
  await expect(page.getByText(`No deal ${asin} is known here`)).toBeVisible()
  await expect(page.getByText('Walnut gong')).toHaveCount(0)
})

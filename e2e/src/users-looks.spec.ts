import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectAccessible, looks, takePicture } from './looks.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

const long = 'a-very-long-name-that-somebody-has-really-chosen-for-an-account'

test.beforeEach(async ({ databases }) => {
  await removeOtherUsers(databases)
  await insertUsers(databases, ['nora', 'olaf', long])
  await insertUsers(databases, ['pending-pia'], { status: 'pending', role: 'admin' })
  await insertUsers(databases, ['rejected-rob'], { status: 'rejected', is_active: false })
})

async function check(page: Page, name: string): Promise<void> {
  const fits = () =>
    page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)
  expect(await fits()).toBe(true)
  await expectAccessible(page)
  await takePicture(page, `users ${name}`)
}

for (const look of looks) {
  test.describe(look.name, () => {
    test.use({ ...look.use, role: 'admin', expectedConsoleErrors: [/status of (409|503)/] })

    test('list, cards and what a refusal says are accessible', async ({ page }) => {
      const users = usersPage(page)
      await users.open()
      await check(page, `list, ${look.name}`)
      await users.expand('pending-pia')
      await users.expand('ada')
      await users.active('ada').click()
      await users.dialog.getByRole('button', { name: 'Deactivate' }).click()
      await expect(page.getByText('Failed to deactivate user')).toBeVisible()
      await users.card('pending-pia').scrollIntoViewIfNeeded()
      await check(page, `cards, ${look.name}`)
      await users.search.fill('nobody at all')
      await expect(page.getByText('No user matches')).toBeVisible()
      await check(page, `nobody, ${look.name}`)
    })

    test('dialogs are accessible', async ({ page }) => {
      const users = usersPage(page)
      await users.open()
      await users.add.click()
      await users.dialog.getByRole('button', { name: 'Add user' }).click()
      await check(page, `add, ${look.name}`)
      await page.keyboard.press('Escape')
      await users.expand('rejected-rob')
      await users.button('Edit', 'rejected-rob').click()
      await check(page, `edit, ${look.name}`)
      await page.keyboard.press('Escape')
      await users.button('Delete', 'rejected-rob').click()
      await check(page, `delete, ${look.name}`)
      await page.keyboard.press('Escape')
      await users.expand('ada')
      await users.active('ada').click()
      await check(page, `own account, ${look.name}`)
    })

    test('a list that failed is accessible', async ({ page }) => {
      await page.route(/\/api\/users\?/, (route) =>
        route.fulfill({ status: 503, json: { code: 'DATABASE_UNAVAILABLE', message: 'No database.' } }),
      )
      await page.goto('/admin-dashboard?tab=users')
      await expect(page.getByText('Failed to load users')).toBeVisible({ timeout: 20_000 })
      await expectAccessible(page)
      await takePicture(page, `users failed, ${look.name}`)
    })
  })
}

import { expect, test } from './fixtures.ts'
import { type Check, cutLabels, inEveryLook } from './looks.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

const long = 'a-very-long-name-that-somebody-has-really-chosen-for-an-account'

test.beforeEach(async ({ databases }) => {
  await removeOtherUsers(databases)
  await insertUsers(databases, ['nora', 'olaf', long])
  await insertUsers(databases, ['pending-pia'], { status: 'pending', role: 'admin' })
  await insertUsers(databases, ['rejected-rob'], { status: 'rejected', is_active: false })
})

test.use({ role: 'admin', expectedConsoleErrors: [/status of (409|503)/] })

test('list, cards and what a refusal says are accessible', async ({ page }) => {
  const users = usersPage(page)
  const steps = async (check: Check) => {
    await users.open()
    await check('users list', users.card('ada'))
    await users.expand('pending-pia')
    expect.soft(await cutLabels(page)).toEqual([])
    await users.expand('ada')
    await users.active('ada').click()
    await users.dialog.getByRole('button', { name: 'Deactivate' }).click()
    const refusal = page.getByText('Failed to deactivate user')
    // A note stands for as long as the pointer rests on it.
    await refusal.hover()
    await users.card('pending-pia').scrollIntoViewIfNeeded()
    await check('users cards', refusal)
    await users.search.fill('nobody at all')
    const nobody = page.getByText('No user matches')
    await expect(nobody).toBeVisible()
    await check('users nobody', nobody)
  }
  await inEveryLook(page, steps, { isOpenedAtEachSize: true })
})

test('dialogs are accessible', async ({ page }) => {
  const users = usersPage(page)
  await inEveryLook(page, async (check) => {
    await users.open()
    await users.add.click()
    await users.dialog.getByRole('button', { name: 'Add user' }).click()
    await check('users add', users.dialog)
    await page.keyboard.press('Escape')
    await users.expand('rejected-rob')
    await users.button('Edit', 'rejected-rob').click()
    await check('users edit', users.dialog)
    await page.keyboard.press('Escape')
    await users.button('Delete', 'rejected-rob').click()
    await check('users delete', users.dialog)
    await page.keyboard.press('Escape')
    await users.expand('ada')
    await users.active('ada').click()
    await check('users own account', users.dialog)
  })
})

test('a list that failed is accessible', async ({ page }) => {
  await page.route(/\/api\/users\?/, (route) =>
    route.fulfill({ status: 503, json: { code: 'DATABASE_UNAVAILABLE', message: 'No database.' } }),
  )
  const failure = page.getByText('Failed to load users')
  await inEveryLook(page, async (check) => {
    await page.goto('/admin-dashboard?tab=users')
    await expect(failure).toBeVisible()
    await check('users failed', failure)
  })
})

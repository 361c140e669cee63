import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { newName } from './users-page.ts'

test.use({ role: null, expectedConsoleErrors: [/status of (401|422|429|503)|api\/events/] })

const password = 'secret1'
const form = (page: Page) => ({
  current: page.getByLabel('Current password', { exact: true }),
  next: page.getByLabel('New password', { exact: true }),
  confirmation: page.getByLabel('Confirm new password', { exact: true }),
  change: page.getByRole('button', { name: 'Change password' }),
})
const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')

/** Signs in through the form, as a new account on first use, and opens the Security tab. */
async function openSecurity(page: Page, origin: string, username: string): Promise<void> {
  await fetch(`${origin}/api/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ username, password }),
  })
  await page.goto('/profile?tab=security')
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(sessions(page).first()).toBeVisible()
}

test('sessions are listed with device and use, and ended one by one or all at once', async ({
  page,
  server,
  openContext,
}) => {
  const name = newName('sec')
  await openSecurity(page, server.origin, name)
  await expect(sessions(page)).toHaveCount(1)
  await expect(sessions(page)).toContainText(/Chrome on Linux.*This device.*127\.0\.0\.1.*in use now/)
  const [second, third] = [await openContext(null), await openContext(null)]
  const [desk, phone] = [await second.newPage(), await third.newPage()]
  for (const other of [desk, phone]) await openSecurity(other, server.origin, name)
  await page.reload()
  await expect(sessions(page)).toHaveCount(3)
  await expect(sessions(page).first()).toContainText('This device')
  // The last used of the others stands first.
  await sessions(page)
    .nth(1)
    .getByRole('button', { name: /^Sign out .*127\.0\.0\.1$/ })
    .press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'is signed out' })).toBeFocused()
  await expect(sessions(page)).toHaveCount(2)
  await phone.reload()
  await expect(phone.getByRole('button', { name: 'Sign In' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await expect(page.getByText('Signed out of 1 other session')).toBeVisible()
  await expect(sessions(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Sign out everywhere else' })).toHaveCount(0)
  await desk.reload()
  await expect(desk.getByRole('button', { name: 'Sign In' })).toBeVisible()
})

test('a new password needs the old one, by keyboard alone, and signs out everywhere else', async ({
  page,
  server,
  openContext,
}) => {
  const name = newName('pass')
  await openSecurity(page, server.origin, name)
  const other = await (await openContext(null)).newPage()
  await openSecurity(other, server.origin, name)
  const { current, next, confirmation, change } = form(page)
  await change.click()
  await expect(page.getByText('Please enter your current and your new password')).toBeVisible()
  await expect(current).toBeFocused()
  const type = async (...texts: string[]) => {
    for (const field of [current, next, confirmation]) await field.fill('')
    await current.focus()
    for (const [place, text] of texts.entries()) {
      await page.keyboard.type(text)
      // Between two fields stands the button that shows what was typed.
      if (place < 2) for (const _ of [1, 2]) await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
  }
  await type(password, '12345', '12345')
  await expect(page.getByText('Password must be at least 6 characters long')).toBeVisible()
  await expect(next).toBeFocused()
  await type(password, 'secret2', 'secret3')
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await type('wrong one', 'secret2', 'secret2')
  await expect(page.getByText('This is not your current password')).toBeVisible()
  await expect(current).toHaveAccessibleDescription('This is not your current password')
  await type(password, 'secret2', 'secret2')
  await expect(page.getByText('Password changed. You are signed out everywhere else.')).toBeVisible()
  await expect(current).toHaveValue('')
  await expect(sessions(page)).toHaveCount(1)
  await other.reload()
  await other.getByLabel('Username').fill(name)
  await other.getByLabel('Password', { exact: true }).fill('secret2')
  await other.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(sessions(other)).toHaveCount(2)
})

test('of many sessions all can be seen and ended, page by page', async ({ page, server, databases }) => {
  const name = newName('many')
  await openSecurity(page, server.origin, name)
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at, user_agent, last_used_at)
     select sha256(($1 || n)::bytea), id, now() + interval '1 day', 'script-' || n || '/1', now() - n * interval '1 hour'
     from users, generate_series(1, 44) n where username = $1`,
    [name],
  )
  await page.reload()
  const more = page.getByRole('button', { name: 'Show more sessions' })
  await expect(sessions(page)).toHaveCount(20)
  await expect(page.getByText('Showing 20 of 45 sessions')).toBeVisible()
  await more.click()
  await expect(sessions(page)).toHaveCount(40)
  await more.click()
  await expect(sessions(page)).toHaveCount(45)
  await expect(more).toHaveCount(0)
  await expect(sessions(page).last()).toContainText('script-44')
  await sessions(page)
    .last()
    .getByRole('button', { name: /^Sign out script-44/ })
    .click()
  await expect(page.getByText('script-44 is signed out')).toBeAttached()
  await expect(sessions(page)).toHaveCount(44)
})

test('a list that could not be loaded says so and can be asked for again', async ({ page, server }) => {
  await openSecurity(page, server.origin, newName('fail'))
  await page.route('**/api/profile/sessions?*', (route) =>
    route.fulfill({ status: 503, json: { code: 'DATABASE_UNAVAILABLE', message: 'No database.' } }),
  )
  await page.reload()
  await expect(page.getByText('Your sessions could not be loaded')).toBeVisible()
  await page.unroute('**/api/profile/sessions?*')
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(sessions(page)).toHaveCount(1)
})

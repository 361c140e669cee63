import { updateUser } from '../../server/src/features/users/actions.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of 4\d\d|net::ERR_FAILED|status of 503/] })
test.beforeEach(({ databases }) => removeOtherUsers(databases))

test('the form says what is wrong, at the field', async ({ page }) => {
  const users = usersPage(page)
  await users.open()
  await users.add.click()
  const name = users.dialog.getByLabel('Username')
  const password = users.dialog.getByLabel('Password', { exact: true })
  const save = users.dialog.getByRole('button', { name: 'Add user' })
  await save.click()
  await expect(users.dialog.getByText('Username and password are required')).toBeVisible()
  await expect(name).toBeFocused()
  await expect(name).toHaveAccessibleDescription('Username and password are required')
  await name.fill('someone')
  await password.fill('12345')
  await save.click()
  await expect(users.dialog.getByText('Password must be at least 6 characters long')).toBeVisible()
  await expect(password).toBeFocused()
  await name.fill('UNA')
  await password.fill('secret1')
  await save.click()
  await expect(users.dialog.getByText('Failed to add user - username may already exist')).toBeVisible()
  await page.route('**/api/users', (route) => route.abort())
  await name.fill('someone')
  await save.click()
  await expect(users.dialog.getByText('An error occurred')).toBeVisible()
  await page.unroute('**/api/users')
  await save.click()
  await expect(users.card('someone')).toBeVisible()
})

test('a taken name is refused when editing and when activating', async ({ page, databases }) => {
  const users = usersPage(page)
  await insertUsers(databases, ['zoe', 'zack'])
  await insertUsers(databases, ['zack'], { is_active: false })
  await users.open()
  await users.expand('zoe')
  await users.button('Edit', 'zoe').click()
  await users.dialog.getByLabel('Username').fill('zack')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await expect(users.dialog.getByText('Failed to update user - username may already exist')).toBeVisible()
  await users.dialog.getByLabel('Username').fill('z\u0430ck')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await expect(users.dialog.getByLabel('Username')).toHaveAccessibleDescription(
    'Failed to update user - the username looks like zack, which another active user has',
  )
  await users.dialog.getByRole('button', { name: 'Cancel' }).click()

  const release = await holdBack(page, /\/api\/users\/\d+$/)
  await users.button('Edit', 'zoe').click()
  await users.dialog.getByLabel('Username').fill('zack')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await page.keyboard.press('Escape')
  await expect(users.dialog).toHaveCount(0)
  release()
  await expect(
    users.said('zoe was not saved. Failed to update user - username may already exist'),
  ).toBeVisible()

  await users.filter('Active').selectOption('Inactive')
  await expect(users.count).toHaveText('1 user matches')
  await users.expand('zack')
  await users.active('zack').click()
  await expect(
    page.getByText('Failed to activate user - the username is taken by another active user'),
  ).toBeVisible()
  await expect(users.active('zack')).not.toBeChecked()
  // Another name lets them in again.
  await users.button('Edit', 'zack').click()
  await users.dialog.getByLabel('Username').fill('zack2')
  await users.dialog.getByRole('button', { name: 'Save and activate' }).click()
  await expect(users.active('zack2')).toBeChecked()
})

test('the last administrator stays, whatever they press', async ({ page }) => {
  const users = usersPage(page)
  const last = (what: string) => page.getByText(`${what} - this is the last active administrator`)
  await users.open()
  await users.expand('ada')
  await users.active('ada').click()
  await users.dialog.getByRole('button', { name: 'Deactivate' }).click()
  await expect(last('Failed to deactivate user')).toBeVisible()
  await users.button('Reject', 'ada').click()
  await users.dialog.getByRole('button', { name: 'Reject' }).click()
  await expect(last('Failed to reject user')).toBeVisible()
  await users.button('Edit', 'ada').click()
  await users.dialog.getByLabel('Role').selectOption('User')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await expect(last('Failed to update user')).toBeVisible()
  await users.dialog.getByRole('button', { name: 'Cancel' }).click()
  await users.button('Delete', 'ada').click()
  await users.dialog.getByLabel('Type ada to confirm').fill('ada')
  await users.dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(last('Failed to delete user')).toBeVisible()
})

test('somebody else was faster: nothing is overwritten, and their change is shown', async ({
  page,
  databases,
}) => {
  const users = usersPage(page)
  await insertUsers(databases, ['shared'])
  await users.open()
  await users.expand('shared')
  await users.button('Edit', 'shared').click()
  const { rows } = await databases.customPlanPool.query<{ id: number; username: string }>(
    "select id, username from users where username in ('shared', 'ada') order by username",
  )
  const [ada, shared] = rows
  if (!ada || !shared) throw new Error('both were just there')
  await updateUser(databases, ada, shared.id, { username: 'renamed' })
  await users.dialog.getByLabel('Username').fill('overwritten')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await expect(users.dialog.getByText('Somebody else changed this user in the meantime.')).toBeVisible()
  await users.dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(users.card('renamed')).toBeVisible()
  await expect(users.card('overwritten')).toHaveCount(0)
  await users.button('Delete', 'renamed').click()
  await removeOtherUsers(databases)
  await users.dialog.getByLabel('Type renamed to confirm').fill('renamed')
  await users.dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(users.dialog.getByText('Failed to delete user - this user no longer exists')).toBeVisible()
  await users.dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(users.card('renamed')).toHaveCount(0)
})

test('a broken connection is said so, and what failed can be tried again', async ({ page, databases }) => {
  const users = usersPage(page)
  await insertUsers(databases, ['calm'])
  await page.route(/\/api\/users\?/, (route) =>
    route.fulfill({ status: 503, json: { code: 'DATABASE_UNAVAILABLE', message: 'No database.' } }),
  )
  await page.goto('/admin-dashboard?tab=users')
  await expect(page.getByRole('heading', { name: 'Failed to load users' })).toBeVisible()
  await page.unroute(/\/api\/users\?/)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await users.expand('calm')
  await page.route('**/api/users/*', (route) => route.abort())
  await users.active('calm').click()
  await expect(page.getByText(/^Failed to deactivate user\. Please check/)).toBeVisible()
  await users.button('Reject', 'calm').click()
  await expect(page.getByText(/^Failed to reject user\. Please check/)).toBeVisible()
  await users.button('Delete', 'calm').click()
  await users.dialog.getByLabel('Type calm to confirm').fill('calm')
  await users.dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(users.dialog.getByText(/^Failed to delete user\. Please check/)).toBeVisible()
  await page.unroute('**/api/users/*')
  await users.dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(users.card('calm')).toHaveCount(0)
})

test('a deactivated user’s open feed leads to the login screen within five seconds', async ({
  page,
  openContext,
}) => {
  const users = usersPage(page)
  const other = await (await openContext('user')).newPage()
  await other.goto('/amazon-haul')
  await expect(other.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  await users.open()
  await users.expand('una')
  await users.active('una').click()
  await expect(other.getByRole('button', { name: 'Sign In' })).toBeVisible()
  await users.active('una').click()
  await expect(users.active('una')).toBeChecked()
})

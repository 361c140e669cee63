import { expect, test } from './fixtures.ts'
import { insertUsers, newName, removeOtherUsers, usersPage } from './users-page.ts'

test.use({ role: 'admin' })
test.beforeEach(({ databases }) => removeOtherUsers(databases))

const signIn = (origin: string, username: string, password: string) =>
  fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ username, password }),
  }).then((answer) => answer.status)

test('an account is added, edited, locked, unlocked and deleted', async ({ page, server }) => {
  const users = usersPage(page)
  const name = newName('nora')
  await users.open()
  await users.add.click()
  await users.dialog.getByLabel('Username').fill(` ${name.toUpperCase()} `)
  await users.dialog.getByLabel('Password', { exact: true }).fill('secret1')
  await users.dialog.getByRole('button', { name: 'Add user' }).click()
  await expect(users.said(`${name} is added`)).toBeVisible()
  await expect(users.cards.first()).toContainText(name)
  expect(await signIn(server.origin, name, 'secret1')).toBe(200)

  await users.button('Edit', name).click()
  await users.dialog.getByLabel('New password').fill('secret2')
  await users.dialog.getByLabel('Role').selectOption('Administrator')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await expect(users.said(`${name} is saved`)).toBeVisible()
  await expect(users.card(name)).toContainText('Administrator')
  expect(await signIn(server.origin, name, 'secret1')).toBe(401)
  expect(await signIn(server.origin, name, 'secret2')).toBe(200)

  await users.button('Reject', name).click()
  await expect(users.card(name).getByText('Rejected', { exact: true }).first()).toBeVisible()
  await users.button('Approve', name).click()
  await expect(users.card(name).getByText('Rejected', { exact: true })).toHaveCount(0)
  await users.active(name).click()
  await expect(users.active(name)).not.toBeChecked()
  expect(await signIn(server.origin, name, 'secret2')).toBe(401)
  await users.active(name).click()
  await expect(users.active(name)).toBeChecked()

  await users.button('Delete', name).click()
  const remove = users.dialog.getByRole('button', { name: 'Delete for good' })
  await expect(remove).toBeDisabled()
  await users.dialog.getByLabel(`Type ${name} to confirm`).fill(name.slice(1))
  await expect(remove).toBeDisabled()
  await users.dialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await remove.click()
  await expect(users.card(name)).toHaveCount(0)
  await expect(users.count).toHaveText('2 users')
})

test('an old name confirms its deletion however it is typed', async ({ page, databases }) => {
  const users = usersPage(page)
  // As they were stored before there was one form of a name, and a limit to it.
  const old = ['jose\u0301', 'x'.repeat(80)]
  await insertUsers(databases, old)
  await users.open()
  for (const name of old) {
    await users.expand(name)
    await users.button('Delete', name).click()
    await users.dialog.getByRole('textbox').pressSequentially(name.normalize('NFC'))
    await users.dialog.getByRole('button', { name: 'Delete for good' }).click()
    await expect(users.said(`${name} is deleted`)).toBeVisible()
  }
})

test('the longest name leaves all of its dialogs on a phone’s screen', async ({ page, databases }) => {
  const users = usersPage(page)
  const name = 'w'.repeat(64)
  await insertUsers(databases, [name])
  await page.setViewportSize({ width: 320, height: 640 })
  await users.open()
  await users.expand(name)
  for (const [action, button] of [
    ['Edit', 'Save'],
    ['Delete', 'Delete for good'],
  ] as const) {
    await users.button(action, name).click()
    await expect(users.dialog.getByRole('button', { name: button })).toBeInViewport({ ratio: 1 })
    expect(await users.dialog.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0)
    await page.keyboard.press('Escape')
  }
})

test('by keyboard alone: add, approve, edit, delete', async ({ page, databases }) => {
  const users = usersPage(page)
  await insertUsers(databases, ['waiting'], { status: 'pending' })
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await users.open()
  await page.keyboard.press('/')
  await expect(users.search).toBeFocused()
  await press('Tab', 'Tab', 'Tab', 'Tab')
  await expect(users.add).toBeFocused()
  await press('Enter')
  await expect(users.dialog.getByLabel('Username')).toBeFocused()
  await page.keyboard.type('keys only')
  await press('Tab')
  await page.keyboard.type('secret1')
  await press('Enter')
  await expect(users.said('keys only is added')).toBeVisible()
  await expect(users.dialog).toHaveCount(0)

  await page.keyboard.press('/')
  await page.keyboard.type('waiting')
  await expect(users.count).toHaveText('1 user matches')
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab')
  await expect(users.active('waiting')).toBeFocused()
  await press('Tab')
  await expect(users.button('Approve', 'waiting')).toBeFocused()
  await press('Enter')
  await expect(users.said('waiting is approved')).toBeVisible()
  // The pressed button is gone; what stands beside it has the focus.
  await expect(users.active('waiting')).toBeFocused()
  await press('Tab')
  await expect(users.button('Reject', 'waiting')).toBeFocused()
  await press('Tab')
  await expect(users.button('Edit', 'waiting')).toBeFocused()
  await press('Enter')
  await expect(users.dialog.getByLabel('Username')).toBeFocused()
  await press('ControlOrMeta+A')
  await page.keyboard.type('welcomed')
  await press('Enter')
  await expect(users.card('welcomed')).toBeVisible()
  await expect(users.button('Edit', 'welcomed')).toBeFocused()

  await press('Tab')
  await expect(users.button('Delete', 'welcomed')).toBeFocused()
  await press('Enter', 'Escape')
  await expect(users.dialog).toHaveCount(0)
  await expect(users.button('Delete', 'welcomed')).toBeFocused()
  await press('Enter')
  await page.keyboard.type('welcomed')
  await press('Enter')
  await expect(users.said('welcomed is deleted')).toBeVisible()
  await expect(users.card('welcomed')).toHaveCount(0)
})

test('search and filters find users and say when nobody is there', async ({ page, databases }) => {
  const users = usersPage(page)
  await insertUsers(databases, ['pia', 'piet'])
  await insertUsers(databases, ['pim'], { status: 'pending' })
  await insertUsers(databases, ['rob'], { status: 'rejected', is_active: false })
  await users.open()
  await expect(users.count).toHaveText('6 users')
  await users.search.fill('PI')
  await expect(users.cards).toHaveCount(3)
  await users.filter('Status').selectOption('Pending')
  await expect(users.cards).toHaveCount(1)
  await expect(users.card('pim')).toBeVisible()
  await users.search.fill('')
  await users.filter('Status').selectOption('Any status')
  await users.filter('Role').selectOption('Administrators')
  await expect(users.cards).toHaveCount(1)
  await expect(users.card('ada').getByText('You')).toBeVisible()
  await users.filter('Role').selectOption('All roles')
  await users.filter('Active').selectOption('Inactive')
  await expect(users.count).toHaveText('1 user matches')
  await expect(users.card('rob')).toBeVisible()
  await users.search.fill('nobody')
  await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible()
  await page.getByRole('button', { name: 'Show all users' }).click()
  await expect(users.count).toHaveText('6 users')
  await expect(users.search).toHaveValue('')
})

test('row and card tell of the last sign-in and the live sessions', async ({ page, server }) => {
  const users = usersPage(page)
  const name = newName('seen')
  await users.open()
  await users.add.click()
  await users.dialog.getByLabel('Username').fill(name)
  await users.dialog.getByLabel('Password', { exact: true }).fill('secret1')
  await users.dialog.getByRole('button', { name: 'Add user' }).click()
  const cells = users.card(name).getByRole('cell')
  const columns = page.getByRole('columnheader')
  await expect(columns).toHaveText([
    'Name',
    'Role',
    'State',
    'Last seen',
    'Sessions',
    'Created',
    'Active',
    'Actions',
  ])
  await expect(cells).toContainText(['User', 'Approved', 'Never', '0', 'just now', '', ''])
  for (const _ of [1, 2]) await signIn(server.origin, name, 'secret1')
  await page.reload()
  await expect(cells).toContainText(['User', 'Approved', 'just now', '2', 'just now', '', ''])

  await page.setViewportSize({ width: 999, height: 800 })
  await expect(page.getByRole('table')).toHaveCount(0)
  await expect(users.card(name)).toContainText('Signed in just now')
  await expect(users.card(name)).toContainText('2 live sessions')
})

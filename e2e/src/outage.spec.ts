import { dealRow, dealRows } from './deals.ts'
import { card, cards, listsRest, openFeed, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import type { RunningServer } from './server.ts'

// The application loses its database; the browser's way to the application stays whole.
// After the database's return a built-in account's requests meet a 401.
test.use({ isDatabaseLinked: true, expectedConsoleErrors: [/status of (503|401)/] })
// One installation is enough for them.
test.describe.configure({ mode: 'default' })

const isReady = async ({ origin }: RunningServer) => (await fetch(`${origin}/readyz`)).status === 200

test.afterEach(async ({ server }) => {
  server.databaseLink?.mend()
  await expect.poll(() => isReady(server)).toBe(true)
})

async function lose(server: RunningServer, how: 'cut' | 'freeze'): Promise<void> {
  server.databaseLink?.[how]()
  await expect.poll(() => isReady(server)).toBe(false)
}

for (const how of ['cut', 'freeze'] as const) {
  test(`${how}: an open feed keeps its deals, marked with their time, and is current again by itself`, async ({
    page,
    server,
    importDeals,
  }) => {
    await importDeals([dealRow({ title: 'Early teapot' })])
    await openFeed(page)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    const before = await card(page, 'Early teapot').boundingBox()

    await lose(server, how)
    await expect(page.getByText(/^Offline. Deals as of /)).toBeVisible()
    await expect(card(page, 'Early teapot')).toBeVisible()
    expect(await card(page, 'Early teapot').boundingBox()).toEqual(before)

    const asked = watchLists(page)
    server.databaseLink?.mend()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(page.getByText(/^Offline/)).toHaveCount(0)
    await listsRest(asked)
    // The stream that was open all the time tells of what comes now.
    await importDeals([dealRow({ title: 'Late teapot' })])
    await expect(page.getByText('New Deals Available!')).toBeVisible()
  })
}

test('a feed opened again shows what was seen last with its time, then the deals themselves', async ({
  page,
  server,
  importDeals,
}) => {
  await importDeals(dealRows(3))
  await openFeed(page)
  await lose(server, 'cut')
  await page.reload()
  await expect(page.getByText('⚠️ Error Loading Deals')).toBeVisible()
  await expect(page.getByText(/^Showing the deals of .*, the server can't be reached$/)).toBeVisible()
  await expect(cards(page)).toHaveCount(3)
  await expect(cards(page).first().getByRole('link').last()).toHaveAttribute('href', /^https:/)

  server.databaseLink?.mend()
  await expect(page.getByText('⚠️ Error Loading Deals')).toHaveCount(0)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(cards(page)).toHaveCount(3)
})

test('what was seen last is gone from the device with the one who saw it', async ({ page, importDeals }) => {
  await importDeals(dealRows(3))
  await openFeed(page, '?prime=true&max=20')
  const kept = () => page.evaluate(() => localStorage.getItem('dealdeck.last-deals'))
  await page.reload()
  await expect(cards(page)).toHaveCount(3)
  expect(await kept()).toContain('"deals":[{')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
  expect(await kept()).toBeNull()
  // Nobody starts in somebody else's search.
  await expect(page).toHaveURL(/:\d+\/$/)
})

test.describe('signing in while the database is away', () => {
  test.use({ role: null })

  test('a built-in administrator sees who can sign in, and is signed out when the database is back', async ({
    page,
    server,
  }) => {
    const { username, password } = server.accounts.admin
    await lose(server, 'cut')
    await page.goto('/admin-dashboard?tab=users')
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText(/^The database can't be reached. Built-in accounts/)).toBeVisible()
    await expect(page.getByText("Showing the built-in accounts, the database can't be reached")).toBeVisible()
    // When they signed in last can't be known now.
    await expect(
      page.getByRole('table', { name: 'Users' }).getByRole('cell', { name: 'Built-in' }),
    ).toHaveCount(2)

    // Nothing was ever seen on this device, so samples stand in.
    await page.goto('/amazon-haul')
    await expect(page.getByText("Showing sample deals, the server can't be reached")).toBeVisible()

    server.databaseLink?.mend()
    await expect(page.getByLabel('Username')).toBeVisible()
  })

  test('anybody else is told that it did not work', async ({ page, server }) => {
    await lose(server, 'cut')
    await page.goto('/')
    await page.getByLabel('Username').fill('somebody')
    await page.getByLabel('Password', { exact: true }).fill('correct horse')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('Login failed. Please try again.')).toBeVisible()
  })
})

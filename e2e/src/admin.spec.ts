import { addFilter } from '../../server/src/features/filters/actions.ts'
import { openAdmin, quickStat, setWords } from './admin.ts'
import { dealRows } from './deals.ts'
import { filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'

test.use({ role: 'admin' })

test('greets by name, counts what is there, and follows what changes', async ({
  page,
  server,
  databases,
  importDeals,
}) => {
  await setFilters(databases, [filterRow('Acme'), filterRow('Bolt')])
  await setWords(databases, ['wig'])
  await importDeals(dealRows(7))
  await page.goto('/')
  await page.getByRole('link', { name: /^Admin/ }).click()
  const { username } = server.accounts.admin
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome back, ${username}`)
  await expect(page.getByText('Administrator', { exact: true })).toBeVisible()
  await expect(quickStat(page, 'Filters')).toHaveText(/^2/)
  await expect(quickStat(page, 'words')).toHaveText(/^1/)
  await expect(quickStat(page, 'Deals')).toHaveText(/^7/)
  await expect(quickStat(page, 'Users')).toHaveText(/^\d/)
  await quickStat(page, 'words').click()
  await page.getByLabel('Word or phrase to hide').fill('banner')
  await page.getByRole('button', { name: 'Add word' }).click()
  await expect(quickStat(page, 'words')).toHaveText(/^2/)
})

test('the tab is in the address, survives a reload and Back; nonsense is the first tab', async ({ page }) => {
  await openAdmin(page)
  const tab = (name: string) => page.getByRole('tab', { name })
  await expect(tab('Filter Management')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('tablist').first().getByRole('tab')).toHaveText([
    'Filter Management',
    'Blacklist Management',
    'User Management',
    'Import Deals',
    'Sources',
    'Quarantine',
    'Channels',
    'Audit',
  ])
  await tab('Audit').click()
  await expect(page).toHaveURL('/admin-dashboard?tab=audit')
  await page.reload()
  await expect(tab('Audit')).toHaveAttribute('aria-selected', 'true')
  await tab('Import Deals').click()
  await expect(page).toHaveURL('/admin-dashboard?tab=import')
  await page.goBack()
  await expect(tab('Audit')).toHaveAttribute('aria-selected', 'true')
  await page.goto('/admin-dashboard?tab=shoes&x=1')
  await expect(tab('Filter Management')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search by name or code' })).toBeFocused()
  await tab('Filter Management').focus()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL('/admin-dashboard?tab=words')
  // On a phone not all of them fit, and that is seen.
  await page.setViewportSize({ width: 390, height: 844 })
  const beyond = (side: string) => page.locator(`[data-side="${side}"]`).first()
  await expect(beyond('right')).toBeVisible()
  await tab('Audit').click()
  await expect(beyond('right')).toBeHidden()
  await beyond('left').click()
  await expect(beyond('right')).toBeVisible()
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await page.goto('/?tab=admin-dashboard')
  await expect(page).toHaveURL('/admin-dashboard')
})

test.describe('for others', () => {
  test.use({ role: 'user' })

  test('every administrator’s screen is refused, asks the server for nothing and is not in the navigation', async ({
    page,
  }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const tabs = ['filters', 'words', 'users', 'import', 'audit'].map((tab) => `/admin-dashboard?tab=${tab}`)
    for (const address of ['/admin-dashboard', ...tabs]) {
      await page.goto(address)
      await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
      await expect(page.getByText('You need administrator privileges to access this feature.')).toBeVisible()
      await expect(page).toHaveURL(address)
      await expect(page.getByRole('tab')).toHaveCount(0)
      await expect(page.getByRole('link', { name: /^Admin/ })).toHaveCount(0)
    }
    const forAdmins = /^\/api\/(admin|audit|users|imports|ingest_tokens|blacklisted_words)/
    expect(asked.filter((path) => forAdmins.test(path))).toEqual([])
  })
})

test('the audit list says who did what, with before and after, and is narrowed by who, what and when', async ({
  page,
  server,
  databases,
}) => {
  const actor = { id: 1, username: 'zoe' }
  const { id } = await addFilter(
    databases,
    { category: 'brands', name: `Audited ${Date.now()}`, code: 'p_89:A' },
    actor,
  )
  await openAdmin(page)
  await page.getByRole('searchbox', { name: 'Search by name or code' }).fill('audited')
  await page
    .getByRole('button', { name: /^Edit Audited/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Code').fill('p_89:Beta')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved “Audited')).toBeVisible()

  await page.getByRole('tab', { name: 'Audit' }).click()
  const entries = page.getByRole('list', { name: 'Audit list' }).getByRole('listitem')
  const { username } = server.accounts.admin
  await expect(entries.first()).toContainText(`${username} changed filter Audited`)
  await expect(entries.first()).toContainText('p_89:A → p_89:Beta')
  await page.getByLabel('Who').selectOption('zoe')
  await expect(entries.first()).toContainText('zoe added filter Audited')
  await expect(entries.filter({ hasText: username })).toHaveCount(0)
  await page.getByLabel('What').selectOption('Blacklisted words')
  await expect(page.getByText('No entry matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(entries.first()).toContainText(username)
  await page.getByLabel('Until').fill('2020-01-01')
  await expect(page.getByText('No entry matches')).toBeVisible()
  await databases.db.deleteFrom('amazon_filters').where('id', '=', id).execute()
})

test('the audit list goes on page by page', async ({ page, databases }) => {
  await databases.durablePool.query(
    `insert into audit_entries (at, actor_id, actor_name, action, subject_kind, subject_name)
     select '2020-01-01'::timestamptz - n * interval '1 hour', 1, 'yan', 'add', 'word', 'word ' || n
     from generate_series(1, 120) n`,
  )
  await openAdmin(page, 'audit')
  await page.getByLabel('Who').selectOption('yan')
  const entries = page.getByRole('list', { name: 'Audit list' }).getByRole('listitem')
  await expect(entries).toHaveCount(50)
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await expect(entries).toHaveCount(100)
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await expect(entries).toHaveCount(120)
  await expect(entries.last()).toContainText('word 120')
  await expect(page.getByRole('button', { name: 'Show older entries' })).toHaveCount(0)
})

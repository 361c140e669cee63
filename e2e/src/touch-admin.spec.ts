import type { Locator } from '@playwright/test'
import { addWord, setWordActive } from '../../server/src/features/blacklist/actions.ts'
import { openAdmin } from './admin.ts'
import { alert, delivery, destination, fakeAlerts } from './alerts-page.ts'
import { expect, test } from './fixtures.ts'
import { soon } from './moments.ts'
import { smallTargets } from './small-targets.ts'
import { insertHeld, insertRun, insertSource, removeSources } from './sources-page.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, role: 'admin' })

// What they say of themselves on every screen is not for the tests that come after.
test.afterEach(({ databases }) => removeSources(databases))

test('whatever is pressed is large enough for a finger, on every tab of the dashboard', async ({
  page,
  databases,
}) => {
  test.slow()
  const small: Record<string, string[]> = {}
  const look = async (screen: string) => {
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    small[screen] = await smallTargets(page)
  }
  const actor = { id: 1, username: 'ada' }
  await addWord(databases, 'wig', actor)
  const { id: banner } = await addWord(databases, 'banner', actor)
  await setWordActive(databases, banner, false, actor)
  await openAdmin(page, 'words')
  await page.getByLabel('Show inactive words').tap()
  await expect(page.getByRole('button', { name: 'Activate banner' })).toBeVisible()
  await page.getByLabel('Word or phrase to hide').fill('lantern')
  await look('words')

  await removeOtherUsers(databases)
  await insertUsers(databases, ['nora'])
  await insertUsers(databases, ['pia'], { status: 'pending' })
  const users = usersPage(page)
  await users.open()
  await users.expand('pia')
  await look('users')
  await page.getByRole('button', { name: 'Edit pia', exact: true }).tap()
  await expect(users.dialog).toBeVisible()
  await look('a user')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1180, height: 820 })
  await users.open()
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible()
  await look('users on a tablet')
  await page.setViewportSize({ width: 390, height: 844 })

  await removeSources(databases)
  const failing = { state: 'failing', failing_since: soon(-60), state_text: 'It answers 404.' }
  const id = await insertSource(databases, failing)
  await insertSource(databases, { name: 'silent.example', last_new_at: soon(-9_000) })
  await insertRun(databases, id, { received: 4, created: 3, rejected: 1 })
  await insertRun(databases, id, { state: 'failed', text: 'It answers 404.', notes: '{It has moved.}' })
  await insertHeld(databases, id, [
    { asin: 'B0HELD0001' },
    { asin: 'B0HELD0002', rule: 'price_high', price: 400 },
  ])
  for (const at of ['', `&source=${id}`, `&source=${id}-edit`, '&source=new', '&source=new-address']) {
    await page.goto(`/admin-dashboard?tab=sources${at}`)
    await expect(page.getByRole('heading', { name: /^Welcome back/, level: 1 })).toBeVisible()
    await look(`sources ${at}`)
  }
  await openAdmin(page, 'quarantine')
  await page
    .getByLabel(/^Choose Camping lantern/)
    .first()
    .check()
  await expect(page.getByRole('button', { name: 'Let through', exact: true }).last()).toBeVisible()
  await look('quarantine')
  await openAdmin(page, 'audit')
  await expect(page.getByRole('list', { name: 'Audit list' })).toBeVisible()
  await look('audit')

  await fakeAlerts(page, {
    destinations: [destination({ is_group: true })],
    alerts: [alert({ is_group: true })],
    deliveries: [delivery(), delivery({ id: 2, state: 'dead', status: 500 })],
  })
  await openAdmin(page, 'channels')
  await expect(page.getByRole('heading', { name: 'Channels of the group' })).toBeVisible()
  await look('channels')
  expect(Object.fromEntries(Object.entries(small).filter(([, found]) => found.length > 0))).toEqual({})
})

test('on a phone the buttons for chosen rows stand in order, and nothing lies over those of a form', async ({
  page,
  databases,
}) => {
  await removeSources(databases)
  const id = await insertSource(databases)
  await insertHeld(
    databases,
    id,
    Array.from({ length: 12 }, (_, at) => ({ asin: `B0HELD10${at + 10}` })),
  )
  await page.setViewportSize({ width: 375, height: 667 })
  await openAdmin(page, 'quarantine')
  await page.getByLabel(/^Choose all/).check()
  const bar = page.getByRole('toolbar', { name: 'Chosen rows' })
  await expect(bar).toContainText('12 chosen')
  const edge = (of: Locator, side: 'top' | 'bottom' | 'right') =>
    of.evaluate((element, which) => element.getBoundingClientRect()[which], side)
  const none = bar.getByRole('button', { name: 'Choose none' })
  expect((await edge(bar, 'right')) - (await edge(none, 'right'))).toBeLessThan(16)

  await page.goto('/admin-dashboard?tab=sources&source=new-address')
  await page.getByLabel('Name', { exact: true }).scrollIntoViewIfNeeded()
  const up = page.getByRole('button', { name: 'Scroll to top' })
  await expect(up).toBeInViewport()
  const cancel = page.getByRole('button', { name: 'Cancel' })
  await expect(cancel).toBeInViewport()
  await expect
    .poll(async () => (await edge(up, 'bottom')) - (await edge(cancel, 'top')))
    .toBeLessThanOrEqual(0)
})

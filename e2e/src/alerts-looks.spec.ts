import type { Locator, Page } from '@playwright/test'
import { openAdmin } from './admin.ts'
import { alert, delivery, destination, type Fakes, fakeAlerts } from './alerts-page.ts'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook, moreSizes } from './looks.ts'
import { soon } from './moments.ts'

const long = 'Lantern prices of the north, all of them, in a channel with an extraordinarily long name'
const arabic = 'ساعة يد رجالية كلاسيكية بسوار جلدي'

const destinations = [
  destination(),
  destination({
    ...{ id: 2, kind: 'discord', name: long, state: 'failing', affiliate_tag: 'mugs-20' },
    ...{ state_text: 'Discord answers 404 (not found). Check whether the webhook was deleted.' },
  }),
  destination({ id: 3, kind: 'email', name: arabic, state: 'paused', is_paused: true }),
  destination({ id: 4, kind: 'ntfy', name: 'Phone', state: 'gone', state_text: 'It is there no more.' }),
]
const options = { mode: 'now' as const, again_percent: 10, urgent_off: 60, urgent_below: 5 }
const alerts = [
  alert(),
  alert({ id: 2, search_id: 2, name: long, destination_id: 2, options }),
  alert({ id: 3, search_id: 3, name: arabic, destination_id: 3, is_paused: true }),
  alert({ id: 4, search_id: null, deal_id: 1, target_price: 12, name: 'Dive watch with a steel band' }),
]
const deals = [delivery().deals[0] ?? { id: 1, asin: 'B0WATCH001', title: '' }]
const deliveries = [
  delivery({ id: 9, state: 'held', reason: 'Quiet hours until 07:00', next_at: soon(300), sent_at: null }),
  delivery({ id: 8, state: 'edited', reason: 'The price fell to $11.00; the message says so', price: 11 }),
  delivery({ id: 7, kind: 'list', deal_count: 23, deals, reason: '23 came within a minute' }),
  delivery({ id: 6, state: 'skipped', reason: 'It was hidden before it was sent', sent_at: null }),
  delivery({
    ...{ id: 5, state: 'dead', reason: 'Discord refused it five times', status: 404, attempts: 5 },
    ...{ answer: 'Unknown Webhook', deals: [{ id: 2, asin: 'B0WATCH002', title: long.repeat(3) }] },
  }),
  delivery({ id: 4, deals: [{ id: 3, asin: 'B0WATCH003', title: arabic }] }),
]
const all = { destinations, alerts, deliveries }

/** Each view of a member, what it is made of, and what says that it is there. */
const views: Record<string, [Partial<Fakes>, (page: Page) => Promise<Locator>]> = {
  'nothing yet': [{}, async (page) => page.getByText('Nothing reaches you yet')],
  'what I am told of': [all, async (page) => page.getByRole('heading', { name: 'Prices you wait for' })],
  options: [
    all,
    async (page) => {
      await page.getByRole('button', { name: `Options: ${long}` }).click()
      return page.getByRole('dialog')
    },
  ],
  'destinations none': [
    {},
    async (page) => {
      await page.goto('/alerts?tab=destinations')
      return page.getByRole('list', { name: 'Kinds of destinations' })
    },
  ],
  destinations: [
    all,
    async (page) => {
      await page.goto('/alerts?tab=destinations')
      await page.getByRole('button', { name: 'Test Telegram' }).click()
      return page.getByText('Telegram took it.')
    },
  ],
  'adding one': [
    {},
    async (page) => {
      await page.goto('/alerts?tab=destinations&at=new-discord')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      return page.getByText('Please fill this in')
    },
  ],
  'linking one': [
    {},
    async (page) => {
      await page.goto('/alerts?tab=destinations&at=new-telegram')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText(/^It doesn’t open/).click()
      return page.getByText('/start K7QX2M', { exact: true })
    },
  ],
  'quiet hours': [
    {},
    async (page) => {
      await page.goto('/alerts?tab=quiet')
      return page.getByRole('switch', { name: /^Quiet hours/ })
    },
  ],
  log: [
    all,
    async (page) => {
      await page.goto('/alerts?tab=log')
      return page.getByRole('button', { name: /^Send again/ }).first()
    },
  ],
}

for (const [name, [given, open]] of Object.entries(views)) {
  test(`alerts: ${name}`, async ({ page }) => {
    await inEveryLook(
      page,
      async (check) => {
        await fakeAlerts(page, given)
        await page.route(/\/api\/products\/1$/, (route) =>
          route.fulfill({ json: { id: 1, asin: 'B0WATCH001', title: 'Dive watch', price: 14.5 } }),
        )
        await page.goto('/alerts')
        const shown = await open(page)
        await expect(shown).toBeVisible()
        await check(`alerts ${name}`, shown)
      },
      { more: moreSizes },
    )
  })
}

test('the price to wait for on a card, and why something came on the deal’s page', async ({
  page,
  importDeals,
}) => {
  await importDeals([dealRow({ asin: 'B0WATCH001', title: 'Dive watch', price: 20, original_price: 50 })])
  await inEveryLook(page, async (check) => {
    const fakes = await fakeAlerts(page, { destinations: [destination()] })
    await page.goto('/amazon-haul')
    const bell = page.getByRole('button', { name: 'Tell me at a price: Dive watch' })
    // Bells come once somebody is there.
    await expect(async () => {
      await page.keyboard.press('Shift')
      await expect(bell).toBeVisible({ timeout: 500 })
    }).toPass()
    await bell.click()
    await check('alerts target set', page.getByText(/You are told at/))
    expect(fakes.alerts[0]?.target_price).toBe(18)
    await page.getByRole('button', { name: 'Tell me at $18.00: Dive watch' }).click()
    await check('alerts target', page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Tell me', exact: true }).click()
    await page.goto('/deals/B0WATCH001')
    await page.getByLabel('By which of my searches').selectOption('My price, $18.00')
    await page.getByText('Doesn’t match now').scrollIntoViewIfNeeded()
    await check('alerts why', page.getByText('It costs $40.00'))
  })
})

test.describe('administrators', () => {
  test.use({ role: 'admin' })
  test('channels', async ({ page }) => {
    await inEveryLook(
      page,
      async (check) => {
        const ofGroup = destinations.map((one) => ({ ...one, is_group: true }))
        await fakeAlerts(page, { ...all, destinations: ofGroup, alerts: [alert({ is_group: true })] })
        await openAdmin(page, 'channels')
        await check('alerts channels', page.getByRole('heading', { name: 'Channels of the group' }))
      },
      { more: moreSizes },
    )
  })
})

import type { Page } from '@playwright/test'
import { destination, fakeAlerts } from './alerts-page.ts'
import { dealRow } from './deals.ts'
import { cards, openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

const row = (page: Page) => page.getByRole('navigation', { name: 'Saved searches' })
const bell = (page: Page, name: string) =>
  page.getByRole('button', { name: `Tell me of new deals in ${name}` })
const watch = () => dealRow({ asin: 'B0WATCH001', title: 'Dive watch', price: 20, original_price: 50 })

async function save(page: Page): Promise<void> {
  await openFeed(page, '?q=watch')
  await row(page).getByRole('button', { name: 'Save search' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Watches')
  await page.keyboard.press('Enter')
}

test('a search is saved, its bell leads to a first destination, and is on once that is set up', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  const fakes = await fakeAlerts(page)
  await openFeed(page, '?q=watch')
  const heightOf = async () => (await row(page).boundingBox())?.height
  const height = await heightOf()
  await save(page)
  // With its bell the row is as high as before, or the deals below would jump.
  await expect(bell(page, 'Watches')).toBeVisible()
  expect(await heightOf()).toBe(height)
  await bell(page, 'Watches').click()
  await page.getByRole('button', { name: /^Telegram/ }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('link', { name: 'Open and press Start' })).toHaveAttribute(
    'href',
    /start=K7QX2M/,
  )
  await expect(
    page.getByText(
      'The bell of “Watches” is on. As soon as this is confirmed, you are told here of new deals.',
    ),
  ).toBeVisible()
  expect(fakes.alerts).toMatchObject([{ destination_id: 70, search_id: fakes.alerts[0]?.search_id }])
  await page.getByText('It doesn’t open, or it is for a group or a channel').click()
  await expect(page.getByText('/start K7QX2M', { exact: true })).toBeVisible()
  // The bot has heard of it.
  fakes.destinations = fakes.destinations.map((one) => ({ ...one, state: 'ok', state_text: '', link: null }))
  await page.reload()
  await expect(page.getByText('The bell of “Watches” is on. You are told here of new deals.')).toBeVisible()
  await page.getByRole('button', { name: 'Test Telegram' }).click()
  await expect(page.getByText('Telegram took it.')).toBeVisible()
  await page.getByRole('button', { name: 'Back to what I was doing' }).click()
  await expect(cards(page)).toHaveCount(1)

  await expect(bell(page, 'Watches')).toHaveAttribute('aria-pressed', 'true')
  await bell(page, 'Watches').click()
  await expect(bell(page, 'Watches')).toHaveAttribute('aria-pressed', 'false')
  await bell(page, 'Watches').click()
  await expect(bell(page, 'Watches')).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('“Watches” → Telegram: 12 match now, about 3 a day.')).toBeVisible()
  await page.getByRole('button', { name: 'Send those now' }).click()
  await expect(page.getByText('What matches now is sent as one list.')).toBeVisible()
  expect(fakes.asked.at(-1)).toEqual({ what: 'PATCH /api/alerts/50', body: { send_matching: true } })
  await bell(page, 'Watches').click()
  await expect(bell(page, 'Watches')).toHaveAttribute('aria-pressed', 'false')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(bell(page, 'Watches')).toHaveAttribute('aria-pressed', 'true')
  await page.goto('/alerts')
  await expect(page.getByText('Not between 22:00 and 07:00')).toBeVisible()
})

test('of two destinations the bell asks, by keyboard too', async ({ page, importDeals }) => {
  await importDeals([watch()])
  const fakes = await fakeAlerts(page, {
    destinations: [destination(), destination({ id: 2, kind: 'ntfy', name: 'Phone' })],
  })
  await save(page)
  await page.goto('/searches')
  // Until it is known where one can be told, it does nothing and says so; a key isn't held back by that as a click is.
  await expect(bell(page, 'Watches')).toBeEnabled()
  await bell(page, 'Watches').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('switch', { name: 'Phone' }).focus()
  await page.keyboard.press('Space')
  await expect(page.getByRole('switch', { name: 'Phone' })).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(bell(page, 'Watches')).toBeFocused()
  expect(fakes.alerts).toMatchObject([{ destination_id: 2 }])
})

test('the code of an e-mail address is asked for with what it is and where it went', async ({ page }) => {
  const mail = destination({ id: 1, kind: 'email', name: 'Mail', settings: { address: 'una@example.org' } })
  const open = { state: 'unconfirmed' as const, is_code_sent: true, state_text: 'Said by the server.' }
  await fakeAlerts(page, { destinations: [{ ...mail, ...open }] })
  await page.goto('/alerts?tab=destinations&at=1')
  await expect(page.getByText('on its way to una@example.org')).toBeVisible()
  await expect(page.getByText('Said by the server.')).toHaveCount(0)
  await page.getByLabel('Code', { exact: true }).fill('K7QW-3RTZ')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Test Mail' })).toBeVisible()
})

test('why a deal came is said for a search: that it matches, what was sent and when next', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  const reason = 'Held until the end of quiet hours'
  const held = { delivery_id: 4, state: 'held', reason, at: null, next_at: '2026-05-02T07:00:00.000Z' }
  await fakeAlerts(page, {
    why: {
      ...{ matches: true, failed: [], delivery: held },
      deliveries: [{ destination_id: 1, destination: 'Telegram', ...held }],
    },
  })
  await save(page)
  await expect(bell(page, 'Watches')).toBeVisible()
  await page.goto('/deals/B0WATCH001')
  await page.getByLabel('By which of my searches').selectOption('Watches')
  await expect(page.getByText('Matches now', { exact: true })).toBeVisible()
  await expect(page.getByRole('list', { name: 'What was sent of it' })).toHaveText(
    /Telegram: Held until the end of quiet hours. The message will be sent at May 2, 2026/,
  )
})

test('a webhook is given another signing secret, which is shown this once', async ({ page }) => {
  const hook = destination({ kind: 'webhook', name: 'Hook', secrets: ['signing'] })
  const fakes = await fakeAlerts(page, { destinations: [hook] })
  await page.goto('/alerts?tab=destinations')
  await page.getByRole('button', { name: 'Edit: Hook' }).click()
  await page.getByRole('button', { name: 'New signing secret' }).click()
  await expect(page.getByText('whsec_YW5vdGhlcg')).toBeVisible()
  expect(fakes.asked.at(-1)?.what).toBe('POST /api/destinations/1/renew')
})

test('of a code that could not be sent nobody says that it is on its way', async ({ page }) => {
  const state_text = 'The code could not be sent. The mail server can’t be reached.'
  const mail = destination({ kind: 'email', name: 'Mail', state: 'unconfirmed', state_text })
  await fakeAlerts(page, { destinations: [mail] })
  await page.goto('/alerts?tab=destinations&at=1')
  await expect(page.getByText(state_text)).toBeVisible()
  await page.getByRole('button', { name: 'Send another code' }).click()
  await expect(page.getByText('Once more no code could be sent.')).toBeVisible()
  await expect(page.getByText(/on its way/)).toHaveCount(0)
})

test('a channel that is gone is resumed by one press', async ({ page }) => {
  const fakes = await fakeAlerts(page, { destinations: [destination({ state: 'gone' })] })
  await page.goto('/alerts?tab=destinations')
  await page.getByRole('button', { name: 'Resume: Telegram' }).click()
  await expect(page.getByText('Telegram is resumed')).toBeVisible()
  expect(fakes.asked).toEqual([{ what: 'PATCH /api/destinations/1', body: { is_paused: false } }])
})

test('quiet hours are saved, and everything is paused for a day', async ({ page }) => {
  const fakes = await fakeAlerts(page)
  await page.goto('/alerts?tab=quiet')
  await page.getByLabel('From').fill('23:30')
  await page.getByRole('switch', { name: /^Follow this device/ }).uncheck()
  await page.getByLabel('Time zone').selectOption('Europe/Berlin')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  expect(fakes.peace).toMatchObject({
    quiet_from: '23:30',
    time_zone: 'Europe/Berlin',
    follows_device: false,
  })
  await page.getByRole('button', { name: 'Pause for a day' }).click()
  await expect(page.getByText(/Nothing is sent until/)).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('button', { name: 'Pause for a day' })).toBeVisible()
})

test.describe('after a flight', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('quiet hours travel along with whoever looks at deals alone', async ({ page, importDeals }) => {
    await importDeals([watch()])
    const fakes = await fakeAlerts(page)
    await openFeed(page)
    // Whoever does nothing at all isn't there.
    await page.mouse.move(300, 300)
    await expect.poll(() => fakes.peace.time_zone).toBe('Asia/Tokyo')
    expect(fakes.asked).toEqual([
      { what: 'PATCH /api/alerts/peace', body: { time_zone: 'Asia/Tokyo', is_group: false } },
    ])
  })
})

test('on a phone all tabs are in sight', async ({ page }) => {
  await fakeAlerts(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/alerts')
  for (const name of ['My alerts', 'Destinations', 'Quiet hours', 'Log'])
    await expect(page.getByRole('tab', { name })).toBeInViewport({ ratio: 1 })
  await expect(page.locator('button[data-side]:visible')).toHaveCount(0)
})

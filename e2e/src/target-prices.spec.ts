import { destination, fakeAlerts } from './alerts-page.ts'
import { dealRow } from './deals.ts'
import { cards, openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

const watch = () => dealRow({ asin: 'B0WATCH001', title: 'Dive watch', price: 20, original_price: 50 })

test('a price is waited for from a card, shown there and on the deal’s page, and removed', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  const fakes = await fakeAlerts(page, { destinations: [destination()] })
  await openFeed(page)
  // The bells come once somebody does something.
  await page.mouse.move(200, 200)
  await page.getByRole('button', { name: 'Tell me at a price: Dive watch' }).click()
  await expect(page.getByText('You are told at $18.00 or less: Telegram.')).toBeVisible()
  await expect(cards(page).first()).toContainText('Tell me at $18.00')
  expect(fakes.asked.at(-1)?.body).toMatchObject({ target_price: 18, destination_id: 1 })
  // A second press changes it.
  await page.getByRole('button', { name: 'Tell me at $18.00: Dive watch' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tell me at').fill('21')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('It costs $20.00 now. Type less than that.')).toBeVisible()
  await dialog.getByRole('button', { name: '$19.00 5 % less' }).click()
  await dialog.getByRole('button', { name: 'Tell me', exact: true }).click()
  await expect(cards(page).first()).toContainText('Tell me at $19.00')
  expect(fakes.asked.at(-1)).toEqual({ what: 'PATCH /api/alerts/50', body: { target_price: 19 } })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/deals/B0WATCH001')
  const share = page.getByRole('button', { name: 'Share' })
  await page.getByRole('button', { name: 'Tell me at $19.00' }).click()
  const before = await share.boundingBox()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: 'Tell me at a price' })).toBeVisible()
  expect([fakes.alerts, await share.boundingBox()]).toEqual([[], before])
})

test('on a phone, by keyboard: a price at one press, taken back or changed from its note, and nothing moves', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch(), dealRow({ asin: 'B0WATCH002', title: 'Field watch', price: 30 })])
  const fakes = await fakeAlerts(page, { destinations: [destination()] })
  await page.setViewportSize({ width: 390, height: 844 })
  await openFeed(page)
  await page.mouse.move(200, 200)
  const unset = page.getByRole('button', { name: 'Tell me at a price: Dive watch' })
  await unset.focus()
  const places = () =>
    cards(page).evaluateAll((all) =>
      all.flatMap((card) =>
        [card, ...card.querySelectorAll('h2, button, p')].map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect()
          return [x, y, width, height].map(Math.round)
        }),
      ),
    )
  const before = await places()
  await page.keyboard.press('Enter')
  const note = page.getByText('You are told at $18.00 or less: Telegram.')
  await expect(note).toBeVisible()
  expect(await places()).toEqual(before)
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(unset).toBeVisible()
  expect([fakes.alerts, await places()]).toEqual([[], before])

  await unset.press('Enter')
  await page.getByRole('button', { name: 'Change' }).press('Enter')
  await page.getByRole('dialog').getByLabel('Tell me at').fill('17.50')
  await page.keyboard.press('Enter')
  await expect(page.getByText('You are told at $17.50 or less: Telegram.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Tell me at $17.50: Dive watch' })).toBeFocused()
  expect(await places()).toEqual(before)
})

test('a price that led to a first destination is waited for once that is set up', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  const fakes = await fakeAlerts(page)
  await page.goto('/deals/B0WATCH001')
  await page.getByRole('button', { name: 'Tell me at a price' }).click()
  await page.getByRole('button', { name: /^ntfy/ }).click()
  await page.getByLabel('Address').fill('https://ntfy.example')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText(/You are told here once “.*” costs \$18.00 or less/)).toBeVisible()
  expect(fakes.alerts).toMatchObject([{ destination_id: 70, target_price: 18 }])
  await page.getByRole('button', { name: 'Back to what I was doing' }).click()
  await expect(page.getByRole('button', { name: 'Tell me at $18.00' })).toBeVisible()
})

test('without a destination a card’s bell leads to a first one as well, and back to the card', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  const fakes = await fakeAlerts(page)
  await openFeed(page)
  await page.mouse.move(200, 200)
  await page.getByRole('button', { name: 'Tell me at a price: Dive watch' }).click()
  await page.getByRole('button', { name: /^ntfy/ }).click()
  await page.getByLabel('Address').fill('https://ntfy.example')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText(/You are told here once “.*” costs \$18.00 or less/)).toBeVisible()
  expect(fakes.alerts).toMatchObject([{ destination_id: 70, target_price: 18 }])
  await page.getByRole('button', { name: 'Back to what I was doing' }).click()
  await page.mouse.move(210, 210)
  await expect(page.getByRole('button', { name: 'Tell me at $18.00: Dive watch' })).toBeVisible()
})

test('on a deal’s own page the dialog and the note about a price keep their shape, over the chart', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch()])
  await fakeAlerts(page, { destinations: [destination()] })
  await page.setViewportSize({ width: 1440, height: 700 })
  await page.goto('/deals/B0WATCH001')
  await page.getByRole('button', { name: 'Tell me at a price' }).click()
  await page.getByRole('button', { name: 'Tell me at $18.00' }).click()
  const tops = await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Remove|Tell me)$/ })
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  await page.getByRole('button', { name: 'Tell me', exact: true }).click()
  const said = page.getByText('You are told at $18.00 or less: Telegram.')
  await expect(said).toBeVisible()
  // With the chart scrolled under it the note is what is seen, and pressed.
  await page.getByRole('application').evaluate((chart) => {
    window.scrollBy(0, chart.getBoundingClientRect().bottom - window.innerHeight)
  })
  const isOver = () =>
    said.evaluate((text) => {
      const { x, y, width, height } = text.getBoundingClientRect()
      return text.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
  await expect.poll(isOver).toBe(true)
})

import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, prefer, watchLists } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { watchShifts } from './layout-shifts.ts'
import { type Check, inEveryLook } from './looks.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'
import { importHistory, listNotSeen } from './prices.ts'

const kettle = dealRow({ title: 'Copper kettle', price: 14, original_price: 49.99 })
const lamp = dealRow({ title: 'Brass lamp', price: 12, original_price: null })

test('a card says what its price is worth, shows its 90 days, and a discount that is contradicted as what it is', async ({
  page,
  importDeals,
}) => {
  await importHistory(importDeals, kettle, listNotSeen)
  await importHistory(importDeals, lamp, [
    { price: 14, from: 80, to: 11 },
    { price: 12, from: 10, to: 0 },
  ])
  const asked = watchLists(page)
  for (const layout of ['grid', 'list']) {
    await prefer(page, { layout })
    await openFeed(page)
    const [contradicted, lowest] = [card(page, 'Copper kettle'), card(page, 'Brass lamp')]
    await expect(contradicted).toContainText('List price not seen in 90 days')
    await expect(lowest).toContainText('Lowest in 90 days')
    await expect(contradicted.getByText('−72%')).toHaveCSS('text-decoration-line', 'line-through')
    // A sign of its own beside the words, of which a listener hears nothing.
    const sign = (of: typeof lowest) =>
      of
        .locator('[data-kind]')
        .evaluate((words) => getComputedStyle(words, '::before').content.replace(/ \/ .*/, ''))
    expect(await sign(contradicted)).not.toBe(await sign(lowest))
    const line = lowest.locator('svg[aria-hidden]').first()
    await expect(line.locator('path')).toHaveCount(3)
    await expect(lowest.getByRole('link', { name: /^Brass lamp Lowest in 90 days$/ })).toBeVisible()
  }
  // Lists are all that was asked for.
  expect(asked.every((query) => !query.has('ids'))).toBe(true)
})

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
])
  test(`nothing moves when verdicts arrive, at ${viewport.width} pixels, and cards of a row stay equal`, async ({
    page,
    importDeals,
  }) => {
    await page.setViewportSize(viewport)
    const rows = dealRows(6)
    // On its first day a deal carries no verdict.
    await importDeals(
      rows.map((row) => ({ ...row, observed_at: new Date(Date.now() - 2 * 86_400_000).toISOString() })),
    )
    const shifted = await watchShifts(page)
    await withoutPreloadedResponses(page)
    await page.route(/\/api\/products\?/, async (route) => {
      const response = await route.fetch()
      const page = await response.json()
      const items = page.items.map((deal: object) => ({ ...deal, verdict: null }))
      await route.fulfill({ response, json: { ...page, items } })
    })
    await openFeed(page)
    await expect(cards(page)).toHaveCount(6)
    await expect(cards(page).first().locator('[data-kind]')).toHaveCount(0)
    await page.unroute(/\/api\/products\?/)
    const heights = () =>
      cards(page).evaluateAll((all) => [...new Set(all.map((one) => one.getBoundingClientRect().height))])
    const before = { heights: await heights(), shifted: await shifted() }
    expect(before.heights).toHaveLength(1)
    // By the stream, with no hand on the page.
    await importDeals(rows.map((row) => ({ ...row, price: row.price + 1 })))
    for (const one of await cards(page).all()) await expect(one.locator('[data-kind]')).not.toHaveText('')
    expect(await heights()).toEqual(before.heights)
    expect((await shifted()) - before.shifted).toBeLessThan(0.002)
  })

test('on a phone what is said of a price that was seen rarely takes one line', async ({
  page,
  importDeals,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const sights = [60, 40, 0].map((days) => new Date(Date.now() - days * 86_400_000).toISOString())
  await importDeals(sights.map((observed_at) => ({ ...lamp, observed_at })))
  await openFeed(page)
  const words = card(page, 'Brass lamp').locator('[data-kind="new"]')
  await expect(words).toContainText('Seen too rarely')
  expect((await words.boundingBox())?.height).toBeLessThan(20)
})

test('cards with verdicts are accessible', async ({ page, importDeals }) => {
  await importHistory(importDeals, kettle, listNotSeen)
  await importHistory(importDeals, lamp, [
    { price: 14, from: 80, to: 11 },
    { price: 12, from: 10, to: 0 },
  ])
  await importDeals(dealRows(6))
  const steps = async (check: Check) => {
    for (const layout of ['grid', 'list']) {
      await prefer(page, { layout })
      await openFeed(page)
      await expect(card(page, 'Copper kettle')).toContainText('List price not seen')
      await check(`verdicts, ${layout}`, card(page, 'Copper kettle'))
    }
  }
  await inEveryLook(page, steps, { isOpenedAtEachSize: true })
})

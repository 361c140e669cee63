import { type DealRow, dealRow } from './deals.ts'
import { cards, filterToggle, openFeed, questionOf, searchBox } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** A deal as it was seen each day, from so many days ago until today; `prices`: from which of these days on which. */
function watched(values: Partial<DealRow>, days: number, prices: Record<number, number>): DealRow[] {
  const deal = dealRow(values)
  const changes = Object.entries(prices).map(([since, price]) => ({ since: Number(since), price }))
  return Array.from({ length: days + 1 }, (_, at) => {
    const day = days - at
    // Keys of numbers come in ascending order: the latest change is first.
    const price = changes.find(({ since }) => since >= day)?.price ?? deal.price
    return { ...deal, price, observed_at: daysAgo(day) }
  })
}

const deals = () => [
  ...watched({ title: 'Copper kettle', original_price: null }, 70, { 70: 20, 4: 14 }),
  ...watched({ title: 'Oak stool', original_price: null }, 70, { 70: 25, 4: 23.8 }),
  ...watched({ title: 'Brass bench', original_price: 40 }, 70, { 70: 16, 10: 15 }),
  ...watched({ title: 'New vase', original_price: null }, 3, { 3: 12 }),
]

test('deals are put in the order of what is saved for sure, and asked for by their verdicts', async ({
  page,
  importDeals,
}) => {
  await importDeals(deals())
  await openFeed(page, '?q=verdict%3Alowest')
  // Verdicts are found out in the background.
  await expect(cards(page)).toHaveCount(1)
  await expect(cards(page)).toContainText('Copper kettle')
  await expect(page.getByText('at its lowest in 90 days', { exact: false }).first()).toBeVisible()
  await searchBox(page).fill('')
  await expect(cards(page)).toHaveCount(4)

  if ((await filterToggle(page).getAttribute('aria-expanded')) === 'false') await filterToggle(page).click()
  await page.getByLabel('Sort by').selectOption('Under typical')
  await expect.poll(() => questionOf(page)).toBe('sort:best')
  await expect(cards(page)).toContainText(['Copper kettle', 'Oak stool', 'Brass bench', 'New vase'])
  await searchBox(page).fill('typical:>=4% low:30d dropped:<7d sort:best')
  await expect(cards(page)).toContainText(['Copper kettle', 'Oak stool'])
  await expect(cards(page)).toHaveCount(2)
})

test('who hides contradicted discounts is told how many, and sees them with a press', async ({
  page,
  importDeals,
}) => {
  await importDeals(deals())
  await openFeed(page, '?q=verdict%3Alistnotseen')
  await expect(cards(page)).toContainText(['Brass bench'])
  await page.goto('/profile?tab=preferences')
  const preference = page.getByRole('switch', { name: 'Hide contradicted discounts' })
  await expect(preference).not.toBeChecked()
  await preference.check()

  await openFeed(page)
  await expect(cards(page)).toHaveCount(3)
  await expect(cards(page).filter({ hasText: 'Brass bench' })).toHaveCount(0)
  await page.getByRole('button', { name: '1 contradicted hidden · Show' }).click()
  await expect(cards(page)).toHaveCount(4)
  expect(questionOf(page)).toBe('verdict:any')
  await expect(page.getByRole('button', { name: /contradicted hidden/ })).toHaveCount(0)

  // Alone on the screen, it is named as what hides it.
  await searchBox(page).fill('bench')
  await page.getByRole('button', { name: /^Show them without: Your preference/ }).click()
  await expect(cards(page)).toContainText(['Brass bench'])
})

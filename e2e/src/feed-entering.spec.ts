import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

test('a deal that a lower price brings into a list that is loaded whole is announced and shown', async ({
  page,
  importDeals,
}) => {
  const dear = dealRow({ title: 'Came down', price: 79.4 })
  await importDeals([...dealRows(3, { price: 10 }), dear])
  await openFeed(page)
  await expect(cards(page)).toHaveCount(3)
  await importDeals([{ ...dear, price: 25 }])
  await expect(toast(page)).toContainText('1 new, $25.00')
  await toast(page)
    .getByRole('button', { name: /New Deals Available!/ })
    .click()
  await expect(card(page, 'Came down')).toBeVisible()
})

import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, questionOf, toast } from './feed-page.ts'
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

test.describe('without the program of the language', () => {
  test.use({ expectedConsoleErrors: [/ERR_FAILED/] })

  test('new deals come on top and are marked, and fallen prices are marked and counted apart', async ({
    page,
    importDeals,
  }) => {
    const lamp = dealRow({ title: 'Gas lamp', price: 20 })
    await importDeals([lamp, ...dealRows(30, { title: 'Desk lamp', price: 9 })])
    await page.route(/\/assets\/language-/, (route) => route.abort())
    await openFeed(page, `?${new URLSearchParams({ q: 'lamp sort:discount price:any' })}`)
    await importDeals([
      { ...lamp, price: 15 },
      dealRow({ title: 'New lamp', price: 50, original_price: null }),
    ])
    const fell = page.getByRole('button', { name: '1 price fell' })
    await expect(fell).toBeVisible()
    await expect(toast(page)).toContainText('1 new, $50.00 · newest first')
    await toast(page)
      .getByRole('button', { name: /New Deals Available!/ })
      .click()
    await expect(cards(page).first()).toContainText('New lamp')
    await expect(cards(page).first().getByText('New', { exact: true })).toBeVisible()
    expect(questionOf(page)).toBe('sort:newest lamp sort:discount price:any')
    await expect(fell).toBeVisible()
    await fell.click()
    const prices = card(page, 'Gas lamp').locator('[data-fell]')
    await expect(prices).toHaveText('$15.00fell from $20.00')
    await expect(card(page, 'Gas lamp')).toBeInViewport()
    // As it is read: the price it had, an arrow, the price it has.
    const seen = await prices.evaluate((element) => {
      const [now, before] = [...element.children]
      const left = (one?: Element) => one?.getBoundingClientRect().left ?? Number.NaN
      return {
        isBefore: left(before) < left(now),
        arrow: before && getComputedStyle(before, '::after').content,
        line: before && getComputedStyle(before).textDecorationLine,
      }
    })
    expect(seen).toMatchObject({ isBefore: true, arrow: expect.stringContaining('→'), line: 'none' })
    await expect(fell).toHaveCount(0)
  })
})

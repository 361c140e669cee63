import type { Page, Route } from '@playwright/test'
import { dealRow, dealRows } from './deals.ts'
import { card, cards, openFeed, scrollToEnd, searchBox, toast } from './feed-page.ts'
import { expect, test } from './fixtures.ts'

/** Holds the next further page back once the server has made it; the function it returns lets it go. */
async function holdNextPage(page: Page): Promise<{ isMade: Promise<void>; release: () => void }> {
  const made = Promise.withResolvers<void>()
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    const response = await route.fetch()
    made.resolve()
    await promise
    await route.fulfill({ response })
  }
  await page.route((url) => url.searchParams.has('cursor'), hold, { times: 1 })
  return { isMade: made.promise, release }
}

const shownIn = (page: Page, title: string) =>
  page.evaluate(async (title) => {
    for (let top = 0; top <= document.documentElement.scrollHeight; top += 400) {
      window.scrollTo(0, top)
      await new Promise((done) => setTimeout(done, 50))
      const found = [...document.querySelectorAll('article')].find((one) => one.textContent?.includes(title))
      if (found) return found.textContent
    }
    return null
  }, title)

test('what changes while more is loaded stays changed once it is there', async ({ page, importDeals }) => {
  const further = dealRow({ title: 'On the second page', price: 20, first_seen: '2026-01-01T00:00:00Z' })
  const near = dealRow({ title: 'On the first page', price: 21 })
  const gone = dealRow({ title: 'Gone meanwhile', price: 22 })
  await importDeals([...dealRows(60, { price: 10 }), further])
  await importDeals([near, gone])
  await openFeed(page)
  await expect(card(page, 'On the first page')).toContainText('$21.00')
  const { isMade, release } = await holdNextPage(page)
  await scrollToEnd(page)
  await isMade
  await importDeals([
    { ...further, price: 15 },
    { ...near, price: 16 },
    { ...gone, availability: '' },
  ])
  // So long changes are gathered before they are shown.
  await page.waitForTimeout(2_000)
  release()
  await expect(page.getByRole('feed')).toHaveAttribute('data-loaded', /^(62|63)$/)
  await page.waitForTimeout(1_500)
  expect(await shownIn(page, 'On the first page')).toContain('$16.00')
  expect((await shownIn(page, 'Gone meanwhile')) ?? 'No longer available').toContain('No longer available')
  expect(await shownIn(page, 'On the second page')).toContain('$15.00')
})

test('a list that is gone back to shows what has changed meanwhile', async ({ page, importDeals }) => {
  const lamp = dealRow({ title: 'Lamp of the other list', price: 20 })
  await importDeals([...dealRows(40), dealRow({ title: 'Plain mug' })])
  await importDeals([lamp])
  await openFeed(page)
  await page.evaluate(() => window.scrollTo(0, 300))
  await expect(card(page, 'Lamp of the other list')).toContainText('$20.00')
  await page.waitForTimeout(500)
  await searchBox(page).fill('mug')
  await expect(cards(page)).toHaveCount(1)
  await importDeals([{ ...lamp, price: 15 }])
  await page.waitForTimeout(2_000)
  await page.goBack()
  await expect(cards(page).nth(5)).toBeVisible()
  await expect(card(page, 'Lamp of the other list')).toContainText('$15.00')
})

test('the deal that somebody came for stays current too', async ({ page, importDeals, databases }) => {
  const lamp = dealRow({ title: 'Lamp of the link', price: 20 })
  const dear = dealRow({ title: 'Dear lamp of the link', price: 200 })
  await importDeals([lamp, dear, ...dealRows(3)])
  const { rows } = await databases.durablePool.query<{ id: number; title: string }>(
    'select id, title from deals order by title',
  )
  const idOf = (row: { title: unknown }) => rows.find(({ title }) => title === row.title)?.id
  for (const row of [lamp, dear]) {
    await openFeed(page, `?deal=${idOf(row)}`)
    await expect(cards(page).first()).toContainText(row.title)
    await importDeals([{ ...row, price: 15 }])
    await expect(cards(page).first()).toContainText('$15.00')
    await importDeals([{ ...row, price: 15, availability: '' }])
    await expect(cards(page).first()).toContainText('No longer available')
  }
  await expect(toast(page)).toHaveCount(0)
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { addWord } from '../../server/src/features/blacklist/actions.ts'
import { streamsPerMember } from '../../server/src/platform/live/event-stream.ts'
import { openWeakLink } from '../../server/testing/weak-link.ts'
import { dealRow, dealRows, uniqueText } from './deals.ts'
import { expect, test } from './fixtures.ts'

// What a browser says of the outage the test makes.
test.use({ expectedConsoleErrors: [/net::ERR_(CONNECTION|EMPTY|INCOMPLETE|SOCKET)/] })

const toast = (page: Page) => page.getByRole('status').filter({ hasText: 'New Deals Available!' })
const toastButton = (page: Page) => page.getByRole('button', { name: 'New Deals Available!' })
const titles = (page: Page) => page.getByRole('article').getByRole('heading')

async function openFeed(page: Page, deals: number): Promise<void> {
  await page.goto('/amazon-haul')
  await expect(page.getByRole('article')).toHaveCount(deals)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.getByRole('feed')).toHaveAttribute('aria-busy', 'false')
}

test('two browsers watch, one is cut off for ten seconds: nothing is missed, nothing doubled', async ({
  server,
  importDeals,
  openContext,
}) => {
  // Dearer than what the feed asks for first, so that three cards mean that the whole list has come.
  await importDeals(dealRows(3, { price: 12 }))
  const link = await openWeakLink(server.origin)
  const steady = await (await openContext('user')).newPage()
  const shaky = await (await openContext('user', link.url)).newPage()
  await openFeed(steady, 3)
  await openFeed(shaky, 3)

  const arrivals = Array.from({ length: 4 }, (_, index) => uniqueText(`Arrival ${index + 1}`))
  const arrive = (index: number) => importDeals([dealRow({ title: arrivals[index] ?? '' })])

  await arrive(0)
  await Promise.all([steady, shaky].map((page) => expect(toast(page)).toContainText('1 new,')))

  link.cut()
  await sleep(3_000)
  await arrive(1)
  await expect(toast(steady)).toContainText('2 new,')
  await sleep(4_000)
  await arrive(2)
  await expect(toast(steady)).toContainText('3 new,')
  await sleep(3_000)
  await expect(toast(shaky)).toContainText('1 new,')
  link.mend()
  await expect(toast(shaky)).toContainText('3 new,', { timeout: 30_000 })
  await expect(shaky.getByText('Live', { exact: true })).toBeVisible({ timeout: 30_000 })

  await arrive(3)
  for (const page of [steady, shaky]) {
    await expect(toast(page)).toContainText('4 new,')
    await toastButton(page).click()
    await expect(toast(page)).toHaveCount(0)
    await expect(page.getByRole('article')).toHaveCount(7)
    const shown = await titles(page).allInnerTexts()
    for (const title of arrivals) expect(shown.filter((text) => text.includes(title))).toHaveLength(1)
    await expect(page.getByRole('definition').first()).toHaveText('7')
  }
  await link.close()
})

test('a deal that a word hides leaves the open feed', async ({ page, importDeals, databases }) => {
  const title = uniqueText('Gilded birdcage')
  await importDeals([dealRow({ title }), ...dealRows(3)])
  await openFeed(page, 4)
  await addWord(databases, 'GILDED bird')
  await expect(page.getByRole('definition').first()).toHaveText('3')
  await page.reload()
  await expect(page.getByRole('article')).toHaveCount(3)
  await expect(page.getByText(title)).toHaveCount(0)
})

test.describe('with as many pages open as a member may have', () => {
  test.use({ expectedConsoleErrors: [/api\/events|status of 429/] })

  test('one more says that it is offline, asks for news by itself, and is live when another is closed', async ({
    page,
    server,
    importDeals,
  }) => {
    await importDeals(dealRows(3, { price: 12 }))
    const cookies = await page.context().cookies()
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const others = Array.from({ length: streamsPerMember }, () => new AbortController())
    // A stream ends once nothing holds its answer any more.
    const streams = new Map<AbortController, Response>()
    for (const other of others) {
      const { signal } = other
      const stream = await fetch(`${server.origin}/api/products/events`, { headers: { cookie }, signal })
      expect(stream.status).toBe(200)
      streams.set(other, stream)
    }
    await page.goto('/amazon-haul')
    await expect(page.getByRole('article')).toHaveCount(3)
    await expect(page.getByText('Offline', { exact: true })).toBeVisible()
    await importDeals([dealRow()])
    await expect(toast(page)).toContainText('1 new,', { timeout: 40_000 })
    others[0]?.abort()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    for (const other of streams.keys()) other.abort()
  })
})

test('under a storm of news slow figures are seen all the same', async ({ page, importDeals }) => {
  await importDeals(dealRows(3, { price: 10 }))
  await page.goto('/amazon-haul')
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  const total = page.getByText('total deals').locator('xpath=../dd')
  const before = await total.textContent()
  await page.route('**/api/products/stats', async (route) => {
    await sleep(2_500)
    await route.continue().catch(() => undefined)
  })
  let isOver = false
  const storm = async () => {
    while (!isOver) {
      await importDeals([dealRow({ price: 10 })])
      await sleep(300)
    }
  }
  const raging = storm()
  await expect(total).not.toHaveText(before ?? '')
  isOver = true
  await raging
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

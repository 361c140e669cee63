import { dealRow } from './deals.ts'
import { card, cards, filterToggle, openFeed, prefer } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { takePicture } from './looks.ts'

const monthsAgo = (months: number) => new Date(Date.now() - months * 31 * 86_400_000).toISOString()

test('switches and Reset stand beside the fields and not their labels', async ({ page, importDeals }) => {
  await importDeals([dealRow()])
  await openFeed(page)
  for (const width of [1200, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    if ((await filterToggle(page).getAttribute('aria-expanded')) === 'false') await filterToggle(page).click()
    const fields = [
      page.getByLabel('Sort by'),
      page.getByLabel('Max price (USD)'),
      page.getByText('Prime only'),
      page.getByText('Today only'),
      page.getByRole('button', { name: 'Reset' }),
    ]
    const boxes = await Promise.all(fields.map((field) => field.boundingBox()))
    const middles = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2)
    expect(Math.max(...middles) - Math.min(...middles), `at ${width}`).toBeLessThan(2)
  }
})

test('on a desk the list’s columns line up, and no age or count in them is cut', async ({
  page,
  importDeals,
}) => {
  await prefer(page, { layout: 'list' })
  await importDeals([
    dealRow({ title: 'Both', review_count: 87_971 }),
    dealRow({ title: 'Rated', prime_eligible: false }),
    dealRow({ title: 'Prime alone', rating: null, review_count: null }),
    dealRow({ title: 'Long known', first_seen: monthsAgo(24), scraped_at: monthsAgo(7) }),
  ])
  for (const width of [844, 1200, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await openFeed(page)
    await expect(cards(page)).toHaveCount(4)
    const primes = await cards(page)
      .getByText('Prime', { exact: true })
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().right)))
    expect(primes, `at ${width}`).toEqual([primes[0], primes[0], primes[0]])
    const seen = card(page, 'Long known').getByText('Price seen 7 months ago')
    await expect(seen).toBeVisible()
    const cut = await cards(page).evaluateAll((all) =>
      all.flatMap((one) =>
        [...one.querySelectorAll('time, p span')].flatMap((part) => {
          const box = part.getBoundingClientRect()
          const frame = part.parentElement?.getBoundingClientRect()
          const isDrawn = frame && box.width > 1 && box.top < frame.bottom && part.checkVisibility()
          const isCut = part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline'
          return isDrawn && (isCut || box.right > frame.right + 1) ? [part.textContent] : []
        }),
      ),
    )
    expect(cut, `at ${width}`).toEqual([])
    await takePicture(page, `columns of the list, ${width}`)
  }
})

test('a count of reviews that a card has no room for is left out whole', async ({ page, importDeals }) => {
  await importDeals([dealRow({ title: 'Both', review_count: 1_087_971 })])
  await page.setViewportSize({ width: 390, height: 844 })
  await openFeed(page)
  await expect(card(page, 'Both').getByText('4.3')).toBeVisible()
  const isWholeOrGone = await card(page, 'Both')
    .getByText('(1,087,971')
    .evaluate((count) => {
      const box = count.getBoundingClientRect()
      const frame = count.parentElement?.getBoundingClientRect()
      const isWhole = count.scrollWidth <= count.clientWidth + 1 && box.right <= (frame?.right ?? 0) + 1
      return isWhole || box.top >= (frame?.bottom ?? 0) - 1
    })
  expect(isWholeOrGone).toBe(true)
})

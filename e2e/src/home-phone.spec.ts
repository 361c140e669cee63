import { dealRow, dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { carousel, openHome, slides } from './home-page.ts'
import { watchShifts } from './layout-shifts.ts'

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true })

test('what is new and what fell is offered one after the other, and the row stays where it is', async ({
  page,
  importDeals,
}) => {
  const kettle = dealRow({ title: 'Copper kettle', price: 9, first_seen: '2026-01-05T00:00:00Z' })
  await importDeals([kettle, ...dealRows(18)])
  const shifted = await watchShifts(page)
  await openHome(page)
  await carousel(page).getByRole('button', { name: 'Pause' }).click()
  const top = () =>
    slides(page)
      .first()
      .evaluate((slide) => slide.getBoundingClientRect().top)
  const before = await top()
  await importDeals([{ ...kettle, price: 4.5 }, ...dealRows(1)])
  const come = carousel(page).getByRole('button', { name: '1 new' })
  const fell = carousel(page).getByText('1 price fell')
  await expect(come).toBeVisible()
  await expect(fell).toBeAttached()
  await expect(fell).toBeHidden()
  expect(await top()).toBe(before)
  await come.click()
  await expect(fell).toBeVisible()
  expect(await top()).toBe(before)
  // Neither did what came before, while the page was drawn.
  expect(await shifted()).toBeLessThan(0.005)
})

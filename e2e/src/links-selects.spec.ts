import type { Page } from '@playwright/test'
import { addFilter } from '../../server/src/features/filters/actions.ts'
import { brandRows, filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { asked, choose, field, list, openTools, option, someFilters } from './links-page.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

const search = (page: Page, label: string) => list(page, label).getByRole('combobox')
const foot = (page: Page, label: string) => list(page, label).getByRole('status')
const all = (page: Page, label: string) => list(page, label).getByRole('button', { name: 'Select all' })
const none = (page: Page, label: string) => list(page, label).getByRole('button', { name: /^Clear( all)?$/ })
const options = (page: Page) => page.getByRole('option')

test('each of the six is searched, chosen and cleared, and counts', async ({ page, databases }) => {
  await setFilters(databases, someFilters)
  await openTools(page)
  for (const [label, count] of [
    ['Brands', 3],
    ['Deal Types', 1],
    ['Percent Off', 2],
    ['Departments', 2],
    ['Sold By', 1],
  ] as const) {
    await field(page, label).click()
    await expect(foot(page, label)).toHaveText(`0 of ${count} selected`)
    await expect(none(page, label)).toBeDisabled()
    await all(page, label).click()
    await expect(foot(page, label)).toHaveText(`${count} of ${count} selected`)
    await none(page, label).click()
    await expect(foot(page, label)).toHaveText(`0 of ${count} selected`)
    await options(page).first().click()
    await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')
    await options(page).first().click()
    await expect(foot(page, label)).toHaveText(`0 of ${count} selected`)
    await search(page, label).fill('nothing like it')
    await expect(list(page, label)).toContainText('Nothing has “nothing like it” in its name.')
    await expect(all(page, label)).toBeDisabled()
    await page.keyboard.press('Escape')
    await expect(search(page, label)).toHaveValue('')
    await page.keyboard.press('Escape')
    await expect(list(page, label)).toHaveCount(0)
    await expect(field(page, label)).toBeFocused()
  }
})

test('all of what is searched is chosen beside what was', async ({ page, databases }) => {
  await setFilters(databases, someFilters)
  await openTools(page)
  await choose(page, 'Brands', 'Cog')
  await field(page, 'Brands').click()
  // What was chosen stands first.
  await expect(options(page)).toHaveText(['Cog', 'Acme', 'Bolt & Sons'])
  await search(page, 'Brands').fill('SONS b')
  await expect(options(page)).toHaveText(['Bolt & Sons'])
  await all(page, 'Brands').click()
  await expect(foot(page, 'Brands')).toHaveText('2 of 3 selected')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(field(page, 'Brands')).toHaveAccessibleName('Brands Cog, Bolt & Sons')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_89:Cog|Bolt & Sons')
})

test('what is cleared leaves the focus where the keyboard goes on', async ({ page, databases }) => {
  await setFilters(databases, someFilters)
  await openTools(page, '?brand=Acme')
  await field(page, 'Brands').click()
  await search(page, 'Brands').fill('cog')
  await list(page, 'Brands').getByRole('button', { name: 'Clear search' }).click()
  await expect(search(page, 'Brands')).toBeFocused()
  await none(page, 'Brands').click()
  await expect(foot(page, 'Brands')).toHaveText('0 of 3 selected')
  await page.keyboard.press('Escape')
  await expect(list(page, 'Brands')).toHaveCount(0)
  await expect(field(page, 'Brands')).toBeFocused()
})

test('Enter on a button of a list does what the button says', async ({ page, databases }) => {
  await setFilters(databases, [...someFilters, ...brandRows(3)])
  await openTools(page)
  await field(page, 'Brands').click()
  await search(page, 'Brands').fill('brand')
  await expect(options(page)).toHaveCount(3)
  await all(page, 'Brands').press('Enter')
  await expect(foot(page, 'Brands')).toHaveText('3 of 6 selected')
  await none(page, 'Brands').press('Enter')
  await expect(foot(page, 'Brands')).toHaveText('0 of 6 selected')
})

test.describe('without the server', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_/] })

  test('what the built-in filters lack is not said to be gone, and is in the link again with the server', async ({
    page,
    databases,
  }) => {
    await setFilters(databases, someFilters)
    await withoutPreloadedResponses(page)
    await page.route('**/api/amazon_filters*', (route) => route.abort())
    await openTools(page, '?brand=Acme')
    await expect(page.getByText('These filters can’t be loaded now')).toBeVisible()
    await expect(page.getByText('Acme (Brands)')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove them' })).toHaveCount(0)
    await choose(page, 'Brands', 'Apple')
    await expect.poll(() => asked(page)).toEqual({ rh: 'p_89:Apple' })
    await page.unroute('**/api/amazon_filters*')
    await expect.poll(() => asked(page)).toEqual({ rh: 'p_89:Acme' })
    await expect(page.getByText('Apple (Brands)')).toBeVisible()
  })
})

test('of sorts another replaces the first', async ({ page, databases }) => {
  await setFilters(databases, someFilters)
  await openTools(page)
  await field(page, 'Sort By').click()
  await expect(all(page, 'Sort By')).toHaveCount(0)
  await option(page, 'Cheapest first').click()
  await expect.poll(() => asked(page)).toEqual({ s: 'price-asc-rank' })
  await option(page, 'Newest first').click()
  await expect(foot(page, 'Sort By')).toHaveText('1 of 2 selected')
  await expect.poll(() => asked(page)).toEqual({ s: 'date-desc-rank' })
  await none(page, 'Sort By').click()
  await expect.poll(() => asked(page)).toBeNull()
})

test('everything is reached by keyboard', async ({ page, databases }) => {
  await setFilters(databases, [...someFilters, ...brandRows(40)])
  await openTools(page)
  await page.keyboard.press('/')
  await page.keyboard.type('lamp')
  await field(page, 'Brands').focus()
  await page.keyboard.press('Enter')
  await expect(search(page, 'Brands')).toBeFocused()
  // Nothing is active yet, so nothing is chosen by accident.
  await page.keyboard.press('Enter')
  await expect(foot(page, 'Brands')).toHaveText('0 of 43 selected')
  await page.keyboard.type('brand 4')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_89:Brand 14')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_89:Brand 14|Brand 4')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const box = list(page, 'Brands').getByRole('listbox')
  await expect(box).toBeFocused()
  await page.keyboard.press('End')
  await expect(options(page).last()).toBeInViewport()
  await expect(box).toHaveAttribute(
    'aria-activedescendant',
    (await options(page).last().getAttribute('id')) ?? 'none',
  )
  await page.keyboard.press('Space')
  await expect(foot(page, 'Brands')).toHaveText('3 of 43 selected')
  // The focus stays in the list until it is left.
  for (let presses = 0; presses < 6; presses += 1) {
    await page.keyboard.press('Tab')
    expect(await list(page, 'Brands').evaluate((dialog) => dialog.contains(document.activeElement))).toBe(
      true,
    )
  }
  await page.keyboard.press('Escape')
  await expect(field(page, 'Brands')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(field(page, 'Deal Types')).toBeFocused()
})

test('a filter that an administrator adds is in the open list at once', async ({ page, databases }) => {
  await setFilters(databases, someFilters)
  await openTools(page, '?brand=Newcomer')
  await expect(page.getByText('Newcomer (Brands)')).toBeVisible()
  await field(page, 'Brands').click()
  await addFilter(databases, { category: 'brands', name: 'Newcomer', code: 'p_89:Newcomer' })
  await expect(foot(page, 'Brands')).toHaveText('1 of 4 selected')
  await expect(page.getByText('Newcomer (Brands)')).toHaveCount(0)
  await expect.poll(async () => (await asked(page))?.rh).toBe('p_89:Newcomer')
})

/** Notes how long each frame takes from now on; tells the longest since it was last asked, in milliseconds. */
async function watchFrames(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Object.assign(window, { longestFrame: 0 })
    let last = performance.now()
    const note = (now: number) => {
      Object.assign(window, { longestFrame: Math.max(Reflect.get(window, 'longestFrame'), now - last) })
      last = now
      requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
  })
  return () =>
    page.evaluate(() => {
      const longest = Number(Reflect.get(window, 'longestFrame'))
      Object.assign(window, { longestFrame: 0 })
      return Math.round(longest)
    })
}

for (const [name, viewport] of [
  ['phone', { width: 390, height: 844 }],
  ['desktop', { width: 1440, height: 900 }],
] as const) {
  test.describe(name, () => {
    test.use({ viewport })

    test('5,000 brands are opened, searched and all chosen, and only those in sight exist', async ({
      page,
      databases,
    }) => {
      await setFilters(databases, [...brandRows(5_000), filterRow('Garden', 'n:1', 'departments')])
      await openTools(page, '?q=lamp')
      const longestFrame = await watchFrames(page)
      await field(page, 'Brands').click()
      await expect(options(page).first()).toHaveAttribute('aria-setsize', '5000')
      expect(await options(page).count()).toBeLessThan(40)
      const opening = await longestFrame()
      await search(page, 'Brands').pressSequentially('brand 499', { delay: 60 })
      await expect(options(page).first()).toHaveAttribute('aria-setsize', '15')
      const searching = await longestFrame()
      await search(page, 'Brands').press('9')
      await option(page, 'Brand 4999').click()
      await search(page, 'Brands').fill('')
      // The list has just been searched, and a list drawn anew has lost the focus.
      await expect(async () => {
        await list(page, 'Brands').getByRole('listbox').focus()
        await page.keyboard.press('End')
        await expect(option(page, 'Brand 5000')).toBeInViewport({ timeout: 2_000 })
      }).toPass()
      const choosing = await longestFrame()
      await all(page, 'Brands').click()
      await expect(foot(page, 'Brands')).toHaveText('5,000 of 5,000 selected')
      const frames = { opening, searching, choosing, all: await longestFrame() }
      // To be looked at, not asserted: how long a frame takes depends on what else the machine does.
      test.info().annotations.push({ type: 'longest frames, ms', description: JSON.stringify(frames) })
      // All of them fit into the address, being one word there.
      await expect(page).toHaveURL(/[?&]brand=\*/)
      await option(page, 'Brand 5000').click()
      await expect(foot(page, 'Brands')).toHaveText('4,999 of 5,000 selected')
      await page.keyboard.press('Escape')
      await expect(page.getByText('So many filters don’t fit into this page’s address')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Share' })).toBeDisabled()
      await expect(page.getByText('This link is very long')).toBeVisible()
    })
  })
}

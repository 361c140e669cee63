import { type Locator, type Page, request } from '@playwright/test'
import { dealRow } from './deals.ts'
import { cards, openFeed, questionOf, searchBox } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook, takePicture } from './looks.ts'

const row = (page: Page) => page.getByRole('navigation', { name: 'Saved searches' })
const pill = (page: Page, name: string) => row(page).getByRole('link', { name })
const dialog = (page: Page) => page.getByRole('dialog')
const item = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Saved searches' }).getByRole('listitem').filter({ hasText: name })

const watch = (title: string, values: object = {}) =>
  dealRow({ title: `${title} watch`, price: 20, original_price: 50, ...values })

// A question that can't be understood is refused.
test.use({ expectedConsoleErrors: [/status of 422 .*\/api\/searches/] })

/** Saves what is asked under a name. */
async function save(page: Page, q: string, name: string, isShared = false): Promise<void> {
  await openFeed(page, `?q=${encodeURIComponent(q)}`)
  await row(page).getByRole('button', { name: 'Save search' }).click()
  await dialog(page).getByLabel('Name').fill(name)
  if (isShared) await dialog(page).getByRole('switch', { name: 'Share with the group' }).check()
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect(pill(page, name)).toHaveAttribute('aria-current', 'page')
}

test('a search is saved and ordered by keyboard, says what is new in it, and is the same on the phone', async ({
  page,
  importDeals,
  openContext,
}) => {
  await importDeals([watch('Dive'), watch('Casio', { brand: 'Casio' }), dealRow({ title: 'Desk lamp' })])
  await openFeed(page)
  await expect(row(page)).toHaveCount(0)
  await searchBox(page).fill('watch off:50 -casio')
  await row(page).getByRole('button', { name: 'Save search' }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByLabel('Name')).toHaveValue('watch')
  await page.keyboard.type('Watches')
  await page.keyboard.press('Enter')
  // The reader's own highest price is a part of what they saved.
  await expect(pill(page, 'Watches')).toHaveAttribute('aria-current', 'page')
  await expect.poll(() => questionOf(page)).toBe('watch off:>=50 -casio price:<=30')
  await expect(cards(page)).toHaveCount(1)
  // However the same is typed, it is that search.
  await openFeed(page, `?q=${encodeURIComponent('watch, half off, not casio')}`)
  await expect(pill(page, 'Watches')).toHaveAttribute('aria-current', 'page')
  await expect(row(page).getByRole('button', { name: 'Save search' })).toHaveCount(0)
  await save(page, 'lamp price:any', 'Lamps')
  await openFeed(page, '?q=dive')
  await row(page).getByRole('button', { name: 'Save search' }).click()
  await dialog(page).getByLabel('Name').fill('Lamps')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByText('You have a search named “Lamps”')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Replace “Lamps”' }).click()
  await expect(pill(page, 'Lamps')).toHaveAttribute('aria-current', 'page')
  await expect.poll(() => questionOf(page)).toContain('dive')

  const phone = await (await openContext('user')).newPage()
  await phone.setViewportSize({ width: 390, height: 844 })
  await openFeed(phone)
  await importDeals([watch('Field'), watch('Gold', { price: 300 })])
  for (const one of [page, phone]) await expect(pill(one, 'Watches')).toHaveAccessibleName('Watches 1 new')
  await page.goto('/')
  await expect(pill(page, 'Watches')).toHaveAccessibleName('Watches 1 new')
  await page.goto('/searches')
  const main = page.getByRole('navigation', { name: 'Main' })
  await expect(main.getByRole('link', { name: 'Searches' })).toHaveAttribute('aria-current', 'page')
  await page.goBack()
  await page.goBack()
  await expect(pill(page, 'Lamps')).toHaveAccessibleName('Lamps')
  await takePicture(phone, 'saved searches on the phone')
  await pill(phone, 'Watches').click()
  await expect(cards(phone)).toHaveCount(2)
  for (const one of [page, phone]) await expect(pill(one, 'Watches')).toHaveAccessibleName('Watches')

  const names = (one: Page) => row(one).getByRole('listitem')
  await pill(page, 'Lamps').focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(names(page)).toHaveText(['Lamps', 'Watches'])
  await expect(pill(page, 'Lamps')).toBeFocused()
  await expect(names(phone)).toHaveText(['Lamps', 'Watches'])
  await pill(page, 'Lamps').dragTo(pill(page, 'Watches'))
  await expect(names(page)).toHaveText(['Watches', 'Lamps'])
})

test('on their page searches are moved, hidden, edited and deleted, and deleting is undone', async ({
  page,
  importDeals,
}) => {
  await importDeals([watch('Dive'), dealRow({ title: 'Desk lamp' })])
  await save(page, 'watch price:<30', 'Watches')
  await save(page, 'lamp price:<30', 'Lamps')
  await row(page).getByRole('link', { name: 'All saved searches' }).click()
  const items = page.getByRole('list', { name: 'Saved searches' }).getByRole('listitem')
  await expect(items).toHaveText([/^Watches.*'watch', under \$30/s, /^Lamps/])
  await page.getByRole('button', { name: 'Move Lamps up' }).focus()
  await page.keyboard.press('Enter')
  await expect(items).toHaveText([/^Lamps/, /^Watches/])
  await expect(page.getByRole('button', { name: 'Move Lamps up' })).toBeFocused()

  await page.getByRole('button', { name: 'Edit Lamps' }).click()
  await dialog(page).getByLabel('Question').fill('lamp price:<ten')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByText('needs a number')).toBeVisible()
  await dialog(page).getByLabel('Question').fill('lamp price:<10')
  await dialog(page).getByLabel('Name').fill('Cheap lamps')
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await expect(item(page, 'Cheap lamps')).toContainText("'lamp', under $10")

  await page.getByRole('button', { name: 'Delete Watches' }).click()
  await expect(items).toHaveText([/^Cheap lamps/])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(items).toHaveText([/^Cheap lamps/, /^Watches/])
  await page.getByRole('switch', { name: 'Cheap lamps above the deals' }).click()
  await item(page, 'Watches').getByRole('link', { name: 'Watches' }).click()
  await expect(row(page).getByRole('listitem')).toHaveText(['Watches'])
  await expect(cards(page)).toHaveCount(1)
})

test('what is shared stands in everybody’s row, and who changes it has a copy', async ({
  page,
  importDeals,
  openContext,
  server,
}) => {
  await importDeals([watch('Dive')])
  const owner = await (await openContext('admin')).newPage()
  await save(owner, 'watch price:<30', 'Group watches', true)
  // Whoever signs in on a device that knows of no search has the row with the deals, and it moves none of them.
  const { username, password } = server.accounts.user
  const first = await (await openContext(null)).newPage()
  await first.goto('/amazon-haul')
  await first.getByLabel('Username').fill(username)
  await first.getByLabel('Password', { exact: true }).fill(password)
  await first.keyboard.press('Enter')
  await expect(cards(first).first()).toBeVisible()
  const top = (await cards(first).first().boundingBox())?.y
  await expect(pill(first, 'Group watches')).toBeVisible({ timeout: 4_000 })
  expect((await cards(first).first().boundingBox())?.y).toBe(top)
  await openFeed(page)
  await expect(pill(page, 'Group watches')).toBeVisible()
  await page.goto('/searches')
  await expect(item(page, 'Group watches')).toContainText(/Shared by/)
  await expect(page.getByRole('button', { name: 'Delete Group watches' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Edit Group watches' }).click()
  await dialog(page).getByLabel('Name').fill('My watches')
  await dialog(page).getByRole('button', { name: 'Save as my own' }).click()
  await expect(item(page, 'My watches')).toContainText('Only you')
  await expect(item(page, 'Group watches')).toBeVisible()
})

test('another program reads a search at an address that is shown once, until it is revoked', async ({
  page,
  importDeals,
  server,
}) => {
  await importDeals([watch('Dive')])
  await save(page, 'watch price:<30', 'Watches')
  await page.goto('/searches')
  await page.getByRole('button', { name: 'Feeds of Watches' }).click()
  await dialog(page).getByRole('button', { name: 'Address for new deals' }).click()
  const address = (await dialog(page).locator('code').first().textContent()) ?? ''
  // A program of its own, without anybody's session.
  const reader = await request.newContext()
  const answer = await reader.get(address)
  expect([answer.status(), new URL(address).origin]).toEqual([200, server.origin])
  expect(await answer.text()).toContain('Dive watch')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Feeds of Watches' }).click()
  await expect(dialog(page).getByText('last read')).toBeVisible()
  await expect(dialog(page).locator('code')).toHaveCount(0)
  await dialog(page)
    .getByRole('button', { name: /^Revoke the address/ })
    .click()
  await expect(dialog(page).getByRole('button', { name: 'Keep' })).toBeFocused()
  await page.keyboard.press('Enter')
  // Twice in the same spot revokes nothing.
  const ask = dialog(page).getByRole('button', { name: /^Revoke the address/ })
  await expect(ask).toBeFocused()
  await ask.dblclick()
  await expect(ask).toBeVisible()
  expect((await reader.get(address)).status()).toBe(200)
  await dialog(page).getByRole('button', { name: 'Address for lowest prices' }).click()
  await expect(dialog(page).locator('code')).toHaveCount(3)
  for (const left of [1, 0]) {
    await dialog(page)
      .getByRole('button', { name: /^Revoke the address/ })
      .first()
      .click()
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect(dialog(page).getByRole('listitem')).toHaveCount(left)
    await expect(dialog(page).getByText('Revoked.')).toBeFocused()
  }
  await expect(dialog(page).locator('code')).toHaveCount(0)
  expect((await reader.get(address)).status()).toBe(404)
  await reader.dispose()
})

test('the row, the page, its dialogs and an empty page are accessible', async ({ page, importDeals }) => {
  await importDeals([watch('Dive')])
  await inEveryLook(page, async (check) => {
    await page.goto('/searches')
    await check('saved searches none', page.getByText('Nothing saved yet'))
    await save(page, 'watch price:<30', 'Watches')
    await importDeals([watch('Field')])
    await openFeed(page)
    await check('saved searches row', pill(page, 'Watches 1 new'))
    await openFeed(page, '?q=dive')
    await row(page).getByRole('button', { name: 'Save search' }).click()
    await check('saved searches save', dialog(page))
    await page.goto('/searches')
    await check('saved searches page', item(page, 'Watches'))
    await page.getByRole('button', { name: 'Edit Watches' }).click()
    await check('saved searches edit', dialog(page))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Feeds of Watches' }).click()
    await dialog(page).getByRole('button', { name: 'Address for new deals' }).click()
    await check('saved searches feeds', dialog(page).getByRole('button', { name: /^Revoke/ }))
  })
})

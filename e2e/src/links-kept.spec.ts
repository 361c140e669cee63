import type { Page } from '@playwright/test'
import { setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { asked, openTools, someFilters } from './links-page.ts'
import { takePicture } from './looks.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const presets = (page: Page) => page.getByRole('button', { name: /^Presets/ })
const preset = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })
const nameField = (page: Page) => dialog(page).getByRole('textbox', { name: 'Save the present set-up as' })
const customFilters = (page: Page) => page.getByRole('region', { name: 'Custom filters' })
const kept = (page: Page) => page.evaluate(() => localStorage.getItem('dealdeck.member-items') ?? '')

async function savePreset(page: Page, name: string): Promise<void> {
  await nameField(page).fill(name)
  await nameField(page).press('Enter')
}

// Of two who save one name the second is refused.
test.use({ expectedConsoleErrors: [/status of 409 .*\/api\/me\/items|ERR_FAILED/] })
test.beforeEach(({ databases }) => setFilters(databases, someFilters))

test('what the desk saves the phone has at once, and of two edits none is lost', async ({
  page: desk,
  openContext,
}) => {
  const phone = await (await openContext('user')).newPage()
  await desk.setViewportSize({ width: 1440, height: 900 })
  await phone.setViewportSize({ width: 390, height: 844 })
  await openTools(phone)
  await openTools(desk, '?q=lamp&brand=Acme')
  await presets(desk).click()
  await savePreset(desk, 'Lamps')
  await expect(phone.getByRole('button', { name: 'Presets (1)' })).toBeVisible()
  await presets(phone).click()
  await takePicture(phone, 'presets on the phone')
  await preset(phone, 'Lamps').click()
  await expect.poll(() => asked(phone)).toEqual({ k: 'lamp', rh: 'p_89:Acme' })

  // Both at once: each keeps its own, and each sees the other's.
  await presets(phone).click()
  await Promise.all([savePreset(desk, 'From the desk'), savePreset(phone, 'From the phone')])
  for (const page of [desk, phone])
    for (const name of ['Lamps', 'From the desk', 'From the phone'])
      await expect(preset(page, name)).toBeVisible()
  await takePicture(desk, 'presets on the desk')
  // The same name at once: one has it, the other is told and keeps what it typed.
  await Promise.all([savePreset(desk, 'Night'), savePreset(phone, 'night')])
  await expect(preset(desk, 'Night').or(preset(desk, 'night'))).toHaveCount(1)
  await expect(preset(phone, 'Night').or(preset(phone, 'night'))).toHaveCount(1)
  // Renamed here while it is being renamed there: what is newest is what is built upon.
  await dialog(phone).getByRole('button', { name: 'Rename Lamps' }).click()
  await dialog(desk).getByRole('button', { name: 'Delete From the phone' }).click()
  await expect(preset(phone, 'From the phone')).toHaveCount(0)
  await dialog(phone).getByRole('textbox', { name: 'New name of Lamps' }).fill('Desk lamps')
  await dialog(phone).getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(preset(desk, 'Desk lamps')).toBeVisible()
  await dialog(desk).getByRole('button', { name: 'Undo' }).click()
  await expect(preset(phone, 'From the phone')).toBeVisible()
  for (const page of [desk, phone]) await page.keyboard.press('Escape')

  await customFilters(desk).getByRole('button', { name: 'Add' }).click()
  await dialog(desk).getByRole('textbox', { name: 'Name' }).fill('Four stars')
  await dialog(desk).getByRole('textbox', { name: 'Code' }).fill('p_72:2661618011')
  await dialog(desk).getByRole('button', { name: 'Add filter' }).click()
  await expect(customFilters(desk).getByRole('checkbox', { name: 'Four stars' })).toBeChecked()
  await expect(customFilters(phone).getByRole('checkbox', { name: 'Four stars' })).not.toBeChecked()
  await takePicture(phone, 'custom filters on the phone')
  await takePicture(desk, 'custom filters on the desk')
  await customFilters(phone).getByRole('button', { name: 'Remove Four stars' }).click()
  // In the desk's link it stays until it is taken out there.
  await expect(customFilters(desk).getByRole('button', { name: 'Keep Four stars' })).toBeVisible()
})

test('what lies on the device is taken into the account once, whatever the screen, and is said', async ({
  page,
  openContext,
}) => {
  const other = await (await openContext('user')).newPage()
  await openTools(other, '?q=other')
  await presets(other).click()
  await savePreset(other, 'Lamps')
  await page.goto('/api/docs')
  await page.evaluate(() => {
    const search = { q: 'lamp', brand: ['Acme'] }
    const old = [
      { name: 'Lamps', search },
      { name: 'Torches', search: { q: 'torch' } },
    ]
    localStorage.setItem('dealdeck.link-presets', JSON.stringify(old))
    localStorage.setItem('dealdeck.custom-filters', JSON.stringify([{ name: 'Stars', code: 'p_72:1' }]))
  })
  await page.goto('/')
  await expect(preset(other, 'Torches')).toBeVisible()
  await expect(preset(other, 'Lamps (2)')).toBeVisible()
  const left = () => page.evaluate(() => Object.keys(localStorage).filter((key) => /link-p|custom/.test(key)))
  await expect.poll(left).toEqual([])
  await openTools(page)
  const line = page.getByText(
    '2 presets and 1 custom filter of this device are in your account now, on all your devices.',
  )
  for (const [name, width, height] of [
    ['phone', 390, 844],
    ['desk', 1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect(line).toBeVisible()
    await takePicture(page, `taken along on the ${name}`)
  }
  await page.reload()
  await page.getByRole('button', { name: 'OK' }).click()
  await expect(line).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Presets (3)' })).toBeVisible()
  await expect(line).toHaveCount(0)
})

test('what the account has no room for stays on the device, with the reason', async ({ page, server }) => {
  await page.goto('/api/docs')
  const rows = Array.from({ length: 102 }, (_, at) => ({ name: `P ${at}`, search: { q: String(at) } }))
  await page.evaluate((text) => localStorage.setItem('dealdeck.link-presets', text), JSON.stringify(rows))
  await openTools(page)
  const line = page.getByText(
    '2 presets on this device could not be taken into your account yet. You have 100 presets, and no room for more.',
  )
  await expect(line).toBeVisible()
  await expect(page.getByText('100 presets of this device are in your account now')).toBeVisible()
  const { items } = await (await page.request.get('/api/me/items')).json()
  for (const { id } of items.slice(0, 2))
    await page.request.delete(`/api/me/items/${id}`, { headers: { origin: server.origin } })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(line).toHaveCount(0)
})

test('signing out clears the device, and the next account sees nothing of the first', async ({
  page,
  server,
}) => {
  await openTools(page, '?q=secret')
  await presets(page).click()
  await savePreset(page, 'Private lamps')
  await expect(preset(page, 'Private lamps')).toBeVisible()
  await expect.poll(() => kept(page)).toContain('Private lamps')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await dialog(page).getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Private lamps')
  await page.getByLabel('Username').fill(server.accounts.admin.username)
  await page.getByLabel('Password', { exact: true }).fill(server.accounts.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('button', { name: 'Presets', exact: true })).toBeVisible()
  await presets(page).click()
  await expect(dialog(page)).toContainText('Save a set-up you use often; it is there on all your devices.')
})

test('an account that signs in behind an open tab sees nothing of the first, and gets nothing that lies on the device', async ({
  page,
  context,
  server,
}) => {
  await page.goto('/api/docs')
  await page.evaluate(() =>
    localStorage.setItem('dealdeck.link-presets', JSON.stringify([{ name: 'Left', search: { q: 'left' } }])),
  )
  await context.route('**/api/me/items/merge', (route) => route.abort())
  const other = await context.newPage()
  await openTools(other, '?q=lamp')
  await presets(other).click()
  await savePreset(other, 'Private lamps')
  await expect(preset(other, 'Private lamps')).toBeVisible()
  const answering = Promise.withResolvers<void>()
  await other.route('**/api/session', async (route) => {
    await answering.promise
    await route.continue()
  })
  const { admin } = server.accounts
  const signedIn = await page.request.post('/api/session', {
    data: admin,
    headers: { origin: server.origin },
  })
  const hint = JSON.stringify(await signedIn.json())
  await page.evaluate((text) => localStorage.setItem('dealdeck.session', text), hint)
  await expect(preset(other, 'Private lamps')).toHaveCount(0)
  await expect(other.getByText('Loading...')).toBeVisible()
  answering.resolve()
  await expect(presets(other)).toHaveText('Presets')
  await context.unroute('**/api/me/items/merge')
  await other.reload()
  await expect(presets(other)).toHaveText('Presets')
  await other.waitForLoadState('networkidle')
  expect((await (await page.request.get('/api/me/items')).json()).items).toEqual([])
  expect(await page.evaluate(() => localStorage.getItem('dealdeck.link-presets'))).toContain('Left')
})

test.describe('while the server can’t be reached', () => {
  test.use({ expectedConsoleErrors: [/net::ERR_/] })

  test('what the device saw last is shown, and a change says that it is not saved and can be tried again', async ({
    page,
  }) => {
    await openTools(page, '?q=lamp')
    await presets(page).click()
    await savePreset(page, 'Lamps')
    await expect(preset(page, 'Lamps')).toBeVisible()
    await page.route('**/api/me/**', (route) => route.abort())
    await page.reload()
    await expect(page.getByRole('button', { name: 'Presets (1)' })).toBeVisible()
    await presets(page).click()
    await expect(dialog(page)).toContainText('These are the presets this device saw last')
    await savePreset(page, 'More lamps')
    await expect(dialog(page).getByRole('alert')).toHaveText(
      'Not saved. Please check your connection and try again.',
    )
    await expect(nameField(page)).toHaveValue('More lamps')
    for (const [name, width, height] of [
      ['phone', 390, 844],
      ['desk', 1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await takePicture(page, `presets offline on the ${name}`)
    }
    await dialog(page).getByRole('button', { name: 'Delete Lamps' }).click()
    await expect(dialog(page).getByRole('alert')).toContainText('Not deleted.')
    await expect(preset(page, 'Lamps')).toBeVisible()
    await preset(page, 'Lamps').click()
    await openTools(page, '?with=Theirs:p_72:1')
    const keep = customFilters(page).getByRole('button', { name: 'Keep Theirs' })
    await keep.click()
    await expect(customFilters(page).getByRole('alert')).toContainText(
      '“Theirs” is not saved in your account.',
    )
    await page.unroute('**/api/me/**')
    await keep.click()
    await expect(keep).toHaveCount(0)
    await presets(page).click()
    await expect(dialog(page).getByText('saw last')).toHaveCount(0)
  })
})

test('a custom filter of a link that is left out for once can be had again', async ({ page }) => {
  await openTools(page, '?with=Old:p_72:1&with=Odd:p_72:2')
  const boxes = customFilters(page).getByRole('checkbox')
  const old = customFilters(page).getByRole('checkbox', { name: 'Old' })
  await expect(boxes).toHaveCount(2)
  const places = await boxes.evaluateAll((all) => all.map((box) => box.ariaLabel))
  await old.click()
  await expect.poll(() => asked(page)).toEqual({ rh: 'p_72:2' })
  await expect(old).not.toBeChecked()
  expect(await boxes.evaluateAll((all) => all.map((box) => box.ariaLabel))).toEqual(places)
  await old.click()
  await expect.poll(async () => (await asked(page))?.rh?.split('|')).toHaveLength(2)
  await customFilters(page).getByRole('button', { name: 'Remove Old' }).click()
  await expect(old).toHaveCount(0)
  await expect.poll(() => asked(page)).toEqual({ rh: 'p_72:2' })
})

test('a name being changed keeps to itself, and gives the focus back', async ({ page }) => {
  await openTools(page, '?q=lamp')
  await presets(page).click()
  await savePreset(page, 'Before')
  await dialog(page).getByRole('button', { name: 'Rename Before' }).click()
  const newName = dialog(page).getByRole('textbox', { name: 'New name of Before' })
  await expect(newName).toBeFocused()
  await nameField(page).click()
  await page.keyboard.type('Another')
  await expect(nameField(page)).toHaveValue('Another')
  await expect(newName).toHaveValue('Before')
  await newName.press('Escape')
  await expect(dialog(page).getByRole('button', { name: 'Rename Before' })).toBeFocused()
  await page.keyboard.press('Enter')
  await newName.fill('After')
  await newName.press('Enter')
  await expect(dialog(page).getByRole('button', { name: 'Rename After' })).toBeFocused()
  const release = await holdBack(page, '**/api/me/items/*')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('textbox', { name: 'New name of After' }).fill('Later')
  await page.keyboard.press('Enter')
  await nameField(page).click()
  release()
  await expect(dialog(page).getByRole('button', { name: 'Rename Later' })).toBeVisible()
  await expect(nameField(page)).toBeFocused()
  await dialog(page).getByRole('button', { name: 'Rename Later' }).click()
  await takePicture(page, 'a preset being renamed')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Rename Later' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByRole('button', { name: 'Undo' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(preset(page, 'Later')).toBeVisible()
})

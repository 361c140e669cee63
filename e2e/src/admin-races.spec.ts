import type { Page } from '@playwright/test'
import { listFilters } from '../../server/src/features/filters/actions.ts'
import { openAdmin, setWords, toast } from './admin.ts'
import { filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { holdBack } from './hold-back.ts'
import { insertUsers, removeOtherUsers, usersPage } from './users-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of (400|404|409)/] })

const dialog = (page: Page) => page.getByRole('dialog')
const word = (page: Page) => page.getByLabel('Word or phrase to hide')

test.beforeEach(async ({ databases }) => {
  await setWords(databases, [])
  await setFilters(databases, [filterRow('Acme Tools'), filterRow('Bolt', 'p_123:4')])
})

test('what an import comes to is said of the choice that stands, whichever answer comes last', async ({
  page,
}) => {
  await openAdmin(page)
  const release = await holdBack(page, /import\?replace=false/)
  await page.getByRole('button', { name: 'Import filters' }).click()
  await dialog(page)
    .getByLabel('File of filters')
    .setInputFiles({
      ...{ name: 'f.csv', mimeType: 'text/csv' },
      buffer: Buffer.from('category,name,code\nbrands,New,p_89:New'),
    })
  await dialog(page).getByLabel('Replace all filters by the file’s').click()
  const sum = dialog(page).getByRole('status')
  await expect(sum).toHaveText('1 added, none changed, 2 removed, none unchanged')
  const late = page.waitForResponse(/import\?replace=false/)
  release()
  await (await late).finished()
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await expect(sum).toHaveText('1 added, none changed, 2 removed, none unchanged')
})

test('a file that was refused can be chosen again once it is mended', async ({ page }) => {
  await openAdmin(page)
  await page.getByRole('button', { name: 'Import filters' }).click()
  const field = dialog(page).getByLabel('File of filters')
  await field.setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer: Buffer.from('nonsense') })
  await expect(dialog(page).getByRole('alert')).toContainText('Line 1')
  const chooser = page.waitForEvent('filechooser')
  await field.click()
  await chooser
  // The browser says nothing of a choice that leaves the field as it is.
  await expect(field).toHaveValue('')
})

test('a filter removed by a double click is removed, and can come back', async ({ page, databases }) => {
  await openAdmin(page)
  const answered: number[] = []
  page.on('response', (response) => {
    if (response.request().method() === 'DELETE') answered.push(response.status())
  })
  await page.getByRole('button', { name: 'Remove Bolt' }).dblclick()
  await expect(toast(page, 'Removed “Bolt”.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Bolt' })).toHaveCount(0)
  expect(answered).toEqual([204])
  await toast(page, 'Removed “Bolt”.').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Remove Bolt' })).toBeVisible()
  expect(await listFilters(databases)).toHaveLength(2)
})

test('the second click of a slow double click removes no other filter', async ({ page, databases }) => {
  await openAdmin(page)
  const box = await page.getByRole('button', { name: 'Remove Acme Tools' }).boundingBox()
  if (!box) throw new Error('There is no such button')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
    // By the second click the next filter stands in this place.
    await expect(page.getByRole('button', { name: 'Remove Acme Tools' })).toHaveCount(0)
  }
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(toast(page, 'Added “Acme Tools”.').or(toast(page, '“Acme Tools” is back.'))).toBeVisible()
  expect(await listFilters(databases)).toHaveLength(2)
})

test('text marked with the pointer beyond the edge of a dialog leaves it open', async ({ page }) => {
  await openAdmin(page)
  await page.getByRole('button', { name: 'Add filter' }).click()
  const name = dialog(page).getByLabel('Name')
  await name.fill('Cog')
  const box = await name.boundingBox()
  if (!box) throw new Error('There is no such field')
  await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(5, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  await expect(name).toHaveValue('Cog')
  // A click that begins beside it closes it.
  await page.mouse.click(5, box.y + box.height / 2)
  await expect(dialog(page)).toHaveCount(0)
})

test('a filter that is saved late closes no other dialog', async ({ page }) => {
  await openAdmin(page)
  const release = await holdBack(page, '**/api/amazon_filters/*')
  await page.getByRole('button', { name: 'Edit Bolt' }).click()
  await dialog(page).getByLabel('Code').fill('p_123:5')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit Acme Tools' }).click()
  await dialog(page).getByLabel('Name').fill('Acme Hammers')
  release()
  await expect(toast(page, 'Saved “Bolt”.')).toBeVisible()
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Acme Hammers')
})

test('what is typed while a word is added stays, also where that one is refused', async ({ page }) => {
  await openAdmin(page, 'words')
  const release = await holdBack(page, '**/api/blacklisted_words')
  await word(page).fill('wig')
  await word(page).press('Enter')
  await word(page).fill('flag')
  release()
  await expect(toast(page, 'Added “wig”.')).toBeVisible()
  await expect(word(page)).toHaveValue('flag')
  const releaseAgain = await holdBack(page, '**/api/blacklisted_words')
  await word(page).fill('WIG')
  await word(page).press('Enter')
  await word(page).fill('flag')
  releaseAgain()
  await expect(page.getByText('“WIG”: Failed to add word. It may already exist.')).toBeVisible()
  await expect(word(page)).toHaveValue('flag')
})

test('a user who is saved late closes no other dialog', async ({ page, databases }) => {
  await removeOtherUsers(databases)
  await insertUsers(databases, ['zoe', 'zack'])
  const users = usersPage(page)
  await users.open()
  const release = await holdBack(page, '**/api/users/*')
  await users.button('Edit', 'zoe').click()
  await users.dialog.getByLabel('Username').fill('zora')
  await users.dialog.getByRole('button', { name: 'Save' }).click()
  await page.keyboard.press('Escape')
  await users.button('Edit', 'zack').click()
  await users.dialog.getByLabel('Username').fill('zacharias')
  release()
  await expect(users.said('zora is saved')).toBeVisible()
  await expect(users.dialog.getByLabel('Username')).toHaveValue('zacharias')
})

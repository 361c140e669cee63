import type { Page } from '@playwright/test'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { nextFrame } from './moments.ts'

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const edit = (page: Page) => page.getByRole('button', { name: 'Edit profile' })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

async function open(page: Page, query = ''): Promise<void> {
  await page.goto(`/profile${query}`)
  await expect(tab(page, 'Profile')).toBeVisible()
}

/** A picture of one colour, drawn by the page itself. */
async function pictureFile(page: Page): Promise<Buffer> {
  const address = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 640
    canvas.height = 400
    const context = canvas.getContext('2d')
    if (context) context.fillStyle = '#c0392b'
    context?.fillRect(0, 0, 640, 400)
    return canvas.toDataURL('image/png')
  })
  return Buffer.from(address.split(',')[1] ?? '', 'base64')
}

test('the name in the header leads to the profile, whose tabs are in the address', async ({ page }) => {
  await page.goto('/amazon-haul')
  await page.getByRole('link', { name: 'Profile of una' }).click()
  await expect(page).toHaveURL('/profile')
  await expect(page).toHaveTitle('Profile · Dealdeck')
  await tab(page, 'Security').click()
  await expect(page).toHaveURL('/profile?tab=security')
  await page.reload()
  await expect(tab(page, 'Security')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(tab(page, 'Profile')).toHaveAttribute('aria-selected', 'true')
  await page.goto('/?tab=profile')
  await expect(page).toHaveURL('/profile')
})

test('the profile is edited, checked, kept on the device and never sent', async ({ page }) => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url())
  })
  await page.clock.install()
  await open(page)
  await expect(page.getByRole('heading', { name: 'una', level: 1 })).toBeVisible()
  await edit(page).click()
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.getByLabel('Username').fill(' ')
  await page.getByLabel('Email').fill('not an address')
  await save(page).click()
  await expect(page.getByText('Username is required')).toBeVisible()
  await expect(page.getByText('Enter an address such as name@example.com')).toBeVisible()
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.getByLabel('Username').fill('una-b')
  await page.getByLabel('Email').fill('una@example.com')
  await page.getByLabel('First name').fill('Una')
  await page.getByLabel('Last name').fill('Berg')
  await page.getByLabel('Bio').fill('Collects lanterns.\nAnd mugs.')
  await page.clock.pauseAt(Date.now() + 60_000)
  await save(page).click()
  const said = page.getByRole('status').filter({ hasText: 'Profile saved' })
  await expect(said).toBeVisible()
  await expect(edit(page)).toBeFocused()
  await page.clock.runFor(2_900)
  await expect(said).toBeVisible()
  await page.clock.runFor(200)
  await expect(said).toHaveCount(0)
  await page.clock.resume()
  await expect(page.getByRole('heading', { name: 'Una Berg', level: 1 })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Una Berg', level: 1 })).toBeVisible()
  await expect(page.getByText('Collects lanterns.')).toBeVisible()

  await edit(page).click()
  await page.getByLabel('First name').fill('Somebody else')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Una Berg', level: 1 })).toBeVisible()
  expect(sent).toEqual([])
})

test('a picture of the device’s own takes the place of the initials, and goes again', async ({ page }) => {
  await open(page)
  const pictures = page.locator('main img')
  await expect(pictures).toHaveCount(0)
  await edit(page).click()
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    page.getByLabel('Picture', { exact: true }).setInputFiles({ name, mimeType, buffer })
  await choose('notes.png', 'image/png', Buffer.from('no picture'))
  await expect(page.getByText('This file is no picture that can be read.')).toBeVisible()
  await choose('red.png', 'image/png', await pictureFile(page))
  await expect(page.getByText('This file is no picture')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Remove picture' })).toBeVisible()
  await save(page).click()
  await expect(pictures).toHaveCount(1)
  await page.reload()
  await expect(pictures).toHaveCount(1)
  const size = await pictures.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
  expect(size).toEqual([256, 256])
  await expect(page.getByRole('banner').locator('img')).toHaveCount(1)
  await edit(page).click()
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await save(page).click()
  await expect(pictures).toHaveCount(0)
})

test('preferences take effect at once and stay', async ({ page, importDeals }) => {
  await importDeals([
    dealRow({ title: 'Cheap enamel mug', price: 8 }),
    dealRow({ title: 'Dear mug', price: 20 }),
  ])
  await page.emulateMedia({ colorScheme: 'light' })
  await open(page, '?tab=preferences')
  await page.getByRole('radio', { name: 'Dark', exact: true }).check()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')

  const price = page.getByLabel('Default max price')
  await expect(price).toHaveValue('30')
  for (const wrong of ['0', '1000.5', 'ten', '']) {
    await price.fill(wrong)
    await expect(page.getByText('Enter a price from 1 to 1000. Until then it stays $30.00.')).toBeVisible()
  }
  await price.fill('10')
  await expect(page.getByText('Enter a price from 1 to 1000')).toHaveCount(0)
  await page.getByRole('link', { name: 'Deals', exact: true }).click()
  await expect(page.getByText('Cheap enamel mug')).toBeVisible()
  await expect(page.getByText('Dear mug')).toHaveCount(0)
  await page.goto('/tools')
  await page.getByRole('switch', { name: 'Price range' }).click()
  await expect(page.getByLabel('Max price')).toHaveValue('10')
  await open(page, '?tab=preferences')
  await expect(price).toHaveValue('10')
  const other = await page.context().newPage()
  await open(other, '?tab=preferences')
  await other.getByLabel('Default max price').fill('1,000')
  await expect(price).toHaveValue('1000')
})

test('without notifications no toast comes, without auto refresh no stream is opened', async ({
  page,
  importDeals,
}) => {
  const streams: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') streams.push(request.url())
  })
  const toast = page.getByText('New Deals Available!')
  // Dearer than what the feed asks for first, so that they are there when the whole list is.
  const arrive = (title: string) => importDeals([dealRow({ title, price: 12 })])
  const openFeed = async (newest: string) => {
    await page.goto('/amazon-haul')
    await expect(page.getByText(newest)).toBeVisible()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
  }
  await arrive('First mug')
  await open(page, '?tab=preferences')
  await page.getByRole('switch', { name: 'Notifications' }).click()
  await openFeed('First mug')
  const asked = page.waitForResponse(/ids=/)
  await arrive('Second mug')
  // With this answer a toast is raised, where there is to be one.
  await (await asked).finished()
  await expect(page.getByRole('definition').first()).toHaveText('2')
  await nextFrame(page)
  await expect(toast).toHaveCount(0)
  await open(page, '?tab=preferences')
  await page.getByRole('switch', { name: 'Notifications' }).click()
  await openFeed('Second mug')
  await arrive('Third mug')
  await expect(toast).toBeVisible()

  await open(page, '?tab=preferences')
  await page.getByRole('switch', { name: 'Auto refresh' }).click()
  streams.length = 0
  await page.goto('/amazon-haul')
  await expect(page.getByText('Third mug')).toBeVisible()
  await expect(page.getByText('Paused', { exact: true })).toBeVisible()
  expect(streams).toEqual([])
})

import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { soon } from './moments.ts'
import { insertHeld, insertSource, removeSources, rhythm, sourcesPage } from './sources-page.ts'

test.use({ role: 'admin' })
test.beforeEach(({ databases }) => removeSources(databases))

const line = (page: Page) => page.getByRole('complementary', { name: 'Sources that need you' })
const days = (count: number) => -count * 24 * 60

test('every screen of an administrator names a silent source, until it is put off for the day', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases, { last_new_at: soon(days(6)), rhythm: rhythm([1], 60) })
  await insertHeld(databases, id, [{ asin: 'B0HELD0001' }])
  await page.goto('/profile')
  await expect(line(page)).toHaveText(
    /^mugs\.example Nothing new came for 6 days; usually something does every/,
  )
  await page.getByRole('link', { name: /^Admin 1 row waits in quarantine/ }).hover()
  await line(page).getByRole('link', { name: 'mugs.example' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'mugs.example' })).toBeVisible()
  await page.goto('/amazon-haul')
  await line(page).getByRole('button', { name: 'Hide this until tomorrow' }).click()
  await expect(line(page)).toHaveCount(0)
  await page.goto('/')
  await expect(page.getByRole('link', { name: /^Admin 1/ })).toBeVisible()
  await expect(line(page)).toHaveCount(0)

  // One that fails later is another matter.
  await insertSource(databases, { name: 'lamps', state: 'failing', failing_since: soon(days(2)) })
  await page.reload()
  await expect(line(page)).toHaveText(/^lamps It has not answered for 2 days/)
})

test('several are named in one line, which leads to all of them', async ({ page, databases }) => {
  for (const name of ['lamps', 'mugs', 'rugs', 'cups'])
    await insertSource(databases, { name, state: 'failing', failing_since: soon(days(2)) })
  await page.goto('/filters')
  await expect(line(page)).toHaveText(/^4 sources need you: cups, lamps, mugs and 1 more/)
  await line(page).getByRole('link').click()
  await expect(sourcesPage(page).list).toHaveCount(4)
})

test.describe('for others', () => {
  test.use({ role: 'user' })
  test('nothing is asked, and nothing said', async ({ page, databases }) => {
    await insertSource(databases, { state: 'failing', failing_since: soon(days(2)) })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto('/profile')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.goto('/amazon-haul')
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(line(page)).toHaveCount(0)
    expect(asked.filter((path) => path.startsWith('/api/sources'))).toEqual([])
  })
})

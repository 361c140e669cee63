import type { Page } from '@playwright/test'
import { addWord } from '../../server/src/features/blacklist/actions.ts'
import { openAdmin, setWords, toast } from './admin.ts'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'

test.use({ role: 'admin' })

const rows = (page: Page) => page.getByRole('list', { name: 'Blacklisted words' }).getByRole('listitem')
const field = (page: Page) => page.getByLabel('Word or phrase to hide')

test.beforeEach(({ databases }) => setWords(databases, []))

test('a preview says what a word would hide; adding it empties everybody’s feed of that at once', async ({
  page,
  openContext,
  importDeals,
}) => {
  await importDeals([
    ...Array.from({ length: 6 }, (_, index) => dealRow({ title: `Festival WIG no. ${index + 1}` })),
    dealRow({ title: 'Garden hose' }),
  ])
  const other = await (await openContext('user')).newPage()
  await other.goto('/amazon-haul')
  await expect(other.getByText('Festival WIG no. 1')).toBeVisible()

  await openAdmin(page, 'words')
  await expect(page.getByText('No words yet')).toBeVisible()
  await field(page).fill('  wiG ')
  await expect(page.getByText('Would hide 6 deals.')).toBeVisible()
  await expect(page.getByText('Festival WIG no. 6')).toBeVisible()
  await expect(page.locator('li', { hasText: 'Festival WIG' })).toHaveCount(5)
  await page.getByRole('button', { name: 'Add word' }).click()
  await expect(toast(page, 'Added “wig”. It hides 6 deals.')).toBeVisible()
  // What its reader has on the screen keeps its place, and says that it is gone.
  const offered = other.getByRole('article').filter({ hasText: 'Festival WIG' })
  await expect(offered.filter({ hasNotText: 'No longer available' })).toHaveCount(0)
  await expect(field(page)).toHaveValue('')
  await expect(rows(page)).toContainText(['wig'])

  await page.getByRole('button', { name: 'Remove wig' }).click()
  await expect(rows(page)).toHaveCount(0)
  await toast(page, 'Removed “wig”.').getByRole('button', { name: 'Undo' }).click()
  await expect(rows(page)).toContainText(['wig'])
})

test('adds, removes, shows and brings back by keyboard alone', async ({ page }) => {
  await openAdmin(page, 'words')
  await field(page).focus()
  await page.keyboard.type('Crochet  Hair')
  await expect(page.getByText('Would hide no deal')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(rows(page)).toContainText(['crochet hair'])
  await expect(field(page)).toBeFocused()
  await page.getByRole('button', { name: 'Remove crochet hair' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No active words')).toBeVisible()
  await page.getByRole('switch', { name: 'Show inactive words' }).focus()
  await page.keyboard.press('Space')
  await expect(rows(page)).toContainText(['Inactive'])
  await expect(page.getByRole('button', { name: 'Remove crochet hair' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Activate crochet hair' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove crochet hair' })).toBeVisible()
})

test('the second click of a slow double click undoes nothing', async ({ page, databases }) => {
  await setWords(databases, ['flag'])
  await openAdmin(page, 'words')
  await page.getByRole('switch', { name: 'Show inactive words' }).click({ force: true })
  const box = await page.getByRole('button', { name: 'Remove flag' }).boundingBox()
  if (!box) throw new Error('There is no such button')
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2)
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
    await expect(toast(page, 'Removed “flag”.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Activate flag' })).toBeVisible()
  }
  await page.reload()
  await expect(page.getByText('No active words')).toBeVisible()
})

test.describe('refusals', () => {
  test.use({ expectedConsoleErrors: [/status of (400|409|503)|net::ERR_FAILED/] })

  test('a blank word, one that is there and a failed removal are said so', async ({ page, databases }) => {
    await addWord(databases, 'flag')
    await openAdmin(page, 'words')
    await page.getByRole('button', { name: 'Add word' }).click()
    await expect(page.getByText('Please enter a word')).toBeVisible()
    await field(page).fill('FLAG')
    await expect(page.getByText('This word is on the list and active already.')).toBeVisible()
    await page.getByRole('button', { name: 'Add word' }).click()
    await expect(page.getByText('Failed to add word. It may already exist.')).toBeVisible()
    await expect(field(page)).toHaveValue('FLAG')
    await page.route('**/api/blacklisted_words/*', (route) =>
      route.fulfill({ status: 503, json: { code: 'X' } }),
    )
    await page.getByRole('button', { name: 'Remove flag' }).click()
    await expect(toast(page, 'Failed to remove word. Please try again.')).toBeVisible()
    await expect(rows(page)).toHaveCount(1)
  })

  test('words that can’t be loaded: said so, the built-in ones stand in, labelled, and go away', async ({
    page,
    databases,
  }) => {
    await addWord(databases, 'flagpole')
    await page.route('**/api/blacklisted_words?*', (route) => route.abort())
    await openAdmin(page, 'words')
    const message = page.getByText('Failed to load blacklisted words. Please try again.')
    await expect(message).toBeVisible()
    await expect(page.getByText("Showing the ten built-in words, the server can't be reached")).toBeVisible()
    await expect(page.getByRole('list', { name: 'Built-in words' }).getByRole('listitem')).toHaveCount(10)
    await expect(page.getByText('flagpole')).toHaveCount(0)
    await page.unroute('**/api/blacklisted_words?*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(rows(page)).toContainText(['flagpole'])
    await expect(message).toHaveCount(0)
  })
})

test('2,000 words: only those near the screen exist, search finds any', async ({ page, databases }) => {
  await setWords(
    databases,
    Array.from({ length: 2_000 }, (_, index) => `word ${String(index + 1).padStart(4, '0')}`),
  )
  await openAdmin(page, 'words')
  await expect(page.getByText('2,000 active words')).toBeVisible()
  await expect(rows(page).first()).toHaveAttribute('aria-setsize', '2000')
  expect(await rows(page).count()).toBeLessThan(150)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await expect(rows(page).last()).toContainText('word 2000')
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.getByRole('searchbox', { name: 'Search words' }).fill('WORD 133')
  await expect(rows(page)).toHaveCount(10)
})

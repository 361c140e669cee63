import type { Locator, Page } from '@playwright/test'
import { type DealRow, dealRow, dealRows, uniqueText } from './deals.ts'
import { openFeed, searchBox } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { type Check, inEveryLook } from './looks.ts'
import { withoutPreloadedResponses } from './preloaded-responses.ts'

type Import = (rows: DealRow[]) => Promise<unknown>
type Screen = {
  role: 'user' | 'admin' | null
  deals: number
  open: (page: Page, importDeals: Import) => Promise<unknown>
  /** What says that it is open. */
  shown: (page: Page) => Locator
  /** Whether a wide window has more open from the beginning than one that was narrow. */
  isOpenedAtEachSize?: boolean
}

const firstCard = (page: Page) => page.getByRole('article').first()

/** Screens, and layers that can lie over one, that no test of their own looks at. */
const screens: Record<string, Screen> = {
  feed: {
    role: 'user',
    deals: 60,
    open: (page) => page.goto('/amazon-haul'),
    shown: firstCard,
    isOpenedAtEachSize: true,
  },
  'feed with filters': {
    role: 'user',
    deals: 60,
    open: async (page) => {
      await page.goto('/amazon-haul?sort=price')
      await expect(firstCard(page)).toBeVisible()
      const toggle = page.getByRole('button', { name: /^Filters/ })
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    },
    shown: (page) => page.getByLabel('Sort by'),
  },
  'empty feed': {
    role: 'admin',
    deals: 0,
    open: (page) => page.goto('/amazon-haul'),
    shown: (page) => page.getByText('No deals yet'),
    isOpenedAtEachSize: true,
  },
  'feed without a match': {
    role: 'user',
    deals: 3,
    open: async (page) => {
      await page.goto('/amazon-haul')
      await searchBox(page).fill('nothing is called this')
    },
    shown: (page) => page.getByText('No deal matches'),
  },
  'feed that is asked': {
    role: 'user',
    deals: 3,
    open: async (page) => {
      await page.goto('/amazon-haul?q=lantern+off:lots+price:<30')
      await expect(page.getByText("'off:lots' needs a number")).toBeVisible()
      await searchBox(page).press('End')
      await searchBox(page).pressSequentially(' condition:')
    },
    shown: (page) => page.getByRole('option', { name: 'renewed' }),
  },
  'help with questions': {
    role: 'user',
    deals: 3,
    open: async (page) => {
      await page.goto('/amazon-haul')
      await searchBox(page).focus()
      await page.getByRole('button', { name: 'How to ask for deals' }).click()
    },
    shown: (page) => page.getByRole('heading', { name: 'Everything to ask for' }),
  },
  share: {
    role: 'user',
    deals: 3,
    open: async (page) => {
      await page.goto('/amazon-haul')
      await page
        .getByRole('button', { name: /^Share / })
        .first()
        .click()
    },
    shown: (page) => page.getByRole('dialog', { name: 'Share this deal' }),
  },
  'feed that failed': {
    role: 'user',
    deals: 0,
    open: async (page) => {
      await withoutPreloadedResponses(page)
      await page.route(/\/api\/products\?/, (route) => route.abort())
      await page.goto('/amazon-haul')
    },
    shown: (page) => page.getByText('⚠️ Error Loading Deals'),
  },
  'new deals': {
    role: 'user',
    deals: 3,
    open: async (page, importDeals) => {
      await openFeed(page)
      await importDeals(dealRows(2))
    },
    shown: (page) => page.getByText('New Deals Available!'),
  },
  'words that stand in': {
    role: 'admin',
    deals: 0,
    open: async (page) => {
      await page.route('**/api/blacklisted_words?*', (route) => route.abort())
      await page.goto('/admin-dashboard?tab=words')
    },
    shown: (page) => page.getByText('Showing the ten built-in words'),
  },
  'filters that stand in': {
    role: 'user',
    deals: 0,
    open: async (page) => {
      await page.route('**/api/amazon_filters*', (route) => route.abort())
      await page.goto('/filters')
    },
    shown: (page) => page.getByText('Showing default filters'),
  },
  'a screen that broke': {
    role: 'user',
    deals: 0,
    open: async (page) => {
      const body = 'export const ImagesScreen = () => { throw new Error("broken on purpose") }'
      await page.route('**/assets/images-screen-*.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body }),
      )
      await page.goto('/image-tools')
    },
    shown: (page) => page.getByRole('heading', { name: 'Something went wrong' }),
  },
  loading: {
    role: 'user',
    deals: 0,
    open: async (page) => {
      await withoutPreloadedResponses(page)
      // Never answered.
      await page.route('**/api/session', () => {})
      await page.goto('/')
    },
    shown: (page) => page.getByText('Loading...'),
  },
}

for (const [name, screen] of Object.entries(screens)) {
  test.describe(name, () => {
    test.use({ role: screen.role, expectedConsoleErrors: [/net::ERR_FAILED|broken on purpose/] })

    test('axe finds nothing', async ({ page, importDeals }) => {
      if (screen.deals > 0) await importDeals(dealRows(screen.deals))
      const steps = async (check: Check) => {
        await screen.open(page, importDeals)
        await expect(screen.shown(page)).toBeVisible()
        await check(name, screen.shown(page))
      }
      await inEveryLook(page, steps, screen)
    })
  })
}

/** Presses Tab until the focus is there; fails when it never gets there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isFocused = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await target.count()) === 1 && (await isFocused())) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${target}`)
}

test.describe('by keyboard alone', () => {
  test.use({ role: null, viewport: { width: 1440, height: 900 } })

  test('sign in, filter, open a deal, share it and sign out', async ({
    page,
    context,
    server,
    importDeals,
  }) => {
    const title = uniqueText('Brass desk bell')
    await importDeals([dealRow({ title, prime_eligible: true }), ...dealRows(8, { prime_eligible: false })])
    await page.goto('/amazon-haul')

    await tabTo(page, page.getByLabel('Username'))
    await page.keyboard.type(server.accounts.user.username)
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(server.accounts.user.password)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('article')).toHaveCount(9)

    await page.keyboard.press('/')
    await expect(searchBox(page)).toBeFocused()
    await page.keyboard.type('desk BELL')
    await expect(page.getByRole('article')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('article')).toHaveCount(9)
    await tabTo(page, page.getByLabel('Prime only'))
    await page.keyboard.press('Space')
    await expect(page.getByRole('article')).toHaveCount(1)

    await tabTo(page, page.getByRole('link', { name: title }))
    await tabTo(page, page.getByRole('article').getByRole('link', { name: /^Open in shop/ }))
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Enter')
    const product = await opened
    await expect(product).toHaveURL(/^https:\/\/www\.amazon\.com\/dp\//)
    expect(await product.evaluate(() => window.opener)).toBeNull()
    await product.close()

    await tabTo(page, page.getByRole('button', { name: `Share ${title}` }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Share this deal' })
    await expect(dialog).toBeVisible()
    await expect(dialog.getByText(`Check out this amazing deal: ${title} - Only $9.99!`)).toBeVisible()
    await tabTo(page, dialog.getByRole('button', { name: 'Copy link' }))
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByRole('button', { name: `Share ${title}` })).toBeFocused()

    await page.reload()
    await expect(page.getByRole('article')).toHaveCount(1)
    await tabTo(page, page.getByRole('button', { name: 'Sign Out' }))
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Sign out' })
    await expect(question).toBeVisible()
    await tabTo(page, question.getByRole('button', { name: 'Sign Out' }))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Username')).toBeVisible()
  })
})

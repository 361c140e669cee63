import type { Locator, Page } from '@playwright/test'
import { addWord, setWordActive } from '../../server/src/features/blacklist/actions.ts'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { type AdminTab, openAdmin } from './admin.ts'
import { type DealRow, dealRows, removeAllDeals } from './deals.ts'
import { brandRows, filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { type Check, inEveryLook } from './looks.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of (400|409)/] })

const long = 'An extraordinarily long name that nobody would ever print on a box, with (parentheses) and more'

type View = {
  tab: AdminTab
  open?: (page: Page) => Promise<Locator>
  /** Whether it goes with the pointer. */
  isOpenedAtEachSize?: boolean
}

/** Each tab, and what can lie over it or open in it; `open` returns what says that it is there. */
const views: Record<string, View> = {
  filters: { tab: 'filters' },
  'add filter': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Acme 1')
      await page.getByRole('dialog').getByLabel('Code').fill('p_89:Acme')
      await page.getByRole('dialog').getByRole('button', { name: 'Add filter' }).click()
      return page.getByText('Filter name already exists in this category')
    },
  },
  'import filters': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Import' }).click()
      const buffer = Buffer.from('category,name,code\nbrands,,x\nshoes,y,z\n')
      const input = page.getByRole('dialog').getByLabel('File of filters')
      await input.setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer })
      return page.getByText('line 3: category')
    },
  },
  'filter removed': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Remove Acme 1', exact: true }).click()
      // A note stands for as long as the pointer rests on it.
      await page.getByRole('status').filter({ hasText: 'Undo' }).getByText('Acme 1').hover()
      return page.getByRole('button', { name: 'Undo' })
    },
    isOpenedAtEachSize: true,
  },
  words: {
    tab: 'words',
    open: async (page) => {
      await page.getByLabel('Word or phrase to hide').fill('lantern')
      await expect(page.getByText('Would hide 14 deals.')).toBeVisible()
      await page.getByLabel('Show inactive words').click()
      return page.getByRole('button', { name: 'Activate banner' })
    },
  },
  import: {
    tab: 'import',
    open: async (page) => {
      await page.getByLabel('Name of a new token').fill('nightly')
      await page.keyboard.press('Enter')
      await expect(page.getByText('copy it now')).toBeVisible()
      await page.getByRole('button', { name: 'rejected' }).first().click()
      return page.getByRole('cell').first()
    },
  },
  audit: {
    tab: 'audit',
    open: async (page) => page.getByRole('list', { name: 'Audit list' }),
  },
}

/** Puts the same filters, words, deals and imports in the place of all others. */
async function fill(databases: Databases, importDeals: (rows: DealRow[], query: string) => Promise<unknown>) {
  const actor = { id: 1, username: 'ada' }
  await removeAllDeals(databases)
  await databases.durablePool.query('truncate imports, import_rejects, ingest_tokens')
  const brands = brandRows(30).map(({ name: text, ...brand }) => ({
    ...brand,
    name: text.replace('Brand', 'Acme'),
  }))
  await setFilters(databases, [
    filterRow(long, `p_89:${long}`),
    ...brands,
    filterRow('60% off', 'p_8:60-', 'percent_off'),
  ])
  for (const word of ['human braiding hair', long.toLowerCase()]) await addWord(databases, word, actor)
  const { id } = await addWord(databases, 'banner', actor)
  await setWordActive(databases, id, false, actor)
  await importDeals(dealRows(12), '?file=lanterns of may.json')
  await importDeals([...dealRows(2), { asin: 'x', title: 'Nothing else', price: 1 }], '?file=b.json')
}

for (const [name, view] of Object.entries(views)) {
  test(`${name}`, async ({ page, databases, importDeals }) => {
    const steps = async (check: Check) => {
      await fill(databases, importDeals)
      await openAdmin(page, view.tab)
      const stats = page.getByRole('list', { name: 'Quick stats' })
      await expect(stats).toContainText('32')
      const shown = (await view.open?.(page)) ?? stats
      await expect(shown).toBeVisible()
      await check(`admin ${name}`, shown)
    }
    await inEveryLook(page, steps, view)
  })
}

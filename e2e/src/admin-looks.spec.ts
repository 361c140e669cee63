import type { Page } from '@playwright/test'
import { addWord, setWordActive } from '../../server/src/features/blacklist/actions.ts'
import { type AdminTab, openAdmin } from './admin.ts'
import { dealRows } from './deals.ts'
import { brandRows, filterRow, setFilters } from './filters.ts'
import { expect, test } from './fixtures.ts'
import { expectAccessible, looks, takePicture } from './looks.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of (400|409)/] })

const long = 'An extraordinarily long name that nobody would ever print on a box, with (parentheses) and more'

/** Each tab, and what can lie over it or open in it. */
const views: Record<string, { tab: AdminTab; open?: (page: Page) => Promise<void> }> = {
  filters: { tab: 'filters' },
  'add filter': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Acme 1')
      await page.getByRole('dialog').getByLabel('Code').fill('p_89:Acme')
      await page.getByRole('dialog').getByRole('button', { name: 'Add filter' }).click()
      await expect(page.getByText('Filter name already exists in this category')).toBeVisible()
    },
  },
  'import filters': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Import' }).click()
      const buffer = Buffer.from('category,name,code\nbrands,,x\nshoes,y,z\n')
      const input = page.getByRole('dialog').getByLabel('File of filters')
      await input.setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer })
      await expect(page.getByText('line 3: category')).toBeVisible()
    },
  },
  'filter removed': {
    tab: 'filters',
    open: async (page) => {
      await page.getByRole('button', { name: 'Remove Acme 1', exact: true }).click()
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
    },
  },
  words: {
    tab: 'words',
    open: async (page) => {
      await page.getByLabel('Word or phrase to hide').fill('lantern')
      await expect(page.getByText('Would hide 14 deals.')).toBeVisible()
      await page.getByLabel('Show inactive words').click()
      await expect(page.getByRole('button', { name: 'Activate banner' })).toBeVisible()
    },
  },
  ingest: {
    tab: 'ingest',
    open: async (page) => {
      await page.getByLabel('Name of a new token').fill('nightly')
      await page.keyboard.press('Enter')
      await expect(page.getByText('copy it now')).toBeVisible()
      await page.getByRole('button', { name: 'rejected' }).first().click()
      await expect(page.getByRole('cell').first()).toBeVisible()
    },
  },
  audit: {
    tab: 'audit',
    open: (page) => expect(page.getByRole('list', { name: 'Audit list' })).toBeVisible(),
  },
}

for (const look of looks) {
  test.describe(look.name, () => {
    test.use(look.use)

    for (const [name, { tab, open }] of Object.entries(views)) {
      test(`${name}`, async ({ page, databases, importDeals }) => {
        const actor = { id: 1, username: 'ada' }
        await databases.writePool.query('truncate imports, import_rejects, ingest_tokens')
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
        await openAdmin(page, tab)
        await expect(page.getByRole('list', { name: 'Quick stats' })).toContainText('32')
        await open?.(page)
        await expectAccessible(page)
        await takePicture(page, `admin ${name} ${look.name}`)
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
        expect(scrollWidth).toBe(clientWidth)
      })
    }
  })
}

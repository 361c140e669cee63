import type { Locator, Page } from '@playwright/test'
import type { Databases } from '../../server/src/platform/database/database.ts'
import { openAdmin } from './admin.ts'
import { dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { inEveryLook, moreSizes } from './looks.ts'
import { soon } from './moments.ts'
import {
  insertHeld,
  insertRun,
  insertSource,
  openSite,
  removeSources,
  rhythm,
  type Site,
} from './sources-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of 4\d\d/] })

let site: Site
test.beforeAll(async () => {
  site = await openSite()
  site.answers.set('/lanterns.json', {
    body: JSON.stringify([...dealRows(12), { asin: 'x', title: 'Nothing else', price: 1 }]),
  })
})
test.afterAll(() => site.close())

const long = 'Lantern prices of the north, all of them, from a shop with an extraordinarily long name'

/** A source of every state; returns the id of the failing one. */
async function fill(databases: Databases): Promise<number> {
  await removeSources(databases)
  const days = rhythm([4, 9, 0, 12, 30, 2, 7, 7, 3])
  const text = 'The address answers 404 (not found). Check whether it has moved.'
  const failing = { state: 'failing', failing_since: soon(-3 * 24 * 60), state_text: text, rhythm: days }
  const id = await insertSource(databases, {
    name: long,
    ...failing,
    trusted_rules: '{title}',
    refused_rules: '{currency,price_low}',
  })
  await insertRun(databases, id, {
    received: 34,
    created: 3,
    updated: 2,
    unchanged: 28,
    held: 1,
    cost: '10 tokens',
  })
  await insertRun(databases, id, { state: 'unchanged' })
  await insertRun(databases, id, { state: 'failed', text, notes: '{It has moved to another address.}' })
  const fine = await insertSource(databases, { name: 'mugs.example', rhythm: days })
  await insertRun(databases, fine, { received: 34, created: 3, unchanged: 31 })
  await insertSource(databases, {
    name: 'new.example',
    state: 'new',
    last_run_at: null,
    last_success_at: null,
  })
  await insertSource(databases, {
    name: 'tokens.example',
    state: 'waiting',
    state_text: 'It waits for tokens.',
  })
  await insertSource(databases, {
    name: 'sales.example',
    state: 'not_eligible',
    state_text: 'It needs three sales.',
  })
  await insertSource(databases, { name: 'old.example', state: 'paused', is_paused: true, next_run_at: null })
  const silent = { last_new_at: soon(-6 * 24 * 60), rhythm: rhythm([1], 60) }
  await insertSource(databases, { name: 'silent.example', ...silent })
  await insertHeld(databases, id, [
    { asin: 'B0HELD0001', title: long },
    {
      asin: 'B0HELD0002',
      old: null,
      price: 1,
      rule: 'list_price',
      reason: '$1.00 is less than 5 % of the list price.',
    },
    { asin: 'B0HELD0003', price: 400, rule: 'price_high' },
    {
      ...{ asin: 'B0HELD0004', price: 1_219.99, rule: 'currency', currency: 'EUR' },
      reason: 'Its price is in EUR, not in USD. Let through, 1,219.99 counts as $1,219.99.',
    },
  ])
  return id
}

/** Each view, and what says that it is there. */
const views: Record<string, (page: Page, databases: Databases) => Promise<Locator>> = {
  'no sources': async (page, databases) => {
    await removeSources(databases)
    await openAdmin(page, 'sources')
    return page.getByRole('heading', { name: 'No sources yet' })
  },
  'all sources': async (page, databases) => {
    await fill(databases)
    await openAdmin(page, 'sources')
    await expect(page.getByRole('complementary')).toContainText('2 sources need you')
    return page.getByRole('heading', { name: /need you: 1 failing/ })
  },
  'one source': async (page, databases) => {
    await page.goto(`/admin-dashboard?tab=sources&source=${await fill(databases)}`)
    return page.getByText('It has moved to another address.')
  },
  'a source that is edited': async (page, databases) => {
    await page.goto(`/admin-dashboard?tab=sources&source=${await fill(databases)}-edit`)
    await page.getByText('More settings of this kind').click()
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    return page.getByText('Please enter a name')
  },
  'a source that is tried': async (page, databases) => {
    await removeSources(databases)
    await page.goto('/admin-dashboard?tab=sources&source=new-address')
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill(`${site.origin}/lanterns.json`)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    return page.getByRole('heading', { name: 'The deals that its first rows become' })
  },
  'a source that is removed': async (page, databases) => {
    await fill(databases)
    await openAdmin(page, 'sources')
    await page.getByRole('button', { name: `Remove: ${long}` }).click()
    return page.getByRole('dialog')
  },
  'rows that wait': async (page, databases) => {
    await fill(databases)
    await openAdmin(page, 'quarantine')
    await page.getByRole('button', { name: /Price far above/ }).click()
    await page
      .getByLabel(/^Choose Camping lantern/)
      .first()
      .check()
    return page.getByRole('button', { name: 'Let this row through' })
  },
  'nothing that waits': async (page, databases) => {
    await removeSources(databases)
    await openAdmin(page, 'quarantine')
    return page.getByText('Nothing waits for you')
  },
}

for (const [name, open] of Object.entries(views)) {
  test(`${name}`, async ({ page, databases }) => {
    await inEveryLook(
      page,
      async (check) => {
        const shown = await open(page, databases)
        await expect(shown).toBeVisible()
        await check(`sources ${name}`, shown)
      },
      { more: moreSizes },
    )
  })
}

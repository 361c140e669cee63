import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { openAdmin, toast } from './admin.ts'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { insertHeld, insertSource, openSite, removeSources, sourcesPage } from './sources-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of 4\d\d/] })
test.beforeEach(({ databases }) => removeSources(databases))

const held = (page: Page) => page.getByRole('list', { name: 'Held rows' }).getByRole('listitem')
const asin = () => `B0${randomBytes(5).toString('hex').slice(0, 8).toUpperCase()}`
const titles = (...names: string[]) => names.map((title) => ({ asin: asin(), title }))
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const visible = "select title from deals where title like 'Held %' order by title"

test('a held row shows old and new side by side; let through it is a deal, and the count goes down everywhere', async ({
  page,
  databases,
  importDeals,
}) => {
  const deal = dealRow({ title: 'Held lamp', price: 40 })
  await importDeals([deal])
  const id = await insertSource(databases)
  await insertHeld(databases, id, [{ asin: deal.asin, title: 'Held lamp', price: 4 }, ...titles('Held rug')])
  await openAdmin(page, 'quarantine')
  await expect(page.getByRole('heading', { name: '2 rows wait' })).toBeVisible()
  await expect(page.getByRole('tab', { name: /Quarantine 2/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Admin 2/ })).toBeVisible()
  const lamp = held(page).filter({ hasText: 'Held lamp' })
  await expect(lamp.getByRole('row', { name: /^price/ })).toHaveText('price$40.00$4.0090% less')
  await expect(lamp).toContainText('$4.00 is less than a twentieth of the last price, $40.00.')
  await lamp.getByRole('button', { name: 'Let through: Held lamp' }).click()
  await expect(toast(page, '1 row let through.')).toBeVisible()
  await expect(held(page)).toHaveCount(1)
  await expect(page.getByRole('tab', { name: /Quarantine 1/ })).toBeVisible()
  const { rows } = await databases.customPlanPool.query(`select price::text from deals where asin = $1`, [
    deal.asin,
  ])
  expect(rows).toEqual([{ price: '4.00' }])
  await openAdmin(page, 'audit')
  await expect(page.getByRole('list', { name: 'Audit list' })).toContainText(
    'approved held rows of mugs.example',
  )
})

test('a key that is held down answers for one row', async ({ page, databases }) => {
  const id = await insertSource(databases)
  await insertHeld(databases, id, titles('Held a', 'Held b', 'Held c', 'Held d'))
  await openAdmin(page, 'quarantine')
  await page.getByLabel('Choose Held d').focus()
  await page.keyboard.down('r')
  await expect(page.getByLabel('Choose Held c')).toBeFocused()
  // As the system repeats it.
  await page.keyboard.down('r')
  await page.keyboard.up('r')
  await page.keyboard.press('j')
  await expect(page.getByLabel('Choose Held b')).toBeFocused()
  await expect(held(page)).toHaveCount(3)
})

test('both answers have keys, and the next row is at hand', async ({ page, databases }) => {
  const id = await insertSource(databases)
  await insertHeld(databases, id, titles('Held a', 'Held b', 'Held c', 'Held d'))
  await openAdmin(page, 'quarantine')
  await page.getByLabel('Choose Held d').focus()
  await page.keyboard.press('l')
  await expect(page.getByLabel('Choose Held c')).toBeFocused()
  await page.keyboard.press('r')
  await expect(page.getByLabel('Choose Held b')).toBeFocused()
  await expect(held(page)).toHaveCount(2)
  await page.keyboard.press('j')
  await expect(page.getByLabel('Choose Held a')).toBeFocused()
  await page.keyboard.press('k')
  await expect(page.getByLabel('Choose Held b')).toBeFocused()
  await page.keyboard.press('Control+l')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(button(page, 'Let through: Held b')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(button(page, 'Let through: Held a')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Nothing waits', exact: true })).toBeFocused()
  await expect(page.getByText('Nothing waits for you')).toBeVisible()
  // The next row is at hand before what was decided is done.
  const shown = async () =>
    (await databases.customPlanPool.query(visible)).rows.map(({ title }) => title).join()
  await expect.poll(shown).toBe('Held a,Held b,Held d')
})

test('chosen rows are refused after a question, and what somebody else has decided is said', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  await insertHeld(databases, id, titles('Held a', 'Held b', 'Held c'))
  await openAdmin(page, 'quarantine')
  await page.getByLabel('Choose all 3 shown').check()
  await page.getByLabel('Choose Held b').uncheck()
  const bar = page.getByRole('toolbar', { name: 'Chosen rows' })
  await expect(bar).toContainText('2 chosen')
  await bar.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.getByRole('dialog')).toContainText('This can’t be undone.')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(held(page)).toHaveCount(3)
  await page.route('**/api/quarantine/refuse', async (route) => {
    await databases.durablePool.query(`delete from quarantine where new ->> 'title' = 'Held a'`)
    await route.continue()
  })
  await bar.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  const gone = '1 was overtaken by a newer poll, or decided by somebody else, meanwhile.'
  await expect(toast(page, `1 row refused. ${gone}`)).toBeVisible()
  await expect(held(page)).toHaveCount(1)
  expect((await databases.customPlanPool.query(visible)).rows).toEqual([])
})

test('a row that could not be let through waits on in the list, to be refused', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  await insertHeld(databases, id, titles('Held a', 'Held b'))
  // As another version may have written it.
  await databases.durablePool.query(
    `update quarantine set deal = deal - 'brand' where new ->> 'title' = 'Held a'`,
  )
  await openAdmin(page, 'quarantine')
  await page.getByLabel('Choose all 2 shown').check()
  const bar = page.getByRole('toolbar', { name: 'Chosen rows' })
  await bar.getByRole('button', { name: 'Let through' }).click()
  const waits = '1 row of another version of Dealdeck can’t be let through by this one: it waits'
  await expect(toast(page, `1 row let through. ${waits} for a newer poll, or to be refused.`)).toBeVisible()
  await expect(page.getByRole('heading', { name: '1 row waits' })).toBeVisible()
  await expect(held(page)).toHaveText(/Held a/)
  await held(page).getByRole('button', { name: 'Refuse: Held a' }).click()
  await expect(held(page)).toHaveCount(0)
})

test('all of a group are let through at once, and its source is trusted from then on', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  const other = await insertSource(databases, { name: 'rugs.example' })
  await insertHeld(
    databases,
    id,
    Array.from({ length: 450 }, (_, at) => ({ asin: asin(), title: `Held ${at}` })),
  )
  await insertHeld(databases, id, [{ asin: asin(), rule: 'title', title: 'Held title' }])
  await insertHeld(databases, other, titles('Held rug'))
  await openAdmin(page, 'quarantine')
  await expect(held(page)).toHaveCount(50)
  await button(page, 'mugs.example: Price far below what it was 450').click()
  await page.getByLabel('Always trust mugs.example for this rule').check()
  await button(page, 'Let all 450 rows through').click()
  await expect(page.getByRole('dialog')).toContainText(
    'From now on this rule never holds rows of mugs.example.',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Let through' }).click()
  await expect(toast(page, '450 rows let through.')).toBeVisible()
  await expect(button(page, 'mugs.example: Price far below')).toHaveCount(0)
  await button(page, /^Everything/).click()
  await expect(held(page)).toHaveCount(2)
  const { rows } = await databases.customPlanPool.query(
    `select s.name, s.trusted_rules, (select count(*)::int from deals where title like 'Held %') as deals
     from sources s order by name`,
  )
  expect(rows).toEqual([
    { name: 'mugs.example', trusted_rules: ['price_low'], deals: 450 },
    { name: 'rugs.example', trusted_rules: [], deals: 450 },
  ])
})

test('what a source states in other money waits, is let through or always refused, and that is taken back', async ({
  page,
  databases,
}) => {
  const [lamp = '', rug = '', cup = ''] = [asin(), asin(), asin()]
  const row = (asin: string, title: string, price: string, more: object = {}) => ({
    ...{ asin, title, price, url: `https://www.amazon.com/dp/${asin}`, ...more },
  })
  const site = await openSite()
  const rows = (euros: string) => [
    row(lamp, 'Held lamp', '$25.00'),
    row(rug, 'Held rug', `${euros} €`),
    row(cup, 'Held cup', '$7', { url: `https://www.amazon.ca/dp/${cup}` }),
  ]
  const says = (euros: string) => site.answers.set('/mixed.json', { body: JSON.stringify(rows(euros)) })
  says('1219,99')
  const sources = sourcesPage(page)
  await page.goto('/admin-dashboard?tab=sources&source=new-address')
  await sources.field('Address').fill(`${site.origin}/mixed.json`)
  await sources.button('Try').click()
  await expect(sources.result).toContainText(
    'Of the first 3 rows 2 would wait for an administrator: another currency: EUR (1), another marketplace: amazon.ca (1).',
  )
  const reason = 'Its price is in EUR, not in USD. Let through, 1,219.99 counts as $1,219.99.'
  const tried = sources.result.getByRole('row', { name: /Held rug/ })
  await expect(tried).toContainText(`Waits: ${reason}`)
  await expect(tried).toContainText('1,219.99 EUR')
  await sources.button('Add source').click()
  await expect(sources.runs.first()).toContainText('3 rows, 1 new, 2 held')

  await openAdmin(page, 'quarantine')
  const item = held(page).filter({ hasText: 'Held rug' })
  await expect(item.getByRole('row', { name: /^price/ })).toHaveText('price1,219.99 EUR')
  await expect(item).toContainText(reason)
  await item.getByRole('button', { name: 'Let through: Held rug' }).click()
  await expect(toast(page, '1 row let through.')).toBeVisible()
  const stored = `select title, price::text from deals where title like 'Held %' order by title`
  expect((await databases.customPlanPool.query(stored)).rows).toEqual([
    { title: 'Held lamp', price: '25.00' },
    { title: 'Held rug', price: '1219.99' },
  ])

  says('999,99')
  const runAgain = async () => {
    await sources.open()
    await sources.action('Run now', '127.0.0.1').click()
  }
  await runAgain()
  await expect(sources.row('127.0.0.1')).toContainText('3 rows, 2 held')
  await openAdmin(page, 'quarantine')
  await expect(item.getByRole('row', { name: /^price/ })).toHaveText('price$1,219.99999.99 EURother money')
  await button(page, '127.0.0.1: Another currency 1').click()
  await page.getByLabel('Always refuse such rows of 127.0.0.1').check()
  await expect(button(page, 'Let this row through')).toBeDisabled()
  await button(page, 'Refuse this row').click()
  await expect(page.getByRole('dialog')).toContainText(
    'From now on whatever this rule finds in 127.0.0.1 is refused at once, until its form says otherwise.',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await expect(toast(page, '1 row refused.')).toBeVisible()
  says('899,99')
  await runAgain()
  await expect(sources.row('127.0.0.1')).toContainText('3 rows, 1 refused, 1 held')

  await page.getByRole('link', { name: '127.0.0.1', exact: true }).click()
  await sources.action('Edit', '127.0.0.1').click()
  await page
    .getByRole('group', { name: 'Rules that refuse its rows at once' })
    .getByLabel('currency')
    .uncheck()
  await sources.button('Save').click()
  // The same document is read again.
  await expect(sources.runs.first()).toContainText('3 rows, 2 held')
  await site.close()
})

test('as many as can wait are refused by one request', async ({ page, databases }) => {
  const id = await insertSource(databases)
  await insertHeld(
    databases,
    id,
    Array.from({ length: 5_000 }, (_, at) => ({ asin: `B0X${String(at).padStart(7, '0')}`, title: 'Held' })),
  )
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(new URL(request.url()).pathname)
  })
  await openAdmin(page, 'quarantine')
  await button(page, 'mugs.example: Price far below what it was 5,000').click()
  await button(page, 'Refuse all 5,000 rows').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await expect(toast(page, '5,000 rows refused.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Nothing waits for you')).toBeVisible()
  expect(asked).toEqual(['/api/quarantine/refuse'])
})

test('a decision that fails leaves the row where it is', async ({ page, databases }) => {
  const id = await insertSource(databases)
  await insertHeld(databases, id, titles('Held a'))
  await openAdmin(page, 'quarantine')
  await page.route('**/api/quarantine/release', (route) =>
    route.fulfill({ status: 422, json: { code: 'UNPROCESSABLE', message: 'Not today.' } }),
  )
  await button(page, 'Let through: Held a').click()
  await expect(toast(page, '1 row not let through. Not today.')).toBeVisible()
  await expect(button(page, 'Let through: Held a')).toBeEnabled()
  await page.unroute('**/api/quarantine/release')
  await button(page, 'Let through: Held a').click()
  await expect(page.getByText('Nothing waits for you')).toBeVisible()
})

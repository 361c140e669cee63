import { toast } from './admin.ts'
import { dealRows } from './deals.ts'
import { expect, test } from './fixtures.ts'
import { soon } from './moments.ts'
import {
  insertRun,
  insertSource,
  openSite,
  removeSources,
  rhythm,
  type Site,
  sourcesPage,
} from './sources-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of 4\d\d|net::ERR_FAILED/] })

let site: Site
test.beforeAll(async () => {
  site = await openSite()
})
test.afterAll(() => site.close())
test.beforeEach(({ databases }) => removeSources(databases))

test('a source is added by its address and by keyboard alone: ten rows are seen first, then it runs', async ({
  page,
}) => {
  site.answers.set('/lanterns.json', { body: JSON.stringify(dealRows(12)) })
  const sources = sourcesPage(page)
  await sources.open()
  await expect(page.getByRole('heading', { name: 'No sources yet' })).toBeVisible()
  await page.getByRole('link', { name: /^Address/ }).focus()
  await page.keyboard.press('Enter')
  await expect(sources.field('Address')).toBeFocused()
  await page.keyboard.type(`${site.origin}/lanterns.json`)
  await expect(sources.field('Name')).toHaveValue('127.0.0.1')
  await page.keyboard.press('Enter')
  await expect(sources.result.getByRole('row')).toHaveCount(11)
  await expect(sources.result).toContainText('Folding camp lantern')
  await page.keyboard.press('Enter')
  await expect(toast(page, '127.0.0.1 is added')).toBeVisible()
  // It is asked at once, and the screen hears of it.
  await expect(sources.runs.first()).toContainText('12 rows, 12 new')
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Works')
  await page.getByRole('button', { name: 'All sources' }).click()
  await expect(page.getByRole('heading', { name: 'The source runs' })).toBeVisible()
  await expect(sources.row('127.0.0.1')).toContainText('12 rows, 12 new')
  await expect(sources.row('127.0.0.1').getByRole('img')).toHaveAccessibleName(
    /12 new deals in 14 days, 12 today/,
  )
})

test('a try that fails says what to do at its place, and what was typed stays', async ({ page }) => {
  site.answers.set('/two.json', {
    body: JSON.stringify({ old: dealRows(2), now: { items: dealRows(5) } }),
  })
  const sources = sourcesPage(page)
  await page.goto('/admin-dashboard?tab=sources&source=new-address')
  await sources.button('Try').click()
  await expect(sources.field('Address')).toHaveAccessibleDescription(/Please fill this in/)
  await expect(sources.field('Address')).toBeFocused()
  await sources.field('Address').fill('lanterns')
  await sources.button('Try').click()
  await expect(sources.field('Address')).toHaveAccessibleDescription(/Must begin with https:/)
  await sources.field('Address').fill(`${site.origin}/nothing.json`)
  await sources.button('Try').click()
  await expect(sources.result).toContainText('404')
  await sources.field('Name').fill('Lanterns')
  await sources.field('Address').fill(`${site.origin}/two.json`)
  await expect(sources.result).toContainText('Something has been changed since this was tried.')
  await sources.button('Try again').click()
  await sources.result.getByRole('radio', { name: /\$\.now\.items with 5 rows/ }).click()
  await expect(sources.field('List in the document')).toHaveValue('$.now.items')
  await expect(sources.result.getByRole('row')).toHaveCount(6)
  await page.route('**/api/sources', (route) => route.abort(), { times: 1 })
  await sources.button('Add source').click()
  await expect(page.getByText(/^Not saved\. Please check your connection/)).toBeVisible()
  await expect(sources.field('Name')).toHaveValue('Lanterns')
  await sources.button('Add source').click()
  await expect(toast(page, 'Lanterns is added')).toBeVisible()
})

test('a failing source stands first with what to do; it is asked, paused, resumed and removed', async ({
  page,
  databases,
}) => {
  site.answers.set('/mugs.json', { body: JSON.stringify(dealRows(3)) })
  const settings = JSON.stringify({ url: `${site.origin}/mugs.json`, availability: 'In stock' })
  await insertSource(databases, { name: 'apples.example' })
  const failing = {
    state: 'failing',
    failing_since: soon(-180),
    state_text: 'The address answers 404. Has it moved?',
  }
  const id = await insertSource(databases, { name: 'mugs.example', settings, ...failing })
  await insertRun(databases, id, { state: 'failed', text: 'The address answers 404. Has it moved?' })
  const sources = sourcesPage(page)
  await sources.open()
  await expect(page.getByRole('heading', { name: '1 of 2 need you: 1 failing' })).toBeVisible()
  await expect(sources.list.first()).toContainText('Failing since 3 h')
  await expect(sources.list.first()).toContainText('The address answers 404. Has it moved?')
  await sources.action('Run now', 'mugs.example').click()
  await expect(sources.row('mugs.example')).toContainText('3 rows, 3 new')
  await expect(page.getByRole('heading', { name: 'All 2 sources run' })).toBeVisible()

  await sources.action('Pause', 'mugs.example').focus()
  await page.keyboard.press('Enter')
  await expect(sources.row('mugs.example')).toContainText('Paused')
  await expect(sources.action('Resume', 'mugs.example')).toBeFocused()
  await expect(sources.action('Run now', 'mugs.example')).toBeDisabled()
  await page.keyboard.press('Enter')
  await expect(sources.action('Pause', 'mugs.example')).toBeVisible()

  await sources.action('Remove', 'mugs.example').click()
  await expect(page.getByRole('dialog')).toContainText('Its deals stay.')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(toast(page, 'mugs.example is removed')).toBeVisible()
  await expect(sources.list).toHaveCount(1)
  await page.goto('/admin-dashboard?tab=audit')
  await expect(page.getByRole('list', { name: 'Audit list' })).toContainText('removed source mugs.example')
})

test('a secret goes in and never comes out: it is kept, replaced and removed', async ({ page }) => {
  site.answers.set('/secret.json', { body: JSON.stringify(dealRows(1)) })
  const sources = sourcesPage(page)
  await page.goto('/admin-dashboard?tab=sources&source=new-address')
  await sources.field('Address').fill(`${site.origin}/secret.json`)
  await page.getByText('More settings of this kind').click()
  await sources.field('Header').fill('X-Api-Key')
  await sources.field('Value of the header').fill('open sesame')
  await sources.button('Add source').click()
  await expect(sources.runs.first()).toContainText('1 row')
  expect(site.asked.at(-1)).toMatchObject({ 'x-api-key': 'open sesame' })

  await sources.action('Edit', '127.0.0.1').click()
  await page.getByText('More settings of this kind').click()
  const secret = page.getByRole('group', { name: 'Value of the header' })
  await expect(secret).toContainText('Is set')
  expect(await page.content()).not.toContain('open sesame')
  await sources.button('Try').click()
  await expect(sources.result.getByRole('row')).toHaveCount(2)
  expect(site.asked.at(-1)).toMatchObject({ 'x-api-key': 'open sesame' })
  await sources.button('Replace Value of the header').click()
  await expect(sources.field('Value of the header')).toBeFocused()
  await page.keyboard.type('mellon')
  await sources.button('Try').click()
  await expect.poll(() => site.asked.at(-1)).toMatchObject({ 'x-api-key': 'mellon' })
  await sources.button('Keep the stored one').click()
  await sources.button('Remove Value of the header').click()
  await expect(secret).toContainText('Will be removed when you save')
  await sources.button('Save').click()
  await expect(sources.field('Value of the header').or(secret)).toContainText(/Must be given|Will be removed/)
  await expect(page.getByText('Must be given, since there is a header')).toBeVisible()
  await sources.field('Header').fill('')
  await sources.button('Save').click()
  await expect(toast(page, '127.0.0.1 is saved')).toBeVisible()
  await expect.poll(() => site.asked.at(-1)?.['x-api-key']).toBeUndefined()
})

test('200 sources are listed, and a silent one among them is found', async ({ page, databases }) => {
  const days = rhythm([0, 4, 2, 9])
  for (let at = 0; at < 199; at += 1)
    await insertSource(databases, { name: `shop ${String(at).padStart(3, '0')}`, rhythm: days })
  await insertSource(databases, { name: 'zebra', last_new_at: soon(-6 * 24 * 60), rhythm: rhythm([1], 60) })
  const sources = sourcesPage(page)
  await sources.open()
  await expect(sources.list).toHaveCount(200)
  await expect(page.getByRole('heading', { name: '1 of 200 need you: 1 silent' })).toBeVisible()
  await expect(sources.list.first()).toContainText('zebra')
  await expect(sources.row('shop 198').getByRole('img')).toHaveAccessibleName(
    /15 new deals in 14 days, 9 today/,
  )
})

test('the history goes on page by page, and what a run refused is read and kept', async ({
  page,
  databases,
}) => {
  const rows = [...dealRows(2), { asin: 'x', title: 'Nothing else', price: 1 }]
  site.answers.set('/odd.json', { body: JSON.stringify(rows) })
  const settings = JSON.stringify({ url: `${site.origin}/odd.json`, availability: 'In stock' })
  const id = await insertSource(databases, { settings })
  for (let at = 0; at < 25; at += 1) await insertRun(databases, id, { state: 'unchanged' })
  const sources = sourcesPage(page)
  await page.goto(`/admin-dashboard?tab=sources&source=${id}`)
  await expect(sources.runs).toHaveCount(20)
  await sources.button('Show older runs').click()
  await expect(sources.runs).toHaveCount(25)
  await sources.action('Run now', 'mugs.example').click()
  await expect(sources.runs.first()).toContainText('3 rows, 2 new, 1 refused')
  await sources.button('1 refused: which and why').click()
  await expect(sources.runs.first().getByRole('cell', { name: 'the ASIN is not valid' })).toBeVisible()
  const download = page.waitForEvent('download')
  await sources.button('Download rejects (CSV)').click()
  expect((await download).suggestedFilename()).toBe('mugs.example.rejected.csv')
})

test('a run under way says how far it is, on the list and on its own page', async ({ page, databases }) => {
  const id = await insertSource(databases, { state_text: 'All is well.' })
  const sources = sourcesPage(page)
  await sources.open()
  await expect(sources.row('mugs.example')).toContainText('All is well.')
  const say = (progress: object | null) =>
    databases.durablePool.query('select pg_notify($1, $2)', [
      'dealdeck_sources',
      JSON.stringify({ source_id: id, progress }),
    ])
  // Until the stream is open nobody hears.
  await expect(async () => {
    await say({ phase: 'reading', rows: 1_200 })
    await expect(sources.row('mugs.example')).toContainText('Reading, 1,200 rows so far …', { timeout: 500 })
  }).toPass()
  await sources.row('mugs.example').getByRole('link').click()
  const state = page.getByRole('region', { name: 'State' })
  await expect(state).toContainText('Reading, 1,200 rows so far …')
  await say({ phase: 'storing', rows: 1_250 })
  await expect(state).toContainText('Storing 1,250 rows …')
  await say(null)
  await expect(state).toContainText('All is well.')

  // Who is elsewhere when a run ends doesn't hear of it.
  await say({ phase: 'reading', rows: 1_300 })
  await expect(state).toContainText('Reading, 1,300 rows so far …')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Low-price finds' })).toBeVisible()
  await page.goBack()
  await expect(state).toContainText('All is well.')
})

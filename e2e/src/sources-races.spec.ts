import { toast } from './admin.ts'
import { expect, test } from './fixtures.ts'
import { insertSource, removeSources, sourcesPage } from './sources-page.ts'

test.use({ role: 'admin', expectedConsoleErrors: [/status of 4\d\d/] })
test.beforeEach(({ databases }) => removeSources(databases))

test('a source that somebody else removes while it is edited: what was typed stays, and becomes a new one', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  const sources = sourcesPage(page)
  await page.goto(`/admin-dashboard?tab=sources&source=${id}-edit`)
  await sources.field('Name').fill('Cups instead')
  await sources.field('At most every').selectOption('1 hour')
  await removeSources(databases)
  await sources.button('Save').click()
  await expect(page.getByText(/^Somebody else removed this source/)).toBeVisible()
  await expect(sources.field('Name')).toHaveValue('Cups instead')
  await sources.button('Make it a new source').click()
  await page.getByRole('switch', { name: /^Paused/ }).check()
  await sources.button('Add source').click()
  await expect(toast(page, 'Cups instead is added')).toBeVisible()
  await page.getByRole('button', { name: 'All sources' }).click()
  await expect(sources.row('Cups instead')).toContainText('Paused')
  const { rows } = await databases.customPlanPool.query(
    `select name, interval_from, settings ->> 'url' as url from sources`,
  )
  expect(rows).toEqual([{ name: 'Cups instead', interval_from: 60, url: 'http://127.0.0.1:9/mugs.json' }])
})

test('a source that somebody else changes while it is edited: nothing is overwritten unasked, and then only what was changed', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  const sources = sourcesPage(page)
  await page.goto(`/admin-dashboard?tab=sources&source=${id}-edit`)
  await sources.field('Name').fill('Mine')
  await databases.durablePool.query(
    `update sources set name = 'Theirs', interval_from = 30, updated_at = now() + interval '1 second' where id = $1`,
    [id],
  )
  // The list behind is fetched again, and the form stays as it is.
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await sources.button('Save').click()
  await expect(page.getByText(/^Somebody else changed this source meanwhile/)).toBeVisible()
  await expect(sources.field('Name')).toHaveValue('Mine')
  await sources.button('Save over theirs').click()
  await expect(toast(page, 'Mine is saved')).toBeVisible()
  const { rows } = await databases.customPlanPool.query('select name, interval_from from sources')
  expect(rows).toEqual([{ name: 'Mine', interval_from: 30 }])
})

test('a name that another source has is refused at the field', async ({ page, databases }) => {
  await insertSource(databases, { name: 'Mugs' })
  const id = await insertSource(databases, { name: 'Cups' })
  const sources = sourcesPage(page)
  await page.goto(`/admin-dashboard?tab=sources&source=${id}-edit`)
  await sources.field('Name').fill('mugs')
  await sources.button('Save').click()
  await expect(sources.field('Name')).toHaveAccessibleDescription('Is taken')
  await expect(sources.field('Name')).toBeFocused()
})

test('leaving with something typed is asked about, and a source that is gone says so', async ({
  page,
  databases,
}) => {
  const id = await insertSource(databases)
  const sources = sourcesPage(page)
  await page.goto(`/admin-dashboard?tab=sources&source=${id}-edit`)
  await sources.field('Name').fill('Cups')
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.message())
    void (questions.length === 1 ? dialog.dismiss() : dialog.accept())
  })
  await sources.button('Cancel').click()
  await expect(sources.field('Name')).toHaveValue('Cups')
  await sources.button('Cancel').click()
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible()
  expect(questions).toEqual(Array(2).fill('Leave without saving what you typed?'))
  await removeSources(databases)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This source is not there' })).toBeVisible()
})

test('of two who remove one source the second sees it gone', async ({ page, databases }) => {
  await insertSource(databases)
  const sources = sourcesPage(page)
  await sources.open()
  await sources.action('Remove', 'mugs.example').click()
  await removeSources(databases)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('heading', { name: 'No sources yet' })).toBeVisible()
})

test('a list that can’t be loaded says so, and is there once it can', async ({ page, databases }) => {
  await insertSource(databases)
  await page.route('**/api/sources', (route) =>
    route.fulfill({ status: 422, json: { code: 'UNPROCESSABLE', message: 'Not today.' } }),
  )
  const sources = sourcesPage(page)
  await sources.open()
  await expect(page.getByRole('heading', { name: 'The sources can’t be loaded' })).toBeVisible()
  await expect(page.getByText('Not today.')).toBeVisible()
  await page.unroute('**/api/sources')
  // A change that is heard of just now has the list loaded without the button, which then is gone.
  await expect(async () => {
    if ((await sources.list.count()) === 0) await sources.button('Try Again').click({ timeout: 1_000 })
    await expect(sources.list).toHaveCount(1, { timeout: 2_000 })
  }).toPass()
})

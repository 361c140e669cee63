import type { Page } from '@playwright/test'
import { openAdmin } from './admin.ts'
import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'

test.use({ role: 'admin' })

const tokens = (page: Page) => page.getByRole('list', { name: 'Import tokens' }).getByRole('listitem')
const imports = (page: Page) => page.getByRole('list', { name: 'Imports' }).getByRole('listitem')

test.beforeEach(({ databases }) =>
  databases.durablePool.query('truncate imports, import_rejects, ingest_tokens restart identity'),
)

test('a token is shown once, hands in deals, says when it was used, and is worthless once revoked', async ({
  page,
  server,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openAdmin(page, 'import')
  await expect(page.getByText('No tokens yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Please enter a name')).toBeVisible()
  await page.getByLabel('Name of a new token').fill('nightly import')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible()
  const token = await page.evaluate(() => navigator.clipboard.readText())
  expect(token).toMatch(/^dd_/)
  await expect(page.getByText(token, { exact: true }).first()).toBeVisible()
  await expect(tokens(page)).toContainText(['never used'])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.reload()
  await expect(tokens(page)).toContainText(['nightly import'])
  await expect(page.getByText(token)).toHaveCount(0)

  const bring = () =>
    fetch(`${server.origin}/api/products/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([dealRow()]),
    })
  expect((await bring()).status).toBe(200)
  await page.reload()
  await expect(tokens(page)).toContainText(['last used just now'])
  await expect(imports(page)).toContainText(['by token nightly import'])
  await page.getByRole('button', { name: 'Revoke nightly import' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No tokens yet.')).toBeVisible()
  expect((await bring()).status).toBe(401)
})

test('an import of a file is in the history under its name, with what it refused', async ({
  page,
  server,
}) => {
  await openAdmin(page, 'import')
  await expect(page.getByText('Nothing imported yet')).toBeVisible()
  const lines = ['asin,title,price', `${dealRow().asin},Enamel mug,4.50`, ',Nameless mug,2', 'x,Bad mug,3']
  const file = { name: 'mugs of may.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) }
  await page.getByLabel('File of deals').setInputFiles(file)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Imported', exact: true })).toBeVisible()
  await openAdmin(page, 'import')
  await expect(imports(page).first()).toContainText(
    `mugs of may.csv by ${server.accounts.admin.username}, just now`,
  )
  await expect(imports(page).first()).toContainText('3 received1 created0 updated0 unchanged2 rejected')
  await page.getByRole('button', { name: '2 rejected' }).click()
  await expect(page.getByRole('cell', { name: '3', exact: true })).toBeVisible()
})

test('the history goes on page by page', async ({ page, databases }) => {
  await databases.durablePool.query(
    "insert into imports (source) select 'file ' || n from generate_series(1, 45) n",
  )
  await openAdmin(page, 'import')
  await expect(imports(page)).toHaveCount(20)
  await page.getByRole('button', { name: 'Show older imports' }).click()
  await page.getByRole('button', { name: 'Show older imports' }).click()
  await expect(imports(page)).toHaveCount(45)
  await expect(imports(page).last()).toContainText('file 1')
})

test('of very many refused rows the history says how many it keeps', async ({ page, databases }) => {
  await databases.durablePool.query(
    `with made as (insert into imports (source, rejected) values ('long.csv', 1200) returning id)
     insert into import_rejects (import_id, rejected, by_reason)
     select id, '[{"row":1,"asin":null,"reason":"no ASIN"}]', '{"no ASIN":1200}' from made`,
  )
  await openAdmin(page, 'import')
  await page.getByRole('button', { name: '1,200 rejected' }).click()
  await expect(page.getByText('The list holds the first 1 of them.')).toBeVisible()
})

import { expect, test } from './fixtures.ts'

test('what is sent stands in the open log, and its destination works, without a reload', async ({
  page,
  databases: { durablePool },
}) => {
  const { rows } = await durablePool.query<{ id: string; owner_id: number }>(
    `insert into destinations (owner_id, kind, name, settings, state)
     select id, 'ntfy', 'Phone', '{}', 'ok' from users where username = 'una' returning id, owner_id`,
  )
  const [{ id, owner_id } = { id: '', owner_id: 0 }] = rows
  const tell = () =>
    durablePool.query(`select pg_notify('dealdeck_deliveries', $1)`, [
      JSON.stringify({ owner_id: Number(owner_id), changed: 'log', destination_id: Number(id) }),
    ])
  await page.goto('/alerts?tab=destinations')
  await expect(page.getByText('Not tried yet')).toBeVisible()
  await durablePool.query('update destinations set last_sent_at = now() where id = $1', [id])
  await tell()
  await expect(page.getByText('Works', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Log' }).click()
  await expect(page.getByText('Nothing was sent yet')).toBeVisible()
  await durablePool.query(
    `insert into deliveries (destination_id, kind, state, reason, sent_at) values ($1, 'notice', 'sent', 'It was sent.', now())`,
    [id],
  )
  await tell()
  const log = page.getByRole('list', { name: 'What was sent' })
  await expect(log).toContainText('It was sent.')
  await durablePool.query(`update deliveries set reason = 'It says more now.' where destination_id = $1`, [
    id,
  ])
  await tell()
  await expect(log).toContainText('It says more now.')
  await durablePool.query('delete from destinations where id = $1', [id])
})

test('quiet hours follow another device, and a form left open saves only what was changed in it', async ({
  page,
  server,
}) => {
  const elsewhere = async (change: object) => {
    const data = { is_group: false, ...change }
    const answer = await page.request.patch('/api/alerts/peace', { data, headers: { origin: server.origin } })
    expect(answer.status()).toBe(200)
  }
  await elsewhere({ quiet_from: '22:00', quiet_to: '07:00', most_an_hour: 20, follows_device: false })
  await page.goto('/alerts?tab=quiet')
  await page.getByLabel('Messages an hour').fill('9')
  await elsewhere({ quiet_from: '21:15', quiet_to: '07:00' })
  await expect(page.getByLabel('From')).toHaveValue('21:15')
  await expect(page.getByLabel('Messages an hour')).toHaveValue('9')
  const asked = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await asked).postDataJSON()).toEqual({ is_group: false, most_an_hour: 9 })
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
})

test.describe(() => {
  test.use({ role: 'admin', timezoneId: 'Europe/Berlin' })
  test('quiet hours of the group are saved in the zone that is shown', async ({ page }) => {
    await page.goto('/admin-dashboard?tab=channels')
    await page.getByText('Quiet hours of the group').click()
    const zone = page.getByLabel('Time zone')
    const shown = await zone.inputValue()
    await expect(page.getByText(`Times are those of the clock in ${shown},`)).toBeVisible()
    const asked = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect((await asked).postDataJSON()).toMatchObject({
      ...{ is_group: true, time_zone: shown, follows_device: false },
    })
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  })
})

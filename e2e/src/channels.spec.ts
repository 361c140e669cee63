import { openAdmin } from './admin.ts'
import { alert, destination, fakeAlerts } from './alerts-page.ts'
import { expect, test } from './fixtures.ts'

test.use({ role: 'admin' })

test('a search goes to a channel by a button, not by an arrow key, and the focus stays where one goes on', async ({
  page,
  server,
}) => {
  for (const name of ['Lanterns', 'Watches']) {
    const answer = await page.request.post('/api/searches', {
      data: { name, q: name, sort: null, is_shared: true },
      headers: { origin: server.origin },
    })
    expect(answer.status()).toBe(201)
  }
  const channel = destination({ id: 7, kind: 'discord', name: 'Night shift', is_group: true })
  const other = destination({ id: 8, kind: 'discord', name: 'Day shift', is_group: true })
  const fakes = await fakeAlerts(page, {
    destinations: [channel, other],
    alerts: [alert({ destination_id: 8, is_group: true })],
  })
  await openAdmin(page, 'channels')

  const select = page.getByLabel('Add a search to Night shift')
  await select.focus()
  await page.keyboard.press('ArrowDown')
  await expect(select.locator('option:checked')).not.toHaveText('Add a search …')
  const chosen = Number(await select.inputValue())
  expect(fakes.asked).toEqual([])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Searches of Night shift' }).getByRole('listitem')).toHaveCount(
    1,
  )
  expect(fakes.asked).toEqual([
    {
      what: 'POST /api/alerts',
      body: { destination_id: 7, search_id: chosen, options: {}, send_matching: false },
    },
  ])
  await expect(select.locator('option:checked')).toHaveText('Add a search …')
  await expect(select).toBeFocused()

  await page.getByRole('button', { name: 'Remove: Night shift' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Channels of the group' })).toBeFocused()
})

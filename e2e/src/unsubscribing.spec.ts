import { unsubscribeUrl } from '../../server/src/features/deliveries/kinds/email/unsubscribing.ts'
import { readSettings } from '../../server/src/platform/settings.ts'
import { expect, test } from './fixtures.ts'

test.use({ role: null })

test('whoever gets a message ends them by a button, without an account', async ({
  page,
  server,
  databases,
}) => {
  const address = 'reader@example.net'
  const { id } = await databases.durableDb
    .insertInto('destinations')
    .values({ kind: 'email', name: 'The group’s list', settings: JSON.stringify({ address }), state: 'ok' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const settings = readSettings({ PUBLIC_URL: server.origin })
  const isPaused = async () => {
    const rows = databases.durableDb.selectFrom('destinations').select('is_paused').where('id', '=', id)
    return (await rows.executeTakeFirstOrThrow()).is_paused
  }
  await page.goto((await unsubscribeUrl({ databases, settings }, id, address)) ?? '')
  await expect(page.getByRole('heading')).toHaveText('Get no more of these messages?')
  expect(await isPaused()).toBe(false)
  await page.getByRole('button', { name: 'Send no more' }).click()
  await expect(page.getByRole('heading')).toHaveText('Nothing more is sent')
  expect(await isPaused()).toBe(true)
})

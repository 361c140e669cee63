import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../../testing/app.ts'
import { makeUser } from '../../../../../testing/factories.ts'
import { readSettings } from '../../../../platform/settings.ts'
import { unsubscribeUrl } from './unsubscribing.ts'

// No address of ours has a path before it, whatever is set.
const PUBLIC_URL = 'https://deals.example.org/our/deals'
const { app, databases } = await buildTestApp({ settings: { PUBLIC_URL } })
const host = 'deals.example.org'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const oneClick = 'List-Unsubscribe=One-Click'

async function addDestination(address = 'reader@example.net', name = 'My <b>mail</b>') {
  const { id: owner_id } = await makeUser(databases, {})
  const { id } = await databases.db
    .insertInto('destinations')
    .values({ owner_id, kind: 'email', name, settings: JSON.stringify({ address }), state: 'ok' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const url = await unsubscribeUrl({ databases, settings: readSettings({ PUBLIC_URL }) }, id, address)
  return { id, path: new URL(url ?? '').pathname }
}
const read = async (id: number) =>
  databases.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('opening the address changes nothing, and shows a button that does', async () => {
  const { id, path } = await addDestination()
  const before = await read(id)
  for (const method of ['GET', 'HEAD'] as const) {
    const page = await app.inject({ method, url: path, headers: { host, ...form } })
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      ...{
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      },
      'content-security-policy': expect.stringMatching(/^default-src 'none';style-src 'sha256-/),
      'referrer-policy': 'same-origin',
    })
    if (method === 'HEAD') continue
    expect(page.body).toContain('<form method="post"><button>')
    expect(page.body).toContain('re…@example.net (“My &#60;b&#62;mail&#60;/b&#62;”)')
  }
  expect(await read(id)).toEqual(before)
})

test.each([
  ['a mail program, without cookie and origin', {}, form, oneClick],
  [
    'a mail program that sends parts',
    {},
    { 'content-type': 'multipart/form-data; boundary=x' },
    `--x\r\n\r\n${oneClick}\r\n--x--`,
  ],
  ['the button of the page', { origin: new URL(PUBLIC_URL).origin }, form, ''],
])('%s pauses this destination and no other', async (_, more, type, payload) => {
  const [{ id, path }, other] = [await addDestination(), await addDestination()]
  const page = await app.inject({ method: 'POST', url: path, headers: { host, ...type, ...more }, payload })
  expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('is paused')])
  expect(await read(id)).toMatchObject({
    is_paused: true,
    state: 'ok',
    state_text: expect.stringContaining('link'),
  })
  expect((await read(other.id)).is_paused).toBe(false)
  const again = await app.inject({ method: 'POST', url: path, headers: { host, ...form }, payload: oneClick })
  expect(again.statusCode).toBe(200)
  expect((await app.inject({ url: path, headers: { host } })).body).toContain('is paused')
})

test('no other address ends anything', async () => {
  // To the same address: one of its destinations is ended, not all.
  const [{ id, path }, other] = [await addDestination(), await addDestination()]
  const signature = path.split('-').slice(1).join('-')
  const changed = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
  const addresses = [
    ...[`/unsubscribe/${id}-${changed}`, `/unsubscribe/${other.id}-${signature}`],
    ...[`/unsubscribe/${id}`, `/unsubscribe/${id}-`, `/unsubscribe/999999-${signature}`, '/unsubscribe/x'],
  ]
  for (const url of addresses) {
    const headers = { host, ...form }
    const answers = [
      await app.inject({ url, headers }),
      await app.inject({ method: 'POST', url, headers, payload: oneClick }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
  }
  const rows = [await read(id), await read(other.id)]
  expect(rows.map(({ is_paused }) => is_paused)).toEqual([false, false])
})

test('another address of the same destination has another link, and the old one ends', async () => {
  const { id, path } = await addDestination()
  const settings = JSON.stringify({ address: 'new@example.net' })
  await databases.db.updateTable('destinations').set({ settings }).where('id', '=', id).execute()
  const answer = await app.inject({
    method: 'POST',
    url: path,
    headers: { host, ...form },
    payload: oneClick,
  })
  expect([answer.statusCode, (await read(id)).is_paused]).toEqual([404, false])
})

test('a page of another site can’t press the button for its visitor', async () => {
  const { id, path } = await addDestination()
  const headers = { host, origin: 'https://evil.example', ...form }
  const answer = await app.inject({ method: 'POST', url: path, headers, payload: oneClick })
  expect([answer.statusCode, (await read(id)).is_paused]).toEqual([403, false])
})

test('without PUBLIC_URL there is no such address', async () => {
  const { id } = await addDestination()
  expect(await unsubscribeUrl({ databases, settings: readSettings({}) }, id, 'reader@example.net')).toBeNull()
})

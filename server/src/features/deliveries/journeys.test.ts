import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { whenDone } from '../../../testing/cleanup.ts'
import { queueMatch, readDelivery, startOutbox, testOutbox } from '../../../testing/outbox.ts'
import { pushService } from '../../../testing/push-service.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { botToken, telegramServer } from '../../../testing/telegram-server.ts'
import { systemClock } from '../../platform/clock.ts'
import { secretPlaces } from '../../platform/secret-box.ts'
import { readSettings } from '../../platform/settings.ts'
import { wantEdits } from './actions.ts'
import { TelegramBot } from './kinds/telegram/bot.ts'
import { telegramKind } from './kinds/telegram/telegram.ts'
import { webpush } from './kinds/webpush/webpush.ts'

const telegram = await telegramServer()
const given = { TELEGRAM_TOKEN: botToken, FETCH_ALLOW: '127.0.0.1/32', PUBLIC_URL: 'https://deals.example' }
const kinds = [telegramKind(telegram), webpush]
const { app, databases, signIn } = await buildTestApp({
  settings: { ...given, PUBLIC_URL: 'http://localhost' },
  deliveries: { kinds },
})
const settings = readSettings(given)
const member = await signIn('user')
const { headers } = member

const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
  (await app.inject({ method, url, headers, ...(payload && { payload }) })).json()

async function destinationOf(id: number) {
  const { items } = await call('GET', '/api/destinations')
  return items.find((one: { id: number }) => one.id === id)
}

test('a chat of Telegram: linked by its code, told, changed, stopped by its member, and gone when they block the bot', async () => {
  const log = pino({ level: 'silent' })
  const bot = new TelegramBot({
    databases,
    settings,
    log,
    clock: systemClock,
    base: telegram.base,
    changed: () => {},
  })
  bot.begin()
  whenDone(() => bot.stop())
  let ahead = 0
  const outbox = startOutbox(
    testOutbox(databases, { kinds, settings, clock: () => new Date(Date.now() + ahead) }),
  )
  const last = () => [...telegram.messages.values()].at(-1)
  const write = (text: string) =>
    telegram.happens({
      message: { chat: { id: 7, type: 'private', first_name: 'Ada' }, from: { id: 7 }, text },
    })
  const said = (text: string | RegExp) =>
    vi.waitFor(() => expect(last()?.text).toMatch(text), { timeout: 10_000 })

  const { id, link, state } = await call('POST', '/api/destinations', { kind: 'telegram', name: 'Phone' })
  expect([state, link.url]).toEqual(['unconfirmed', `https://t.me/test_deals_bot?start=${link.code}`])
  write(`/start ${link.code}`)
  await said(`Linked as “Phone” of “${member.user.username}”`)
  expect(await destinationOf(id)).toMatchObject({ state: 'ok', link: null, settings: { chat_title: 'Ada' } })

  const match = await queueMatch(databases, id)
  const row = () => readDelivery(databases, match.id)
  await expect.poll(row).toMatchObject({ state: 'sent', message_id: expect.stringMatching(/^7\/\d+$/) })
  const key = (await row()).message_id ?? ''
  expect(telegram.messages.get(key)?.text).toContain('$9.99')
  const change = async (set: string) => {
    await databases.durablePool.query(`update deals set ${set} where id = $1`, [match.dealId])
    const client = await databases.durablePool.connect()
    await wantEdits(client, [match.episodeId])
    client.release()
    ahead += 31_000
    outbox.wake()
  }
  await change('price = 8')
  await expect.poll(() => telegram.messages.get(key)?.text).toContain('$8.00')
  await change('is_over = true')
  await expect.poll(() => telegram.messages.get(key)?.markup).toMatch(/^<s>.*<\/s>\n<b>Ended\.<\/b>/s)

  write('/stop')
  await said(/^Paused: “Phone”/)
  const before = telegram.messages.size
  const stopped = await queueMatch(databases, id)
  outbox.wake()
  await expect
    .poll(() => readDelivery(databases, stopped.id))
    .toMatchObject({ state: 'skipped', reason: 'The destination is paused.' })
  expect(telegram.messages.size).toBe(before)
  write('/start')
  await said(/^Deals arrive here again/)

  const other = await startReceiver()
  await databases.durableDb
    .insertInto('destinations')
    .values({
      ...{ owner_id: member.user.id, kind: 'webhook', name: 'Hook', state: 'ok' },
      settings: JSON.stringify({ url: other.origin }),
    })
    .execute()
  telegram.chats.set(7, { type: 'private', isBlocked: true })
  const blocked = await queueMatch(databases, id)
  outbox.wake()
  await expect.poll(() => readDelivery(databases, blocked.id)).toMatchObject({ state: 'dead', status: 403 })
  expect(await destinationOf(id)).toMatchObject({
    state: 'gone',
    state_text: expect.stringContaining('blocked'),
  })
  const { rows } = await databases.durablePool.query(
    `select d.content ->> 'title' as title from deliveries d where d.kind = 'notice'`,
  )
  expect(rows).toEqual([{ title: 'Nothing can be sent to Phone any more' }])
})

test('a browser that takes no pushes any more ends, and goes on with its next subscription', async () => {
  const service = await pushService()
  const deps = testOutbox(databases, {
    kinds,
    settings: readSettings({ ...given, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }),
  })
  const place = await databases.durableDb
    .insertInto('destinations')
    .values({ kind: 'webpush', name: 'Browser', state: 'ok', settings: JSON.stringify({ label: 'Chrome' }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const subscribe = async (secrets: object) => {
    const sealed = await deps.secretBox.seal(JSON.stringify(secrets), secretPlaces.destination(place.id))
    await databases.durablePool.query(`update destinations set secrets = $2, state = 'ok' where id = $1`, [
      ...[place.id, sealed],
    ])
  }
  await subscribe(service.secrets)
  const outbox = startOutbox(deps)
  const first = await queueMatch(databases, place.id)
  await expect.poll(() => readDelivery(databases, first.id)).toMatchObject({ state: 'sent', status: 201 })
  expect(service.pushes[0]?.payload).toMatchObject({ web_push: 8030, notification: { title: '$9.99' } })
  service.answers.push({ status: 410 })
  const [second, third] = [await queueMatch(databases, place.id), await queueMatch(databases, place.id)]
  outbox.wake()
  await expect.poll(() => readDelivery(databases, third.id)).toMatchObject({ state: 'skipped' })
  expect(await readDelivery(databases, second.id)).toMatchObject({ state: 'dead', status: 410 })
  expect(service.pushes).toHaveLength(2)
  const renewed = await pushService()
  await subscribe(renewed.secrets)
  const fourth = await queueMatch(databases, place.id)
  outbox.wake()
  await expect.poll(() => readDelivery(databases, fourth.id)).toMatchObject({ state: 'sent' })
  expect([service.pushes.length, renewed.pushes.length]).toEqual([2, 1])
})

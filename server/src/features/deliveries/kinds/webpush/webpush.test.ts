import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../../testing/database.ts'
import {
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  messageNow,
  sendContext,
} from '../../../../../testing/messages.ts'
import { pushService } from '../../../../../testing/push-service.ts'
import { SecretBox } from '../../../../platform/secret-box.ts'
import type { Message } from '../message.ts'
import { vapidKeys } from './vapid-keys.ts'
import { webpush } from './webpush.ts'

const databases = await testDatabases()
const SECRET_KEY = randomBytes(32).toString('base64')
const bound = webpush.bind({ label: 'Chrome on Linux' })
const PUBLIC_URL = 'https://deals.example.org'
const deps = kindDeps({ databases }, { PUBLIC_URL, SECRET_KEY })

async function subscribed(given = deps) {
  const service = await pushService()
  const target = { id: 1, secrets: service.secrets, isGroup: true }
  const send = (message: Message) => bound.send(target, message, given, sendContext())
  const edit = async (message: Message) => bound.edit?.(target, 'topic', message, given, sendContext())
  return { service, send, edit }
}

test('a deal is a declarative push that the browser decrypts, from whom its key says', async () => {
  const { service, send } = await subscribed()
  const deal = messageDeal({ endsAt: new Date(messageNow.getTime() + 600_000), priceBefore: '$14.99' })
  const outcome = await send(dealMessage({ deal, isUrgent: true }))
  const [push] = service.pushes
  expect(push?.payload).toEqual({
    web_push: 8030,
    notification: {
      title: '$12.99, 35 % off, was $14.99',
      body: 'Folding lantern 1\nThe lowest price of 90 days.\nEnds today 14:10\nFound by Lamps',
      ...{ navigate: 'https://deals.example/deals/1', tag: push?.headers.topic, silent: false },
      ...{ image: 'https://img.example/1.jpg', timestamp: Date.parse('2026-05-04T11:30:00Z') },
    },
  })
  expect(push?.headers).toMatchObject({
    ...{ ttl: '600', urgency: 'high', 'content-encoding': 'aes128gcm' },
    topic: expect.stringMatching(/^[\w-]{1,32}$/),
  })
  expect(outcome).toEqual({ result: 'sent', status: 201, messageId: push?.headers.topic })
  const { publicKey } = await vapidKeys(deps)
  expect(push?.claims).toMatchObject({ aud: service.base, sub: PUBLIC_URL, key: publicKey })
  expect(push?.claims.exp).toBeLessThanOrEqual(Date.now() / 1_000 + 86_400)
})

test('a new price replaces the old one without a sound, and an end says so', async () => {
  const { service, send, edit } = await subscribed()
  await send(dealMessage())
  await edit(dealMessage({ deal: messageDeal({ price: '$9.99', priceBefore: '$12.99' }) }))
  await edit(dealMessage({ state: 'ended' }))
  await edit(dealMessage({ state: 'gone' }))
  await send(dealMessage({ deal: messageDeal({}, 2), isSilent: true }))
  const { pushes } = service
  expect(pushes.map(({ payload }) => payload)).toMatchObject([
    { notification: { title: '$12.99, 35 % off', silent: false } },
    { notification: { title: '$9.99, 35 % off, was $12.99', silent: true } },
    { notification: { title: 'Ended: $12.99, 35 % off', silent: true } },
    { notification: { title: 'No longer shown', navigate: '/', silent: true } },
    { notification: { title: '$12.99, 35 % off', silent: true } },
  ])
  expect(JSON.stringify(pushes[3]?.payload)).not.toContain('lantern')
  const topics = pushes.map(({ headers }) => headers.topic)
  expect(new Set(topics.slice(0, 4)).size).toBe(1)
  expect(topics[4]).not.toBe(topics[0])
  expect(pushes.map(({ headers }) => [headers.ttl, headers.urgency])).toEqual([
    ['3600', 'normal'],
    ...[1, 2, 3, 4].map(() => ['3600', 'low']),
  ])
})

test('whatever is said fits into one push, and is shown as text', async () => {
  const { service, send } = await subscribed()
  const titles = [...hostileTitles, '"'.repeat(500), '👩‍👩‍👧‍👦'.repeat(45), 'ä'.repeat(500), '\u202eabc']
  for (const title of titles) {
    const imageUrl = `https://img.example/${'i'.repeat(900)}`
    await send(dealMessage({ deal: messageDeal({ title, verdict: title, imageUrl }), searches: [title] }))
  }
  await send(listMessage(Array.from({ length: 50 }, (_, at) => `Title ${at} ${'x'.repeat(200)}`)))
  await send({ ...dealMessage(), kind: 'notice', title: 'Lamps', text: 'é'.repeat(9_000) })
  expect(service.pushes).toHaveLength(titles.length + 2)
  for (const { bytes, payload } of service.pushes) {
    expect(bytes).toBeLessThanOrEqual(4_096)
    expect(JSON.stringify(payload)).not.toContain('\u202e')
  }
  const bodies = service.pushes.map(({ payload }) => JSON.stringify(payload))
  expect(bodies[titles.indexOf('ä'.repeat(500))]).toContain('ä'.repeat(500))
  expect(bodies[titles.indexOf('"'.repeat(500))]).toContain('\\"'.repeat(500))
})

test('the picture goes along up to the last byte that there is room for', async () => {
  const { service, send } = await subscribed()
  const withImage = (length: number) =>
    send(dealMessage({ deal: messageDeal({ imageUrl: `https://img.example/${'i'.repeat(length)}` }) }))
  await withImage(3_000)
  const room = 4_096 - (service.pushes[0]?.bytes ?? 0)
  await withImage(3_000 + room)
  await withImage(3_001 + room)
  const hasImage = service.pushes.map(({ bytes, payload }) => [
    bytes,
    JSON.stringify(payload).includes('iii'),
  ])
  expect(hasImage.slice(1)).toEqual([
    [4_096, true],
    [expect.any(Number), false],
  ])
})

test.each([
  [404, {}, { result: 'gone' }],
  [410, {}, { result: 'gone' }],
  [429, { 'retry-after': '30' }, { result: 'later', afterMs: 30_000 }],
  [403, {}, { result: 'failed', text: expect.stringContaining('key of this installation') }],
  [500, {}, { result: 'failed' }],
  [400, {}, { result: 'refused' }],
])('status %i', async (status, headers, expected) => {
  const { service, send } = await subscribed()
  service.answers.push({ status, headers, body: 'because' })
  expect(await send(dealMessage())).toMatchObject({ status, ...expected })
})

test('what is too large is sent once more, shorter', async () => {
  const { service, send } = await subscribed()
  const message = dealMessage({ deal: messageDeal({ title: 'x'.repeat(500), verdict: 'y'.repeat(900) }) })
  service.answers.push({ status: 413 })
  expect(await send(message)).toMatchObject({ result: 'sent' })
  const [first, second] = service.pushes.map(({ bytes }) => bytes)
  expect([service.pushes.length, (second ?? 0) < 800, (first ?? 0) > 1_400]).toEqual([2, true, true])
  service.answers.push({ status: 413 }, { status: 413 })
  expect(await send(message)).toMatchObject({ result: 'refused', status: 413 })
})

test('a push service that can’t be asked, and keys that can’t be opened, are results', async () => {
  const { send } = await subscribed()
  await send(dealMessage())
  const closed = { endpoint: 'https://127.0.0.1:1/x', p256dh: '', auth: '' }
  const service = await pushService()
  const secrets = { ...service.secrets, endpoint: closed.endpoint }
  const outcome = await bound.send({ id: 1, secrets, isGroup: false }, dealMessage(), deps, sendContext())
  expect(outcome).toMatchObject({ result: 'refused', text: expect.stringContaining('not public') })
  const other = new SecretBox({
    SECRET_KEY: randomBytes(32).toString('base64'),
    SECRET_KEY_OLD: '',
    DATA_DIR: '/nowhere',
  })
  const lost = await subscribed(kindDeps({ databases, secretBox: other }, { PUBLIC_URL }))
  expect(await lost.send(dealMessage())).toMatchObject({
    result: 'failed',
    text: expect.stringContaining('SECRET_KEY'),
  })
})

test('push services are told whom to turn to, or nothing can be subscribed', async () => {
  const of = (settings: Record<string, string>) => webpush.unavailable(kindDeps({}, settings))
  const MAIL_FROM = 'Deals <deals@example.org>'
  expect([of({ PUBLIC_URL }), of({ MAIL_FROM }), of({ PUBLIC_URL: 'http://deals.lan', MAIL_FROM })]).toEqual([
    null,
    null,
    null,
  ])
  expect(of({})).toContain('PUBLIC_URL')
  expect(of({ PUBLIC_URL: 'http://deals.lan' })).toContain('MAIL_FROM')
  expect(of({ PUBLIC_URL: 'https://localhost' })).not.toBeNull()
  const { service, send } = await subscribed(kindDeps({ databases }, { MAIL_FROM, SECRET_KEY }))
  const deal = messageDeal({ pageUrl: null })
  await send(dealMessage({ deal }))
  expect(service.pushes[0]).toMatchObject({
    claims: { sub: 'mailto:deals@example.org' },
    payload: { notification: { navigate: '/deals/B000000001' } },
  })
})

test('a subscription is looked at before it is kept', async () => {
  const { secrets } = await pushService()
  const check = (given: Record<string, string>) => bound.check(given, Object.keys(given))
  const whole = { ...secrets, endpoint: 'https://push.example/abc' }
  expect(check(whole)).toBeNull()
  expect(check({})).toEqual({ endpoint: 'is missing', p256dh: 'is missing', auth: 'is missing' })
  const notOnCurve = Buffer.alloc(65, 4).toString('base64url')
  expect(check({ endpoint: secrets.endpoint, p256dh: notOnCurve, auth: 'short' })).toEqual({
    ...{ endpoint: 'must be an https address', p256dh: 'must be a public key', auth: 'must be 16 bytes' },
  })
})

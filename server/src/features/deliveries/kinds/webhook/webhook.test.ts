import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../../testing/listening.ts'
import {
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  noticeMessage,
  sendContext,
} from '../../../../../testing/messages.ts'
import { makeSafeFetch } from '../../../../platform/outgoing/make-safe-fetch.ts'
import type { Message } from '../message.ts'
import { webhook } from './webhook.ts'

type Asked = { headers: IncomingHttpHeaders; body: string }

/** A receiver on this machine that answers as it is told. */
async function receiver(
  answer: (response: ServerResponse, at: number) => void = (response) => response.end(),
) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece))
    asked.push({ headers: request.headers, body: Buffer.concat(pieces).toString() })
    answer(response, asked.length)
  })
  const base = await listening(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // Receivers verify that a message is of these minutes.
  const deps = kindDeps({ clock: () => new Date() })
  const made = webhook.make?.() ?? { secrets: {}, shown: null }
  const bound = webhook.bind({ url: `${base}/hook?a=b` })
  const target = (secrets: Record<string, string> = made.secrets) => ({ id: 1, secrets, isGroup: true })
  const send = (message: Message, secrets?: Record<string, string>) =>
    bound.send(target(secrets), message, deps, sendContext())
  const edit = async (message: Message) => bound.edit?.(target(), message.uid, message, deps, sendContext())
  return { asked, deps, bound, made, send, edit, target }
}
/** What the official library makes of a request. Throws where the signature is wrong. */
const verify = (secret: string | null | undefined, { headers, body }: Asked) =>
  new Webhook(secret ?? '').verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  })

test('a deal is an event that the official library verifies', async () => {
  const { asked, made, send } = await receiver()
  expect(made.shown).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/)
  const message = dealMessage({
    deal: messageDeal({ endsAt: new Date('2026-05-04T18:00:00Z') }),
    isUrgent: true,
  })
  expect(await send(message)).toMatchObject({ result: 'sent', status: 200, messageId: message.uid })
  const [first] = asked
  if (!first) throw new Error('nothing came')
  expect(first.headers).toMatchObject({
    'webhook-id': message.uid,
    'content-type': expect.stringContaining('json'),
  })
  expect(verify(made.shown, first)).toEqual({
    type: 'deal.matched',
    timestamp: expect.any(String),
    data: {
      ...{ message_id: message.uid, id: 1, asin: 'B000000001', state: 'live', title: 'Folding lantern 1' },
      ...{ price: 12.99, price_text: '$12.99', price_before_text: null, original_price_text: '$20.00' },
      ...{ discount_percentage: 35, verdict_text: 'The lowest price of 90 days.', prime_eligible: true },
      ...{ rating_text: '4.6 of 5, 1,203 reviews', url: 'https://deals.example/deals/1' },
      ...{ shop_url: 'https://www.amazon.com/dp/B000000001', image_url: 'https://img.example/1.jpg' },
      ...{ observed_at: '2026-05-04T11:30:00.000Z', ends_at: '2026-05-04T18:00:00.000Z' },
      ...{ searches: ['Lamps'], is_urgent: true, disclosure: '' },
    },
  })
  expect(() => verify(made.shown, { ...first, body: first.body.replace('12.99', '1.99') })).toThrow()
  expect(() => verify(webhook.make?.().shown, first)).toThrow()
})

test('a change is an event of its own about the same deal, and the same one when it is sent again', async () => {
  const { asked, made, send, edit } = await receiver()
  const lower = dealMessage({ deal: messageDeal({ amount: 9.99, priceBefore: '$12.99' }) })
  await send(dealMessage())
  for (const message of [lower, lower, dealMessage({ state: 'ended' }), dealMessage({ state: 'gone' })])
    expect(await edit(message)).toMatchObject({ result: 'sent' })
  const events = asked.map((each) => verify(made.shown, each))
  expect(events).toMatchObject([
    { type: 'deal.matched', data: { id: 1 } },
    ...[1, 2].map(() => ({ type: 'deal.updated', data: { id: 1, price: 9.99 } })),
    { type: 'deal.ended', data: { id: 1, state: 'ended' } },
    { type: 'deal.ended', data: { id: 1, state: 'gone' } },
  ])
  // Of what is hidden nothing else is said.
  expect(asked[4]?.body).not.toContain('lantern')
  const ids = asked.map(({ headers }) => headers['webhook-id'])
  expect(ids[1]).toBe(ids[2])
  expect(new Set(ids).size).toBe(4)
  expect(ids.every((id) => /^[\w-]+$/.test(String(id)))).toBe(true)
})

test('lists, notices and tests say what they are, and stay below 20 kB', async () => {
  const { asked, made, send } = await receiver()
  await send(
    listMessage(
      Array.from({ length: 60 }, () => 'ä'.repeat(500)),
      { more: 3 },
    ),
  )
  await send(noticeMessage)
  await send(dealMessage({ isTest: true }))
  for (const title of hostileTitles) await send(dealMessage({ deal: messageDeal({ title }) }))
  const events = asked.map((each) => verify(made.shown, each))
  expect(events.slice(0, 3)).toMatchObject([
    { type: 'deals.digest', data: { title: 'Deals of the night' } },
    { type: 'destination.notice', data: { text: expect.stringContaining('not there') } },
    { type: 'test', data: { id: 1 } },
  ])
  const { data } = JSON.parse(asked[0]?.body ?? '{}')
  expect(data.deals.length + data.more).toBe(63)
  expect(data.deals.length).toBeGreaterThan(10)
  expect(Math.max(...asked.map(({ body }) => Buffer.byteLength(body)))).toBeLessThan(20_000)
})

test('for a day both secrets sign, then the new one alone', async () => {
  const { asked, made, send } = await receiver()
  const now = new Date()
  const rotated = webhook.rotate?.(made.secrets, now)
  const secrets = { ...made.secrets, ...rotated?.secrets }
  await send(dealMessage(), secrets)
  const late = new Date(now.getTime() - 24 * 3_600_000 - 1_000)
  await send(dealMessage(), { ...made.secrets, ...webhook.rotate?.(made.secrets, late).secrets })
  const [both, one] = asked
  if (!both || !one) throw new Error('nothing came')
  expect(verify(made.shown, both)).toEqual(verify(rotated?.shown, both))
  expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect(() => verify(made.shown, one)).toThrow()
  // A second change does not prolong the life of the first secret.
  const twice = webhook.rotate?.(secrets, now)
  expect(twice?.secrets.signing_before).toContain(rotated?.shown)
  expect(JSON.stringify(twice)).not.toContain(made.shown)
})

test.each([
  [204, {}, { result: 'sent' }],
  [302, { location: '/elsewhere' }, { result: 'failed', text: expect.stringContaining('leads on') }],
  [308, { location: 'https://evil.example/' }, { result: 'failed' }],
  [400, {}, { result: 'failed' }],
  [404, {}, { result: 'failed' }],
  [410, {}, { result: 'gone' }],
  [429, { 'retry-after': '7' }, { result: 'later', afterMs: 7_000 }],
  [502, { 'retry-after': '8' }, { result: 'later', afterMs: 8_000 }],
  [503, { 'retry-after': '9' }, { result: 'later', afterMs: 9_000 }],
  [504, { 'retry-after': '10' }, { result: 'later', afterMs: 10_000 }],
  [504, { 'retry-after': '0' }, { result: 'failed' }],
  [500, {}, { result: 'failed' }],
  [503, {}, { result: 'failed' }],
])('status %i', async (status, headers, expected) => {
  const { asked, send } = await receiver((response) => response.writeHead(status, headers).end('said'))
  expect(await send(dealMessage())).toMatchObject({ status, ...expected })
  // Nothing is followed.
  expect(asked).toHaveLength(1)
})

test('an answer without end is success once its status says so, and little of it is read', async () => {
  let isOpen = true
  const { send } = await receiver((response) => {
    response.on('close', () => {
      isOpen = false
    })
    const go = () => {
      while (response.write('x'.repeat(1_000)));
      response.once('drain', go)
    }
    go()
  })
  expect(await send(dealMessage())).toMatchObject({ result: 'sent' })
  await expect.poll(() => isOpen).toBe(false)
})

test('a receiver that hangs up instead of answering is tried as often as one that refuses', async () => {
  const { send } = await receiver((response) => response.destroy())
  expect(await send(dealMessage())).toMatchObject({ result: 'failed' })
})

test('a receiver has fifteen seconds', async () => {
  const { bound, deps, target } = await receiver()
  const asked: (number | undefined)[] = []
  const fetch = makeSafeFetch({ allow: ['127.0.0.1/32'] })
  const watched = kindDeps({
    clock: deps.clock,
    fetch: (url, request) => {
      asked.push(request.limits.totalMs)
      // As short as a test can wait for.
      return fetch(url, { ...request, limits: { ...request.limits, totalMs: 50 } })
    },
  })
  await bound.send(target(), dealMessage(), watched, sendContext())
  const hanging = await receiver(() => {})
  const outcome = await hanging.bound.send(hanging.target(), dealMessage(), watched, sendContext())
  expect(outcome).toMatchObject({ result: 'failed' })
  expect(asked).toEqual([15_000, 15_000])
})

test('members’ own addresses reach no network that was opened for the group', async () => {
  const { asked, bound, deps, target } = await receiver()
  const outcome = await bound.send({ ...target(), isGroup: false }, dealMessage(), deps, sendContext())
  expect([outcome.result, asked]).toEqual(['refused', []])
})

test.each(['', 'deals', 'ftp://example.org', 'https://user:pass@example.org', 'javascript:alert(1)'])(
  'the address %j is refused',
  (url) => expect(() => webhook.bind({ url })).toThrow(),
)

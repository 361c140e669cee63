import { expect, test } from 'vitest'
import {
  dealMessage,
  kindDeps,
  listMessage,
  messageDeal,
  noticeMessage,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import { ntfyError, ntfyServer, ntfyToken } from '../../../../../testing/ntfy-server.ts'
import type { Message } from '../message.ts'
import { ntfyKind } from './ntfy.ts'

const deps = kindDeps()
const [topic, sequence] = ['Topic_nobody-guesses', '0f5c2f0e3a8e4c559d0f0a1b2c3d4e5f']

async function start(token = ntfyToken) {
  const server = await ntfyServer()
  const bound = ntfyKind.bind({ server: `${server.base}/` })
  const target = targetOf({ topic, token })
  const send = (message: Message) => bound.send(target, message, deps, sendContext())
  const edit = async (id: string, message: Message) => bound.edit?.(target, id, message, deps, sendContext())
  return { server, bound, send, edit }
}

test('a deal is a notification with a picture, a place to tap and a name to change it by', async () => {
  const { server, send } = await start()
  const deal = messageDeal({ endsAt: new Date('2026-05-04T23:00:00Z') })
  expect(await send(dealMessage({ deal, disclosure: '(paid link)' }))).toEqual({
    ...{ result: 'sent', status: 200, messageId: sequence },
  })
  expect(server.asked[0]).toMatchObject({ headers: { authorization: `Bearer ${ntfyToken}` } })
  expect(server.asked[0]?.body).toEqual({
    ...{ topic, title: 'Folding lantern 1', priority: 3, tags: ['label'], sequence_id: sequence },
    message: [
      '$12.99 instead of $20.00 (35% off)',
      'The lowest price of 90 days.',
      '▅▅▃▁',
      '4.6 of 5, 1,203 reviews · Prime',
      'Ends tomorrow 01:00',
      'As of today 13:30',
      'Found by Lamps',
      '(paid link)',
    ].join('\n'),
    click: 'https://deals.example/deals/1',
    attach: 'https://img.example/1.jpg',
    actions: [{ action: 'view', label: 'Open at the shop', url: 'https://www.amazon.com/dp/B000000001' }],
  })
})

test('it is changed in place, without a sound', async () => {
  const { server, send, edit } = await start()
  await send(dealMessage({ isUrgent: true }))
  expect(await edit(sequence, dealMessage({ state: 'ended', isUrgent: true }))).toMatchObject({
    ...{ result: 'sent', messageId: sequence },
  })
  expect(server.shown.size).toBe(1)
  expect(server.shown.get(sequence)).toMatchObject({
    ...{ title: 'Ended: Folding lantern 1', priority: 2, tags: ['checkered_flag'] },
    message: expect.stringMatching(/^Ended\.\n/),
  })
  await edit(sequence, dealMessage({ state: 'gone' }))
  const gone = server.shown.get(sequence)
  expect(gone).toMatchObject({ title: 'This deal is not shown any more.' })
  for (const name of ['attach', 'click', 'actions']) expect(gone).not.toHaveProperty(name)
})

test('a change says by its title what the price is now, a new message of a price that fell further doesn’t', async () => {
  const { server, send, edit } = await start()
  const deal = messageDeal({ priceBefore: '$14.00' })
  await send(dealMessage({ deal }))
  expect(server.shown.get(sequence)).toMatchObject({ title: 'Folding lantern 1' })
  await edit(sequence, dealMessage({ deal, isSilent: true }))
  expect(server.shown.size).toBe(1)
  expect(server.shown.get(sequence)).toMatchObject({
    ...{ title: 'Now $12.99: Folding lantern 1', priority: 2 },
    message: expect.stringContaining('It was $14.00 before.'),
  })
})

test('of a server that is too old what was sent stays as it is', async () => {
  const { server, send, edit } = await start()
  server.isOld = true
  const sent = await send(dealMessage())
  expect(sent).toMatchObject({ result: 'sent', messageId: 'fixed:id0000000001' })
  expect(await edit('fixed:id0000000001', dealMessage())).toMatchObject({
    ...{ result: 'lost', text: expect.stringContaining('2.16') },
  })
  expect(server.asked).toHaveLength(1)
})

test('how loud it is depends on what it says', async () => {
  const { server, send } = await start()
  for (const message of [
    ...[dealMessage({ isUrgent: true }), dealMessage({ deal: messageDeal({ off: 50 }) }), dealMessage()],
    ...[dealMessage({ isUrgent: true, isSilent: true }), listMessage(['One']), noticeMessage],
  ])
    await send(message)
  expect(server.asked.map(({ body }) => body.priority)).toEqual([5, 4, 3, 2, 3, 3])
})

test('where nothing may be attached it comes without the picture', async () => {
  const { server, send } = await start()
  server.takesPictures = false
  expect(await send(dealMessage())).toMatchObject({ result: 'sent', messageId: sequence })
  expect(server.asked.map(({ body }) => 'attach' in body)).toEqual([true, false])
})

test.each([
  [
    'too many',
    ntfyError(429, 42901, 'limit reached: too many requests'),
    {
      result: 'later',
      afterMs: 60_000,
      limits: [{ key: 'ntfy 1', blockedMs: 60_000 }],
    },
  ],
  [
    'too many today',
    ntfyError(429, 42908, 'limit reached: too many messages'),
    { result: 'later', afterMs: 3_600_000 },
  ],
  [
    'too many, by a proxy',
    { status: 429, headers: { 'retry-after': '9' } },
    { result: 'later', afterMs: 9_000 },
  ],
  [
    'too many, by a proxy that names no pause',
    { status: 429, headers: { 'retry-after': '0' } },
    { result: 'later', afterMs: 60_000 },
  ],
  ['wrong token', ntfyError(401, 40101, 'unauthorized'), { result: 'gone' }],
  ['no right', ntfyError(403, 40301, 'forbidden'), { result: 'gone' }],
  ['no ntfy', { status: 404, body: '<html>' }, { result: 'gone' }],
  ['an answer that broke off', { status: 200 }, { result: 'sent', messageId: null }],
  ['a page of something else', { status: 200, body: '<html>' }, { result: 'failed' }],
  ['no room', { status: 507 }, { result: 'failed' }],
  ['too large', ntfyError(413, 41303, 'JSON body too large'), { result: 'refused' }],
  ['refused', ntfyError(400, 40017, 'must be message JSON'), { result: 'refused' }],
  ['trouble', { status: 502 }, { result: 'failed' }],
  ['another address', { status: 301, headers: { location: 'https://other.example/' } }, { result: 'failed' }],
  ['no answer', { breaks: true as const }, { result: 'unknown' }],
])('%s', async (_, answered, expected) => {
  const { server, send } = await start()
  server.answers.push(answered)
  const outcome = await send(dealMessage())
  expect(outcome).toMatchObject(expected)
  expect(JSON.stringify(outcome)).not.toContain(topic)
})

test.each([
  ['the day’s messages', ntfyError(429, 42908, 'limit reached: too many messages'), 3_600_000],
  ['a day’s pause', { status: 429, headers: { 'retry-after': '86400' } }, 86_400_000],
])('%s of one keeps others waiting for minutes, and nobody with a token', async (_, answered, afterMs) => {
  const { server, bound } = await start()
  const targetWith = (id: number, token: string) => ({ ...targetOf({ topic, token }), id })
  const [bare, own, other] = [targetWith(1, ''), targetWith(2, ntfyToken), targetWith(3, ntfyToken)]
  const keysOf = (target: typeof bare) => bound.limits(target, deps).map(({ key }) => key)
  const send = (target: typeof bare) => bound.send(target, dealMessage(), deps, sendContext())
  server.answers.push(answered, answered)
  const ofBare = await send(bare)
  expect(ofBare).toMatchObject({ result: 'later', afterMs, limits: [{ blockedMs: 600_000 }] })
  expect(keysOf(bare)).toContain(ofBare.limits?.[0]?.key)
  expect(keysOf(own)).not.toContain(ofBare.limits?.[0]?.key)
  const ofOwn = await send(own)
  expect(ofOwn).toMatchObject({ result: 'later', afterMs, limits: [{ blockedMs: afterMs }] })
  expect(keysOf(own)).toContain(ofOwn.limits?.[0]?.key)
  for (const one of [bare, other]) expect(keysOf(one)).not.toContain(ofOwn.limits?.[0]?.key)
  // All of them are sent from our address.
  expect(keysOf(other)[0]).toBe(keysOf(bare)[0])
})

test('settings and secrets are checked by field', () => {
  expect(ntfyKind.bind({}).settings).toEqual({ server: 'https://ntfy.sh' })
  for (const server of ['ntfy.sh', 'https://ntfy.sh/topic', 'ftp://ntfy.sh', 'https://a@ntfy.sh'])
    expect(() => ntfyKind.bind({ server })).toThrow('must be an address')
  const check = (secrets: Record<string, string>) => ntfyKind.bind({}).check(secrets, Object.keys(secrets))
  expect(check({ topic, token: 'tk_abc' })).toBeNull()
  expect(check({ topic: 'a b' })).toHaveProperty('topic')
  expect(check({ topic, token: 'tk abc' })).toHaveProperty('token')
})

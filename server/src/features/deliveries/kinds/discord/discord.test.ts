import { expect, test } from 'vitest'
import { discordServer, webhookToken } from '../../../../../testing/discord-server.ts'
import {
  dealMessage,
  kindDeps,
  listMessage,
  messageDeal,
  noticeMessage,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import type { Message } from '../message.ts'
import { everyKeyOf, outcomeOf } from './answers.ts'
import { discordKind } from './discord.ts'

const deps = kindDeps()

async function start(settings: Record<string, string | boolean | string[]> = {}) {
  const server = await discordServer()
  const bound = discordKind.bind(settings)
  const target = targetOf({ webhook_url: server.webhookUrl })
  const send = (message: Message) => bound.send(target, message, deps, sendContext())
  const edit = async (id: string, message: Message) => bound.edit?.(target, id, message, deps, sendContext())
  return { server, send, edit }
}
const [firstId, key] = ['200000000000000000', expect.stringMatching(/^discord:127\.0\.0\.1:\d+:1042/)]

test('a deal is one embed with its own address, its picture and what is worth knowing', async () => {
  const { server, send } = await start()
  const deal = messageDeal({ endsAt: new Date('2026-05-04T18:00:00Z'), priceBefore: '$14.99' })
  const message = dealMessage({ deal, searches: ['Lamps', 'Camping'], disclosure: '(paid link)' })
  expect(await send(message)).toEqual({ result: 'sent', status: 200, messageId: firstId })
  expect(server.asked[0]?.url.pathname).toBe(`/api/v10/webhooks/104200000000000001/${webhookToken}`)
  expect(server.asked[0]?.url.search).toBe('?wait=true')
  expect(server.asked[0]?.body).toEqual({
    content: '',
    embeds: [
      {
        title: 'Folding lantern 1',
        url: 'https://deals.example/deals/1',
        description: [
          '**$12.99** ~~$20.00~~ 35% off',
          'It was $14.99 before.',
          'The lowest price of 90 days.',
          '`▅▅▃▁`',
          '4.6 of 5, 1,203 reviews · Prime',
          'Ends <t:1777917600:R>, <t:1777917600:f>',
          'As of <t:1777894200:f>',
          '[Open at the shop](https://www.amazon.com/dp/B000000001) \\(paid link\\)',
        ].join('\n'),
        color: 0x2f9e44,
        thumbnail: { url: 'https://img.example/1.jpg' },
        footer: { text: 'Found by Lamps, Camping' },
      },
    ],
    allowed_mentions: { parse: [], roles: [] },
  })
})

test('a message is changed in place, struck through at its end, and says nothing of what is gone', async () => {
  const { server, send, edit } = await start()
  await send(dealMessage())
  expect(await edit(firstId, dealMessage({ state: 'ended' }))).toMatchObject({
    result: 'sent',
    messageId: firstId,
  })
  const ended = server.asked[1]
  expect([ended?.method, ended?.url.pathname, ended?.url.search]).toEqual([
    ...['PATCH', `/api/v10/webhooks/104200000000000001/${webhookToken}/messages/${firstId}`, ''],
  ])
  expect(ended?.body).toMatchObject({
    embeds: [{ title: '~~Folding lantern 1~~', description: expect.stringMatching(/^\*\*Ended\.\*\*\n/) }],
    allowed_mentions: { parse: [] },
  })
  await edit(firstId, dealMessage({ state: 'gone' }))
  expect(server.messages.get(firstId)?.payload.embeds).toEqual([
    { description: 'This deal is not shown any more.', color: 0x868e96 },
  ])
})

test('a role is mentioned by new messages that make a sound, and by nothing else', async () => {
  const { server, send, edit } = await start({ role: '104200000000000009', username: 'Deals' })
  await send(dealMessage())
  await send(listMessage(['One']))
  await send(dealMessage({ isSilent: true }))
  await send(dealMessage({ isTest: true }))
  await send(noticeMessage)
  await edit(firstId, dealMessage())
  const bodies = server.asked.map(({ body }) => body)
  const roles = (mentioned: string[]) => ({ allowed_mentions: { parse: [], roles: mentioned } })
  expect(bodies[0]).toMatchObject({
    content: '<@&104200000000000009>',
    username: 'Deals',
    ...roles(['104200000000000009']),
  })
  expect(bodies[1]?.content).toMatch(/^<@&104200000000000009> \*\*Deals of the night\*\*/)
  expect(bodies[2]).toMatchObject({ content: '', flags: 4_096, ...roles([]) })
  expect(bodies[3]).toMatchObject({ content: '', ...roles([]) })
  expect(bodies[4]).toMatchObject({ content: '', ...roles([]) })
  expect(bodies[5]).not.toHaveProperty('content')
  expect(bodies[5]?.allowed_mentions).toEqual({ parse: [] })
})

test('of a forum each message is a thread with its tags, and is changed there', async () => {
  const { server, send, edit } = await start({ makes_threads: true, tags: ['104200000000000005'] })
  server.isForum = true
  const sent = await send(dealMessage())
  expect(sent).toMatchObject({ result: 'sent', messageId: `${firstId}@${firstId}` })
  expect(server.asked[0]?.body).toMatchObject({
    ...{ thread_name: 'Folding lantern 1', applied_tags: ['104200000000000005'] },
  })
  expect(await edit(`${firstId}@${firstId}`, dealMessage())).toMatchObject({ result: 'sent' })
  expect(server.asked[1]?.url.search).toBe(`?thread_id=${firstId}`)
})

test('a thread of one’s own is written into, and its messages are changed there', async () => {
  const { server, send, edit } = await start({ thread: '104200000000000007' })
  expect(await send(dealMessage())).toMatchObject({ messageId: `${firstId}@104200000000000007` })
  expect(server.asked[0]?.url.search).toBe('?wait=true&thread_id=104200000000000007')
  expect(await edit(`${firstId}@104200000000000007`, dealMessage())).toMatchObject({ result: 'sent' })
})

test('settings that don’t fit the channel are said, and nothing more is sent', async () => {
  const forum = await start()
  forum.server.isForum = true
  expect(await forum.send(dealMessage())).toMatchObject({
    result: 'gone',
    text: expect.stringContaining('is a forum'),
  })
  const channel = await start({ makes_threads: true })
  expect(await channel.send(dealMessage())).toMatchObject({
    result: 'gone',
    text: expect.stringContaining('no forum'),
  })
})

test('the headers of a bucket say when it is spent', async () => {
  const { server, send } = await start()
  server.left = 2
  expect(await send(dealMessage())).not.toHaveProperty('limits')
  expect(await send(dealMessage())).toMatchObject({ result: 'sent', limits: [{ key, blockedMs: 1_250 }] })
  expect(await send(dealMessage())).toMatchObject({
    ...{ result: 'later', status: 429, afterMs: 1_250, limits: [{ key, blockedMs: 1_250 }] },
  })
})

const answers: [string, boolean, number, object | string, Record<string, string>, object][] = [
  [
    '429 for all',
    false,
    429,
    { retry_after: 0.5, global: true },
    {},
    { result: 'later', afterMs: 500, limits: [{ key, blockedMs: 500 }] },
  ],
  [
    '429 by a header for all',
    false,
    429,
    { retry_after: 3 },
    { 'x-ratelimit-global': 'true' },
    { result: 'later', afterMs: 3_000, limits: [{ key, blockedMs: 3_000 }] },
  ],
  [
    '429 of what is shared',
    false,
    429,
    { retry_after: 7.25 },
    { 'x-ratelimit-scope': 'shared' },
    { result: 'later', afterMs: 7_250, limits: [{ key, blockedMs: 7_250 }] },
  ],
  [
    '429 of what stands before it',
    false,
    429,
    '<html>',
    { 'retry-after': '40' },
    { result: 'later', afterMs: 40_000, limits: [{ key, blockedMs: 40_000 }] },
  ],
  [
    'edited too often',
    true,
    429,
    { code: 30046, retry_after: 61.5 },
    {},
    { result: 'later', afterMs: 61_500, isOfOneMessage: true },
  ],
  ['message deleted', true, 404, { code: 10008 }, {}, { result: 'lost' }],
  ['thread deleted, of a message', true, 404, { code: 10003 }, {}, { result: 'lost' }],
  ['thread deleted', false, 404, { code: 10003 }, {}, { result: 'gone' }],
  ['webhook deleted', false, 404, { code: 10015 }, {}, { result: 'gone' }],
  ['webhook deleted, of a message', true, 404, { code: 10015 }, {}, { result: 'gone' }],
  ['no such webhook', false, 404, '', {}, { result: 'gone' }],
  ['wrong token', false, 401, { code: 50027 }, {}, { result: 'gone' }],
  ['forbidden', false, 403, { code: 50013 }, {}, { result: 'gone' }],
  ['shut out by what stands before it', false, 403, '<html>', {}, { result: 'failed' }],
  ['shut out by what stands before it, in JSON', false, 403, { code: 40333 }, {}, { result: 'failed' }],
  ['tag wanted', false, 400, { code: 40067 }, {}, { result: 'gone' }],
  ['refused', false, 400, { code: 50035 }, {}, { result: 'refused' }],
  ['trouble', false, 500, '', {}, { result: 'failed' }],
  ['overloaded', false, 503, '', {}, { result: 'failed' }],
  ['a page of something else', false, 200, '<html>', {}, { result: 'failed' }],
  ['saved without an answer', false, 200, '', {}, { result: 'sent', messageId: null }],
]
test.each(answers)('%s', async (_, isEdit, status, body, headers, expected) => {
  const { server, send, edit } = await start()
  server.answers.push({ status, body, headers })
  const outcome = await (isEdit ? edit(firstId, dealMessage()) : send(dealMessage()))
  expect(outcome).toMatchObject({ status, ...expected })
  expect(JSON.stringify(outcome)).not.toContain(webhookToken)
  // Each is the message's own affair unless the answer says otherwise.
  if (!('limits' in expected)) expect(outcome).not.toHaveProperty('limits')
})

test('only Discord itself has all its webhooks wait, and not for long', () => {
  const about = {
    now: new Date(),
    isEdit: false,
    key: 'discord:1',
    everyKey: everyKeyOf('https://discord.com', '1'),
  }
  const answer = {
    status: 429,
    headers: new Headers(),
    json: { retry_after: 86_400, global: true },
    text: '',
  }
  const outcome = outcomeOf({ ...answer, isPublic: true }, { ...about, secrets: [] }, String)
  expect(outcome.limits).toEqual([{ key: 'discord', blockedMs: 600_000 }])
  expect(everyKeyOf('https://webhooks.example', '1')).toBe('discord:webhooks.example:1')
})

test('whether it arrived isn’t known when the connection ends', async () => {
  const { server, send } = await start()
  server.answers.push({ breaks: true })
  expect(await send(dealMessage())).toMatchObject({ result: 'unknown' })
})

test('the address of a webhook is checked, whichever name of Discord it has', () => {
  const check = (url: string, settings = {}) =>
    discordKind.bind(settings).check({ webhook_url: url }, ['webhook_url'])
  const rest = '/api/webhooks/104200000000000001/abcdefghijklmnop'
  for (const host of [
    'discord.com',
    'canary.discord.com',
    'ptb.discord.com',
    'discordapp.com',
    'proxy.example',
  ])
    expect(check(`https://${host}${rest}`)).toBeNull()
  expect(check(`https://discord.com/api/v10${rest.slice(4)}`)).toBeNull()
  for (const url of [
    `http://discord.com${rest}`,
    'https://discord.com/channels/1/2',
    `https://a:b@discord.com${rest}`,
    'no',
    `ftp://a.example${rest}`,
  ])
    expect(check(url)).toHaveProperty('webhook_url')
  expect(check('', { thread: '104200000000000007', makes_threads: true })).toHaveProperty('thread')
  expect(check('', { tags: ['104200000000000007'] })).toHaveProperty('tags')
})

test('limits are kept by webhook, whatever name its address has', () => {
  const limits = (host: string) =>
    discordKind
      .bind({})
      .limits(
        targetOf({ webhook_url: `https://${host}/api/webhooks/104200000000000001/abcdefghijklmnop` }),
        deps,
      )
      .map((limit) => limit.key)
  expect(limits('ptb.discord.com')).toEqual(['discord:104200000000000001', 'discord'])
  expect(limits('discordapp.com')).toEqual(limits('discord.com'))
  const place = (rest: string) =>
    discordKind.placeOf?.({ webhook_url: `https://${rest}/webhooks/104200000000000001/abcdefghijklmnop` })
  expect(place('discordapp.com/api/v9')).toBe(place('discord.com/api'))
  expect(place('proxy.example/api')).not.toBe(place('discord.com/api'))
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anyTitle,
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  messageNow,
  noticeMessage,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import {
  botError,
  botName,
  botToken,
  readHtml,
  type TelegramServer,
  telegramServer,
} from '../../../../../testing/telegram-server.ts'
import type { Message } from '../message.ts'
import { oneLine } from '../texts.ts'
import { telegramKind } from './telegram.ts'
import { telegramText } from './texts.ts'

const deps = kindDeps({}, { TELEGRAM_TOKEN: botToken })
const when = { now: messageNow, timeZone: 'Europe/Berlin' }

async function start(settings: Record<string, string> = {}, given?: TelegramServer) {
  const server = given ?? (await telegramServer())
  const bound = telegramKind(server).bind({ chat_id: '7', chat_title: 'Ada', ...settings })
  const send = (message: Message) => bound.send(targetOf(), message, deps, sendContext())
  const edit = async (id: string, message: Message) =>
    bound.edit?.(targetOf(), id, message, deps, sendContext())
  return { server, bound, send, edit }
}

test('a deal is a text with its picture as a preview', async () => {
  const { server, send } = await start()
  const deal = messageDeal({
    endsAt: new Date('2026-05-04T18:00:00Z'),
    priceBefore: '$14.99',
    title: 'Tea & <b>',
  })
  expect(await send(dealMessage({ deal, disclosure: '(paid link)' }))).toEqual({
    ...{ result: 'sent', status: 200, messageId: '7/1' },
  })
  const text = [
    '<b><a href="https://deals.example/deals/1">Tea &#38; &#60;b&#62;</a></b>',
    '<b>$12.99</b> <s>$20.00</s> 35% off',
    'It was $14.99 before.',
    'The lowest price of 90 days.',
    '<code>▅▅▃▁</code>',
    '4.6 of 5, 1,203 reviews · Prime',
    'Ends today 20:00',
    'As of today 13:30',
    '<a href="https://deals.example/alerts">Found by Lamps</a>',
    '<a href="https://www.amazon.com/dp/B000000001">Open at the shop</a> (paid link)',
  ].join('\n')
  const link_preview_options = {
    ...{ url: 'https://img.example/1.jpg', prefer_small_media: true, show_above_text: false },
  }
  expect(server.asked.map(({ url, body }) => [url.pathname, body])).toEqual([
    [`/bot${botToken}/sendMessage`, { chat_id: '7', text, parse_mode: 'HTML', link_preview_options }],
  ])
})

test('a message is changed in place, struck through at its end, and says nothing of what is gone', async () => {
  const { server, send, edit } = await start()
  await send(dealMessage())
  expect(await edit('7/1', dealMessage({ state: 'ended' }))).toEqual({
    result: 'sent',
    status: 200,
    messageId: '7/1',
  })
  expect(server.messages.get('7/1')?.markup).toMatch(
    /^<s><a href="[^"]+">Folding lantern 1<\/a><\/s>\n<b>Ended\.<\/b>/,
  )
  expect(await edit('7/1', dealMessage({ state: 'ended' }))).toMatchObject({
    result: 'sent',
    messageId: '7/1',
  })
  await edit('7/1', dealMessage({ state: 'gone' }))
  expect(server.messages.get('7/1')).toMatchObject({
    ...{ text: 'This deal is not shown any more.', preview: { is_disabled: true } },
  })
})

test('a message of another chat than the one linked now is left alone', async () => {
  const { server, edit } = await start()
  expect(await edit('8/1', dealMessage())).toMatchObject({ result: 'lost' })
  expect(server.asked).toHaveLength(0)
})

test('a silent message makes no sound, and a topic of a group is written into', async () => {
  const { server, send } = await start({ topic_id: '33' })
  await send(dealMessage({ isSilent: true }))
  await send(noticeMessage)
  expect([...server.messages.values()]).toMatchObject([{ silent: true, topic: 33 }, { silent: false }])
})

const failures: [string, boolean, ReturnType<typeof botError>, object][] = [
  [
    'too many',
    false,
    botError(429, 'Too Many Requests: retry after 17', { retry_after: 17 }),
    { result: 'later', afterMs: 17_000, limits: [{ key: 'telegram:7', blockedMs: 17_000 }] },
  ],
  [
    'blocked',
    false,
    botError(403, 'Forbidden: bot was blocked by the user'),
    { result: 'gone', text: expect.stringContaining('/start again') },
  ],
  ['kicked', true, botError(403, 'Forbidden: bot was kicked from the group chat'), { result: 'gone' }],
  ['no such chat', false, botError(400, 'Bad Request: chat not found'), { result: 'gone' }],
  [
    'no right to write',
    false,
    botError(400, 'Bad Request: not enough rights to send text messages to the chat'),
    { result: 'gone' },
  ],
  ['topic gone', false, botError(400, 'Bad Request: message thread not found'), { result: 'gone' }],
  [
    'a larger group',
    false,
    botError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -100123,
    }),
    { result: 'moved', settings: { chat_id: '-100123', chat_title: 'Ada', topic_id: '' } },
  ],
  ['message deleted', true, botError(400, 'Bad Request: message to edit not found'), { result: 'lost' }],
  ['message too old', true, botError(400, "Bad Request: message can't be edited"), { result: 'lost' }],
  ['refused', false, botError(400, "Bad Request: can't parse entities"), { result: 'refused' }],
  [
    'wrong token',
    false,
    botError(401, 'Unauthorized'),
    { result: 'failed', text: expect.stringContaining('TELEGRAM_TOKEN') },
  ],
  ['trouble', false, botError(502, 'Bad Gateway'), { result: 'failed' }],
  ['an answer that broke off', false, { status: 200 }, { result: 'sent', messageId: null }],
  ['a page of something else', false, { status: 200, body: '<html>' }, { result: 'failed' }],
  ['a page', false, { status: 503, body: '<html>' }, { result: 'failed' }],
  ['no answer', false, { breaks: true }, { result: 'unknown' }],
]
test.each(failures)('%s', async (_, isEdit, answered, expected) => {
  const { server, send, edit } = await start()
  server.answers.push(answered)
  const outcome = await (isEdit ? edit('7/1', dealMessage()) : send(dealMessage()))
  expect(outcome).toMatchObject(expected)
  expect(JSON.stringify(outcome)).not.toContain(botToken)
})

test('without a bot, or a chat, it says what to do', async () => {
  const kind = telegramKind()
  const bound = kind.bind({})
  expect(kind.unavailable(kindDeps())).toContain('TELEGRAM_TOKEN')
  expect(kind.unavailable(deps)).toBeNull()
  expect(await bound.send(targetOf(), dealMessage(), kindDeps(), sendContext())).toMatchObject({
    result: 'failed',
  })
  expect(await bound.send(targetOf(), dealMessage(), deps, sendContext())).toMatchObject({ result: 'gone' })
})

test('the link that sends the code names the bot, whose name is asked for once', async () => {
  const server = await telegramServer()
  const kind = telegramKind(server)
  server.answers.push({ breaks: true })
  expect(await kind.linkUrl?.('A-code_1', deps, sendContext())).toBeNull()
  const other = telegramKind(server)
  for (let times = 0; times < 2; times++)
    expect(await other.linkUrl?.('A-code_1', deps, sendContext())).toBe(
      `https://t.me/${botName}?start=A-code_1`,
    )
  expect(server.asked).toHaveLength(2)
  expect(kind.linkedSettings).toEqual(['chat_id', 'chat_title', 'topic_id'])
})

test('groups are written to more slowly than people', async () => {
  const limits = async (chat_id: string) => (await start({ chat_id })).bound.limits(targetOf(), deps)
  expect(await limits('7')).toMatchObject([{ key: 'telegram:7', perSecond: 1 }, { key: 'telegram' }])
  expect(await limits('-1007')).toMatchObject([
    { key: 'telegram:-1007', perSecond: 0.3 },
    { key: 'telegram' },
  ])
})

/** What programs make a mention, tag, command or link of, in text that is in no link. */
const clickable = /[@#$/](?=[\p{L}\p{N}_])|:\/\//u

test('any title is whole, in a link, and nothing of it becomes markup or a mention', () => {
  fc.assert(
    fc.property(anyTitle, (title) => {
      const deal = messageDeal({ title })
      const { text } = telegramText(
        dealMessage({ deal, searches: [title], settingsUrl: null, disclosure: title.slice(0, 99) }),
        when,
      )
      const [first = ''] = text.split('\n')
      const inside = /^<b><a href="https:\/\/deals\.example\/deals\/1">(.*)<\/a><\/b>$/s.exec(first)?.[1]
      expect(readHtml(inside ?? '<')).toBe(oneLine(title) || deal.asin)
      const outside = readHtml(text.replace(/<a [^>]*>[^<]*<\/a>/g, '')) ?? '<unread>'
      expect(outside.replace('$12.99', '').replace('$20.00', '')).not.toMatch(clickable)
    }),
  )
})

test.each([3, 40, 200])(
  'a list of %i hostile titles is taken by Telegram, and the rest is counted',
  async (count) => {
    const { server, send } = await start()
    const titles = Array.from({ length: count }, (_, at) => hostileTitles[at % hostileTitles.length] ?? '')
    for (const title of hostileTitles)
      expect(await send(listMessage(titles, { title, disclosure: title.slice(0, 120) }))).toMatchObject({
        result: 'sent',
      })
    const text = server.messages.get('7/1')?.text ?? ''
    const rows = text.match(/^•/gmu)?.length ?? 0
    expect(rows).toBeGreaterThan(2)
    expect(/and (\d+) more/.exec(text)?.[1] ?? '0').toBe(String(count - rows))
  },
)

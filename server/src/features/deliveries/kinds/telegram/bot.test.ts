import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { whenDone } from '../../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../../testing/database.ts'
import { makeUser } from '../../../../../testing/factories.ts'
import { botError, botName, botToken, telegramServer } from '../../../../../testing/telegram-server.ts'
import { readSettings } from '../../../../platform/settings.ts'
import { hashCode } from '../codes.ts'
import { TelegramBot } from './bot.ts'

const databases = await testDatabases()
const settings = readSettings({ TELEGRAM_TOKEN: botToken, FETCH_ALLOW: '127.0.0.1/32' })
const clock = () => new Date()
const pauses = { turn: 20, conflict: 20, token: 20, longest: 20 }
let codes = 0

async function makeDestination(given: { expired?: boolean; chat?: string; isGroup?: true } = {}) {
  const owner = await makeUser(databases, { role: 'user' })
  codes += 1
  const code = `Code-${codes}-of-a-test`
  const isLinked = given.chat !== undefined
  const { id } = await databases.durableDb
    .insertInto('destinations')
    .values({
      ...{ owner_id: given.isGroup ? null : owner.id, kind: 'telegram', name: `Phone ${codes}` },
      settings: JSON.stringify({ chat_id: given.chat ?? '', chat_title: '', topic_id: '' }),
      state: isLinked ? 'ok' : 'unconfirmed',
      ...(!isLinked && {
        ...{ code_hash: hashCode(code), code: 'sealed', code_failures: 1 },
        code_expires_at: new Date(Date.now() + (given.expired ? -1_000 : 600_000)),
      }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const read = () =>
    databases.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { id, code, name: `Phone ${codes}`, username: owner.username, read }
}

async function start(
  given: { server?: Awaited<ReturnType<typeof telegramServer>>; onChange?(bot: TelegramBot): void } = {},
) {
  const server = given.server ?? (await telegramServer())
  const lines: string[] = []
  const changed: number[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) })
  const bot: TelegramBot = new TelegramBot({
    ...{ databases, clock, settings, log, pauses, base: server.base },
    changed: (id) => {
      changed.push(id)
      given.onChange?.(bot)
    },
  })
  bot.begin()
  whenDone(() => bot.stop())
  const said = (count: number) =>
    vi.waitFor(() => expect(server.messages.size).toBeGreaterThanOrEqual(count), { timeout: 10_000 })
  /** What is answered when somebody writes. */
  const tell = async (message: { text: string } & Record<string, unknown>, kind = 'message') => {
    const before = server.messages.size
    server.happens({
      [kind]: { chat: { id: 7, type: 'private', first_name: 'Ada' }, from: { id: 7 }, ...message },
    })
    await said(before + 1)
    return [...server.messages.values()].at(-1)?.text ?? ''
  }
  return { server, bot, lines, changed, tell, said }
}

test('a code links the chat that it was sent in, once', async () => {
  const { tell, changed, server } = await start()
  const { id, code, name, username, read } = await makeDestination()
  expect(await tell({ text: `/start ${code}` })).toContain(`Linked as “${name}” of “${username}”`)
  expect(await read()).toMatchObject({
    ...{ state: 'ok', code_hash: null, code: null, code_expires_at: null, code_failures: 0 },
    settings: { chat_id: '7', chat_title: 'Ada', topic_id: '' },
  })
  expect(changed).toEqual([id])
  expect(await tell({ text: `/start ${code}` })).toContain('not valid')
  expect(server.callsOf('getUpdates')[0]).toMatchObject({
    ...{ timeout: 25, allowed_updates: ['message', 'channel_post', 'my_chat_member'] },
  })
})

test('a chat that is linked doesn’t wait for what the one before it was put off by', async () => {
  const { tell } = await start()
  const { id, code, read } = await makeDestination()
  await databases.durablePool.query(
    `update destinations set resume_at = now() + interval '1 hour' where id = $1`,
    [id],
  )
  await tell({ text: `/start ${code}` })
  expect(await read()).toMatchObject({ state: 'ok', resume_at: null })
})

test('codes that are over, of other kinds, or guessed link nothing, and guessing ends', async () => {
  const { tell, server, said } = await start()
  const over = await makeDestination({ expired: true })
  const other = await makeDestination()
  await databases.durablePool.query(`update destinations set kind = 'email' where id = $1`, [other.id])
  expect(await tell({ text: `/start ${over.code}` })).toContain('not valid')
  expect(await tell({ text: `/start ${other.code}` })).toContain('not valid')
  for (let times = 0; times < 8; times++) await tell({ text: `/start guess-${times}` })
  const right = await makeDestination()
  server.happens({
    message: { chat: { id: 7, type: 'private' }, from: { id: 7 }, text: `/start ${right.code}` },
  })
  // Another chat is answered, after that one was not.
  server.chats.set(8, { type: 'private' })
  server.happens({ message: { chat: { id: 8, type: 'private' }, from: { id: 8 }, text: '/start' } })
  await said(11)
  expect(await right.read()).toMatchObject({ state: 'unconfirmed' })
  expect([...server.messages.values()].at(-1)).toMatchObject({
    chat: 8,
    text: expect.stringMatching(/^Hello/),
  })
})

test('in a group administrators decide, also those without a name; other bots’ commands are theirs', async () => {
  const { tell, server } = await start()
  server.chats.set(-1007, { type: 'supergroup', admins: [1] })
  const chat = { id: -1007, type: 'supergroup', title: 'Lamps <b>' }
  const { code, read } = await makeDestination()
  expect(await tell({ chat, from: { id: 2 }, text: `/start@${botName} ${code}` })).toContain(
    'Only administrators',
  )
  server.happens({ message: { chat, from: { id: 1 }, text: `/start@other_bot ${code}` } })
  server.happens({ message: { chat, from: { id: 1 }, text: 'hello' } })
  const topic = { is_topic_message: true, message_thread_id: 33 }
  expect(await tell({ chat, from: { id: 1 }, ...topic, text: `/start@${botName} ${code}` })).toContain(
    'Linked',
  )
  expect((await read()).settings).toEqual({ chat_id: '-1007', chat_title: 'Lamps <b>', topic_id: '33' })
  expect([...server.messages.values()].at(-1)?.topic).toBe(33)
  expect(await tell({ chat, from: { id: 2 }, text: '/stop' })).toContain('Only administrators')
  expect(await tell({ chat, sender_chat: { id: -1007 }, text: '/stop' })).toContain('Paused')
})

test('a channel is linked by a post in it', async () => {
  const { tell, server } = await start()
  server.chats.set(-1008, { type: 'channel' })
  const { code, read } = await makeDestination()
  const chat = { id: -1008, type: 'channel', title: 'Deals' }
  expect(await tell({ chat, from: undefined, text: `/start ${code}` }, 'channel_post')).toContain('Linked')
  expect((await read()).settings).toMatchObject({ chat_id: '-1008' })
})

test('whoever wants no more says so, and whoever blocks the bot has it said', async () => {
  const { tell, server, changed } = await start()
  server.chats.set(9, { type: 'private' })
  const chat = { id: 9, type: 'private', first_name: 'Bo' }
  const { id, name, read } = await makeDestination({ chat: '9' })
  const others = await makeDestination({ chat: '99' })
  expect(await tell({ chat, text: '/stop' })).toBe(`Paused: “${name}”. Send /start to go on.`)
  expect(await read()).toMatchObject({ is_paused: true, state: 'ok' })
  expect(await tell({ chat, text: '/stop' })).toContain('Nothing is linked')
  expect(await tell({ chat, text: '/start' })).toBe(`Deals arrive here again: “${name}”.`)
  expect(await read()).toMatchObject({ is_paused: false, state_text: '' })
  server.happens({ my_chat_member: { chat, new_chat_member: { status: 'kicked' } } })
  await vi.waitFor(async () => expect(await read()).toMatchObject({ state: 'gone' }), { timeout: 10_000 })
  expect(await tell({ chat, text: '/start' })).toContain('again')
  expect(await read()).toMatchObject({ state: 'ok' })
  expect(changed).toEqual([id, id, id, id])
  expect(await others.read()).toMatchObject({ is_paused: false, state: 'ok' })
})

test('of several processes one hears the bot, and another goes on where it ended', async () => {
  const first = await start()
  await first.tell({ text: '/start' })
  const second = await start({ server: first.server })
  await first.tell({ text: '/start' })
  expect(first.server.callsOf('sendMessage')).toHaveLength(2)
  await first.bot.stop()
  await vi.waitFor(() => expect(first.server.waiting()).toBe(1), { timeout: 10_000 })
  await second.tell({ text: '/start' })
  expect(first.server.callsOf('sendMessage')).toHaveLength(3)
  expect([...first.lines, ...second.lines]).toEqual([])
})

test('what was dealt with at the end is not heard again', async () => {
  const { code } = await makeDestination()
  const first = await start({ onChange: (bot) => void bot.stop() })
  expect(await first.tell({ text: `/start ${code}` })).toContain('Linked')
  await first.bot.stop()
  const second = await start({ server: first.server })
  expect(await second.tell({ text: '/start' })).toContain('Hello')
  expect(first.server.messages.size).toBe(2)
})

test.each([
  ['somebody else hears it', botError(409, 'Conflict: terminated by other getUpdates request')],
  ['the token is wrong', botError(401, 'Unauthorized')],
  ['Telegram has trouble', { status: 502, body: '<html>' }],
  ['nobody answers', { breaks: true as const }],
])('%s: it is said once, and it goes on', async (_, answered) => {
  const server = await telegramServer()
  server.answers.push(answered, answered, answered)
  const { tell, lines } = await start({ server })
  expect(await tell({ text: '/start' })).toMatch(/^Hello/)
  expect(lines).toEqual(['The bot of Telegram is not heard', 'The bot of Telegram is heard again'])
})

test('what nobody understands, or Telegram has never said before, is passed over', async () => {
  const { tell, server, lines } = await start()
  server.happens({ message: { chat: 'none', text: 7 } })
  server.happens({ poll: {} })
  expect(await tell({ text: '/start' })).toMatch(/^Hello/)
  expect(lines).toEqual([])
})

test('without a token nothing is asked, and ending is at once', async () => {
  const server = await telegramServer()
  const log = pino({ level: 'silent' })
  const none = readSettings({})
  const bot = new TelegramBot({ databases, clock, settings: none, log, base: server.base, changed: () => {} })
  bot.begin()
  await bot.stop()
  expect(server.asked).toHaveLength(0)
})

/** Another destination of somebody's, and what is said of others there. */
async function listening(owner_id: number | null) {
  const other = await databases.durableDb
    .insertInto('destinations')
    .values({ owner_id, kind: 'webhook', name: 'Hook', settings: '{}', state: 'ok' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return () =>
    databases.db
      .selectFrom('deliveries')
      .select(['kind', 'state', 'content'])
      .where('destination_id', '=', other.id)
      .execute()
}

test('who blocks the bot hears of it elsewhere, once', async () => {
  const { server } = await start()
  const { id, name, read } = await makeDestination({ chat: '21' })
  const notices = await listening((await read()).owner_id)
  const chat = { id: 21, type: 'private' }
  for (const status of ['kicked', 'kicked'])
    server.happens({ my_chat_member: { chat, new_chat_member: { status } } })
  const content = {
    ...{ title: `Nothing can be sent to ${name} any more`, about: id },
    text: 'The bot was blocked or removed. Send it /start again.',
  }
  await expect.poll(notices).toEqual([{ kind: 'notice', state: 'queued', content }])
})

test('of a /stop administrators of the group hear, and a member where others can say it', async () => {
  const { tell, server } = await start()
  const admin = await makeUser(databases, { role: 'admin' })
  const administrators = await listening(admin.id)
  server.chats.set(-1022, { type: 'supergroup', admins: [1] })
  server.chats.set(22, { type: 'private' })
  const chats = {
    shared: { chat: { id: -1022, type: 'supergroup', title: 'Lamps' }, from: { id: 1 } },
    own: { chat: { id: 22, type: 'private', first_name: 'Bo' }, from: { id: 22 } },
  }
  const ofGroup = await makeDestination({ chat: '-1022', isGroup: true })
  const ofMember = await makeDestination({ chat: '-1022' })
  const alone = await makeDestination({ chat: '22' })
  const [member, owner] = [
    await listening((await ofMember.read()).owner_id),
    await listening((await alone.read()).owner_id),
  ]
  expect(await tell({ ...chats.shared, text: '/stop' })).toContain('Paused')
  expect(await tell({ ...chats.own, text: '/stop' })).toContain('Paused')
  const text = 'Somebody has sent /stop in the chat.'
  const notice = ({ id, name }: { id: number; name: string }) => ({
    ...{ kind: 'notice', state: 'queued', content: { title: `${name} is paused`, text, about: id } },
  })
  expect(await administrators()).toEqual([notice(ofGroup)])
  expect(await member()).toEqual([notice(ofMember)])
  expect(await owner()).toEqual([])
})

test('a chat that is linked for its member already is not linked for them once more', async () => {
  const { tell } = await start()
  const [first, others, again] = [
    await makeDestination({ chat: '7' }),
    await makeDestination(),
    await makeDestination(),
  ]
  const { owner_id } = await first.read()
  await databases.durablePool.query('update destinations set owner_id = $1 where id = $2', [
    ...[owner_id, again.id],
  ])
  expect(await tell({ text: `/start ${others.code}` })).toContain('Linked')
  expect(await tell({ text: `/start ${again.code}` })).toBe(
    `“${first.name}” goes to this chat already. Another one would bring each message twice.`,
  )
  expect(await again.read()).toMatchObject({ state: 'unconfirmed', settings: { chat_id: '' } })
  // A topic is another place, and the code of what is not linked yet still holds.
  const inTopic = { is_topic_message: true, message_thread_id: 5 }
  expect(await tell({ ...inTopic, text: `/start ${again.code}` })).toContain('Linked')
})

import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../../../testing/database.ts'
import { mailPassword, mailServer, scriptedMailServer } from '../../../../../testing/mail-server.ts'
import {
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  noticeMessage,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import type { Message } from '../message.ts'
import { email } from './email.ts'

const databases = await testDatabases()
const PUBLIC_URL = 'https://deals.example.org'
const MAIL_FROM = 'Dealdeck <deals@example.org>'
const bound = email.bind({ address: 'reader@example.net' })

function sender(SMTP_URL: string, settings: Record<string, string> = {}) {
  const deps = kindDeps({ databases }, { SMTP_URL, MAIL_FROM, PUBLIC_URL, ...settings })
  return {
    deps,
    send: (message: Message) => bound.send(targetOf(), message, deps, sendContext()),
  }
}

/** A server that answers as most do, but for the commands given. */
const answering = (answers: Record<string, string | null>) =>
  scriptedMailServer((line) => {
    const command = Object.keys(answers).find((start) => line.toUpperCase().startsWith(start))
    if (command !== undefined) return answers[command] ?? null
    return line === 'DATA' ? '354 go on' : '250 OK'
  })

test('a deal is a message with text, a picture and one-click unsubscribing', async () => {
  const server = await mailServer()
  const { send } = sender(server.url)
  const deal = messageDeal({ endsAt: new Date('2026-05-04T18:00:00Z'), priceBefore: '$14.99' })
  const message = dealMessage({ deal, searches: ['Lamps & more'], disclosure: '(paid link)' })
  const outcome = await send(message)
  expect(outcome).toMatchObject({ result: 'sent', messageId: `<${message.uid}@example.org>` })
  const [{ mail, to, source } = { mail: null, to: [], source: '' }] = server.mails
  expect(to).toEqual(['reader@example.net'])
  expect(mail?.from?.text).toBe('"Dealdeck" <deals@example.org>')
  expect(mail?.subject).toBe('$12.99, 35 % off: Folding lantern 1')
  expect(mail?.messageId).toBe(`<${message.uid}@example.org>`)
  expect([mail?.inReplyTo, mail?.references]).toEqual(['<deal-1.1@example.org>', '<deal-1.1@example.org>'])
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
  expect(source).toMatch(
    /^List-Unsubscribe: ?\r?\n? <https:\/\/deals\.example\.org\/unsubscribe\/1-[\w-]{43}>\r?$/m,
  )
  expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
  for (const part of ['$12.99, 35 % off ($20.00)', 'Told of before at $14.99.', 'Ends today 20:00.']) {
    expect(mail?.text).toContain(part)
    expect(mail?.html).toContain(part)
  }
  expect(mail?.text).toContain('At the shop (paid link): https://www.amazon.com/dp/B000000001')
  expect(mail?.html).toContain('<img src="https://img.example/1.jpg" alt="Folding lantern 1"')
  expect(mail?.html).toContain('Found by Lamps &#38; more.')
  expect(mail?.html).toContain('color-scheme')
  expect(mail?.html).not.toContain('<table')
})

test('a list names its deals, says how many more there are, and strikes through what has ended', async () => {
  const server = await mailServer()
  const { send } = sender(server.url)
  const [one, two, three] = listMessage(['One', 'Two', 'Three']).deals
  if (!one || !two || !three) throw new Error('three deals')
  const deals = [one, { ...two, state: 'ended' as const }, { ...three, state: 'gone' as const }]
  await send({ ...listMessage([]), deals, more: 4, title: '7 deals of the night' })
  await send(noticeMessage)
  const [list, notice] = server.mails.map(({ mail }) => mail)
  expect(list?.subject).toBe('7 deals of the night')
  expect(list?.html).toContain('<h2 dir="auto">One</h2>')
  expect(list?.html).toContain('<h2 dir="auto"><s>Two</s></h2>')
  expect(list?.text).toContain('Ended: Two')
  expect([list?.text, list?.html].join('')).not.toContain('Three')
  expect(list?.text).toContain('See 4 more deals: https://deals.example/?q=lamp')
  expect(list?.inReplyTo).toBeUndefined()
  expect(notice?.text).toContain('The webhook is not there any more.\nMake a new one.')
})

test('nothing that stands in a title becomes a header, a tag or another recipient', async () => {
  const server = await mailServer()
  const { send } = sender(server.url)
  const titles = [
    ...hostileTitles,
    'x\r\nBcc: thief@evil.example\r\n\r\n<b>body</b>',
    '=?utf-8?B?DQpCY2M6IGE=?=',
    '\u202e\u05de\u05e0\u05d5\u05e8\u05d4 '.repeat(60),
    'ä'.repeat(500),
  ]
  for (const title of titles)
    await send(dealMessage({ deal: messageDeal({ title }), searches: [title], disclosure: title }))
  expect(server.mails).toHaveLength(titles.length)
  const known = new Set(server.mails[0]?.mail.headers.keys())
  for (const { mail, to } of server.mails) {
    expect(to).toEqual(['reader@example.net'])
    expect([...mail.headers.keys()].filter((name) => !known.has(name))).toEqual([])
    expect(mail.html).not.toMatch(/<(script|b>|a href="https:\/\/evil)/)
    expect(mail.subject).not.toMatch(/[\r\n\u202e]/)
  }
  const last = server.mails.at(-1)?.mail
  expect(last?.text).toContain('ä'.repeat(500))
  expect(last?.html).toContain('ä'.repeat(500))
})

test('without PUBLIC_URL no header promises what nobody can do, and words say what can', async () => {
  const server = await mailServer()
  await sender(server.url, { PUBLIC_URL: '' }).send(dealMessage())
  expect(server.mails[0]?.source).not.toContain('List-Unsubscribe')
  expect(server.mails[0]?.mail.text).toContain('pause or remove this address')
})

test('a code is sent alone, and a server is asked for nothing while a setting is missing', async () => {
  const server = await mailServer()
  const { deps } = sender(server.url)
  const sent = await bound.sendCode?.(targetOf(), '482913', deps, sendContext())
  expect(sent).toMatchObject({ result: 'sent' })
  expect(server.mails[0]?.mail).toMatchObject({
    subject: 'Your code for Dealdeck: 482913',
    text: expect.stringContaining('The code is 482913.'),
  })
  expect(server.mails[0]?.source).not.toContain('List-Unsubscribe')
  expect(email.unavailable(deps)).toBeNull()
  expect(email.unavailable(kindDeps())).toContain('SMTP_URL and MAIL_FROM')
  expect(email.unavailable(kindDeps({}, { MAIL_FROM }))).toMatch(/sets SMTP_URL\.$/)
})

test('a wrong password is said to the operator, and stands nowhere', async () => {
  const server = await mailServer()
  const outcome = await sender(server.url.replace('deals:', 'others:')).send(dealMessage())
  expect(outcome).toMatchObject({
    result: 'failed',
    status: 535,
    text: expect.stringContaining('SMTP_URL (535)'),
  })
  expect(JSON.stringify(outcome)).not.toContain(mailPassword)
})

test.each([
  ['a full mailbox', { 'RCPT TO': '452 4.2.2 mailbox full' }, 'failed', 452],
  ['a mailbox that is full for good', { 'RCPT TO': '552 5.2.2 over quota' }, 'failed', 552],
  ['a full mailbox by its text alone', { 'RCPT TO': '550-5.2.2 over quota\r\n550 5.2.2 x' }, 'failed', 550],
  ['a mailbox that isn’t there', { 'RCPT TO': '550 5.1.1 no such user' }, 'gone', 550],
  ['a server that passes nothing on', { 'RCPT TO': '554 5.7.1 relay access denied' }, 'failed', 554],
  ['a server that wants a password', { 'RCPT TO': '530 authentication required' }, 'failed', 530],
  ['a refused sender', { 'MAIL FROM': '553 sender not allowed' }, 'failed', 553],
  ['greylisting', { 'MAIL FROM': '451 4.7.1 come back' }, 'failed', 451],
  ['a refused message', { '.': '554 5.7.0 looks like spam' }, 'refused', 554],
  ['a message that is put off', { '.': '451 try later' }, 'failed', 451],
  ['a connection that ends in the middle of the message', { '.': null }, 'unknown', undefined],
  ['a connection that ends before the message', { DATA: null }, 'failed', undefined],
  ['a server that goes away at once', { EHLO: '421 going down' }, 'failed', 421],
])('%s', async (_, answers, result, status) => {
  const { send } = sender(await answering(answers))
  const outcome = await send(dealMessage())
  expect(outcome).toMatchObject({ result, ...(status !== undefined && { status }) })
})

test('a server that is not there is a failure, and an end while it is asked is no result', async () => {
  const { send } = sender('smtp://127.0.0.1:1')
  expect(await send(dealMessage())).toMatchObject({
    result: 'failed',
    text: expect.stringContaining('SMTP_URL'),
  })
  const leaving = new AbortController()
  const url = await scriptedMailServer((line) => {
    if (line.startsWith('MAIL')) leaving.abort(new Error('The application ends'))
    return '250 OK'
  })
  const context = { ...sendContext(), signal: leaving.signal }
  await expect(bound.send(targetOf(), dealMessage(), sender(url).deps, context)).rejects.toThrow('ends')
})

test('a message whose turn doesn’t come at a slow server is tried again, as nothing of it was sent', async () => {
  const { timeout } = AbortSignal
  const shortened = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout.call(AbortSignal, ms / 20))
  onTestFinished(() => shortened.mockRestore())
  // It has always more to say.
  const { deps } = sender(await scriptedMailServer(() => '250-wait'))
  // What sends gives up a message after a minute, and then knows nothing of it.
  const send = () =>
    bound.send(targetOf(), dealMessage(), deps, { ...sendContext(), signal: AbortSignal.timeout(60_000) })
  const outcomes = await Promise.all([send(), send(), send(), send(), send()])
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ result: 'failed', text: expect.stringContaining('in time') })
})

test('messages share connections', async () => {
  const server = await mailServer()
  const { send } = sender(server.url)
  for (let at = 0; at < 5; at += 1) await send(dealMessage())
  expect([server.mails.length, server.connections]).toEqual([5, 1])
})

test.each([
  '',
  'reader',
  'a b@example.net',
  'a@example.net\r\nBcc: b@c',
  '"a"@b',
  'a@b, c@d',
  'ä@example.net',
])('the address %j is refused', (address) => expect(() => email.bind({ address })).toThrow())

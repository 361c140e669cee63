import { expect, test } from 'vitest'
import { appriseServer } from '../../../../../testing/apprise-server.ts'
import {
  dealMessage,
  kindDeps,
  noticeMessage,
  sendContext,
  targetOf,
} from '../../../../../testing/messages.ts'
import type { Message } from '../message.ts'
import { appriseKind } from './apprise.ts'

const deps = kindDeps()
const url = 'slack://TokenA/TokenB/TokenC'

async function start(secrets: Record<string, string> = { apprise_url: url }, tag = '') {
  const server = await appriseServer()
  const bound = appriseKind.bind({ server: `${server.base}/`, tag })
  const send = (message: Message) => bound.send(targetOf(secrets), message, deps, sendContext())
  return { server, bound, send }
}

test('a deal arrives as a plain text at one service, and can’t be changed', async () => {
  const { server, bound, send } = await start()
  expect(await send(dealMessage({ disclosure: '(paid link)' }))).toEqual({
    ...{ result: 'sent', status: 200, messageId: null },
  })
  expect(server.asked[0]?.url.pathname).toBe('/notify')
  expect(server.arrived).toEqual([
    {
      url,
      body: {
        ...{ urls: url, title: 'Folding lantern 1', type: 'info', format: 'text' },
        body: [
          '$12.99 instead of $20.00 (35% off)',
          'The lowest price of 90 days.',
          '▅▅▃▁',
          '4.6 of 5, 1,203 reviews · Prime',
          'As of today 13:30',
          'Found by Lamps',
          'Open at the shop: https://www.amazon.com/dp/B000000001',
          '(paid link)',
          'https://deals.example/deals/1',
        ].join('\n'),
      },
    },
  ])
  expect(bound.edit).toBeUndefined()
  expect(appriseKind.canEdit).toBe(false)
})

test('what is stored under a key is used by its tag', async () => {
  const { server, send } = await start({ key: 'my-key' }, 'deals')
  server.stored.set('my-key', [
    { url, tags: ['deals'] },
    { url: 'matrix://other', tags: ['work'] },
  ])
  expect(await send(noticeMessage)).toMatchObject({ result: 'sent' })
  expect(server.asked[0]).toMatchObject({ body: { tag: 'deals', type: 'warning' } })
  expect(server.asked[0]?.url.pathname).toBe('/notify/my-key')
  expect(server.arrived.map((each) => each.url)).toEqual([url])
  server.stored.clear()
  expect(await send(dealMessage())).toMatchObject({ result: 'gone', status: 204 })
})

test('that the service behind it has failed is said', async () => {
  const { server, send } = await start()
  server.broken.add(url)
  expect(await send(dealMessage())).toMatchObject({
    ...{ result: 'failed', status: 424, text: expect.stringContaining('behind the Apprise server') },
  })
})

test.each([
  ['refused', { status: 400, body: { error: `No ${url}` } }, { result: 'refused' }],
  ['no right', { status: 403 }, { result: 'gone' }],
  ['no Apprise', { status: 404, body: '<html>' }, { result: 'gone' }],
  ['trouble', { status: 500 }, { result: 'failed' }],
  ['too many', { status: 429, headers: { 'retry-after': '5' } }, { result: 'later', afterMs: 5_000 }],
  ['no answer', { breaks: true as const }, { result: 'unknown' }],
])('%s', async (_, answered, expected) => {
  const { server, send } = await start()
  server.answers.push(answered)
  const outcome = await send(dealMessage())
  expect(outcome).toMatchObject(expected)
  expect(JSON.stringify(outcome)).not.toContain('TokenB')
})

test('either an Apprise URL or a key is given', () => {
  const check = (secrets: Record<string, string>, tag = '') =>
    appriseKind.bind({ server: 'https://apprise.example', tag }).check(secrets, Object.keys(secrets))
  expect(check({ apprise_url: url })).toBeNull()
  expect(check({ key: 'my-key' }, 'deals')).toBeNull()
  expect(check({})).toHaveProperty('apprise_url')
  expect(check({ apprise_url: url, key: 'my-key' })).toHaveProperty('key')
  expect(check({ apprise_url: `${url}, ${url}` })).toHaveProperty('apprise_url')
  expect(check({ apprise_url: url }, 'deals')).toHaveProperty('tag')
  for (const server of ['', 'apprise.example', 'https://a@apprise.example', 'https://apprise.example?a=b'])
    expect(() => appriseKind.bind({ server })).toThrow('must be the address')
})

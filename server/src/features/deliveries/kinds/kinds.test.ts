import { destinationKinds } from '@dealdeck/contract/deliveries'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  dealMessage,
  hostileTitles,
  kindDeps,
  listMessage,
  messageDeal,
  noticeMessage,
  sendContext,
} from '../../../../testing/messages.ts'
import type { SafeFetch } from '../../../platform/outgoing/safe-fetch.ts'
import { kinds } from './kinds.ts'
import type { Message } from './message.ts'

/** Those that are asked by HTTP with nothing but settings and secrets. */
const chatKinds = kinds.filter(({ kind }) => ['discord', 'telegram', 'ntfy', 'apprise'].includes(kind))

test('each kind is one of the contract, stands in the list once, and says in three steps how it is set up', () => {
  const names = kinds.map(({ kind }) => kind)
  expect(new Set(names).size).toBe(names.length)
  for (const { kind, description } of kinds) {
    expect(destinationKinds).toContain(kind)
    expect(description.steps).toHaveLength(3)
    // The button of a new one is called Add; on the device itself it is one that turns notifications on.
    expect(description.steps.join(' '), kind).toMatch(kind === 'webpush' ? /Tap the button/ : /press Add\b/i)
    expect(description.steps.join(' '), kind).not.toMatch(/\bsave\b/i)
    const fields = description.fields.map(({ name }) => name)
    expect(new Set(fields).size).toBe(fields.length)
  }
})

test('what a form begins with is taken by its kind', () => {
  for (const { description, bind, kind } of chatKinds) {
    const given = description.fields.filter(({ type }) => type !== 'secret')
    const values = given.map(({ name, initial, type }) => [
      name,
      type === 'url' ? (initial ?? 'https://a.example') : initial,
    ])
    expect(Object.keys(bind(Object.fromEntries(values)).settings), kind).toEqual(
      expect.arrayContaining(given.map(({ name }) => name)),
    )
  }
})

const secrets: Record<string, string> = {
  webhook_url: 'https://discord.com/api/webhooks/104200000000000001/secret-of-a-webhook',
  ...{ topic: 'secret-topic', token: 'secret-token', apprise_url: 'slack://secret/service' },
}

test('whatever is thrown or answered, no text holds a secret, and of hosts that are not public none what they say', async () => {
  const body = `{"id":7,"message":"${Object.values(secrets).join(' ')}","error":"${Object.values(secrets).join(' ')}"}`
  const status = fc.integer({ min: 200, max: 599 })
  const messages: Message[] = [
    ...[dealMessage(), noticeMessage, listMessage(hostileTitles)],
    dealMessage({
      deal: messageDeal({ price: null, imageUrl: null, pageUrl: null, sparkline: null, verdict: null }),
    }),
  ]
  await fc.assert(
    fc.asyncProperty(
      status,
      fc.boolean(),
      fc.constantFrom(...messages),
      async (answered, isPublic, message) => {
        const fetch: SafeFetch = async (url) => ({
          ...{
            status: answered,
            headers: new Headers(),
            url,
            isPublic,
            movedTo: undefined,
            cancel: () => {},
          },
          body: (async function* () {
            yield Buffer.from(body)
          })(),
        })
        const deps = kindDeps({ fetch }, { TELEGRAM_TOKEN: `123456:${'secret'.repeat(6)}` })
        for (const { bind, kind } of chatKinds) {
          const settings = { server: 'https://a.example', chat_id: '7' }
          const target = { id: 1, secrets, isGroup: false }
          const outcome = await bind(settings).send(target, message, deps, sendContext())
          expect(JSON.stringify(outcome), kind).not.toContain('secret')
          if (!isPublic) expect(outcome, kind).not.toHaveProperty('answer')
        }
      },
    ),
    { numRuns: 60 },
  )
})

import { z } from 'zod'
import { settingField } from '../../../../platform/setting-fields.ts'
import { answerFacts, askedPause, askService, outcomeOfStatus } from '../answers.ts'
import {
  destinationKind,
  type KindDeps,
  type SendContext,
  type SendOutcome,
  type Target,
} from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { eventOf } from './events.ts'
import { makeSigning, rotateSigning, signedHeaders } from './signing.ts'

const settings = z.object({
  url: z
    .string({ error: 'must be an address' })
    .trim()
    .max(2_000, 'must be 2,000 characters or less')
    .refine((text) => isWebAddress(text), 'must begin with https:// or http://, without a user or password'),
})
type WebhookSettings = z.output<typeof settings>

/** What a receiver may take, in milliseconds, and what is read of its answer, in bytes. */
const [patienceMs, mostRead] = [15_000, 4_096]

/** Standard Webhooks: signed requests to a program of the member's own. */
export const webhook = destinationKind<WebhookSettings>({
  kind: 'webhook',
  description: {
    label: 'Webhook',
    help: 'For programs of your own: each deal is a signed request with JSON, as Standard Webhooks says. A change of price and the end of a deal are requests of their own.',
    steps: [
      'Have your program take POST requests with JSON at an address that Dealdeck can reach.',
      'Enter that address here and press Add: you see the secret, once.',
      'Give the secret to your program, which verifies with it that a request is from here, and send a test.',
    ],
    fields: [
      settingField('url', 'Address', 'url', {
        ...{ is_required: true, initial: '', help: 'Where requests go, such as https://example.org/deals.' },
      }),
    ],
    confirmed_by: 'nothing',
  },
  unavailable: () => null,
  settings,
  make: makeSigning,
  rotate: rotateSigning,
  // As many of these as an event has room for.
  mostDeals: 100,
  limits: ({ id, settings: { url } }) => [
    { key: `webhook ${id}`, burst: 20, perSecond: 5 },
    // Many may have theirs at one host.
    { key: `webhook ${new URL(url).host}`, burst: 200, perSecond: 100 },
  ],
  send: (target, message, deps, context) => tell(target, message, false, deps, context),
  edit: (target, _, message, deps, context) => tell(target, message, true, deps, context),
})

async function tell(
  target: Target<WebhookSettings>,
  message: Message,
  isEdit: boolean,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  const now = deps.clock()
  const { id, body } = eventOf(message, isEdit, now)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signedHeaders(id, body, target.secrets, now),
  }
  const { url } = target.settings
  const request = { method: 'POST', headers, body, totalMs: patienceMs, bytes: mostRead } as const
  const { answer, outcome } = await askService(deps, target, url, request, context)
  // Receivers know a repeat by its id, so there may be as many as after any other failure.
  if (!answer) return outcome.result === 'unknown' ? { ...outcome, result: 'failed' } : outcome
  const { status } = answer
  const facts = answerFacts(answer, Object.values(target.secrets))
  if (status >= 200 && status < 300) return { ...facts, result: 'sent', messageId: message.uid }
  if (status === 410)
    return { ...facts, result: 'gone', text: 'The receiver says that it is there no more (410).' }
  const afterMs = askedPause(answer.headers, now)
  if (afterMs !== null && (status === 502 || status === 504))
    return {
      ...facts,
      result: 'later',
      afterMs,
      text: `The receiver asks to be left alone for a while (${status}).`,
    }
  const other = outcomeOfStatus(answer, now, 'The receiver', facts)
  // Whatever else a receiver answers may be another thing after its next release: only 410 ends it.
  if (other.result !== 'refused') return other
  return { ...facts, result: 'failed', text: `The receiver refuses the request (${status}).` }
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username + password === ''
}

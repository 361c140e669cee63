import { createHash, ECDH } from 'node:crypto'
import webPush from 'web-push'
import { z } from 'zod'
import { SecretError } from '../../../../platform/secret-box.ts'
import { optionalText, settingField } from '../../../../platform/setting-fields.ts'
import type { Settings } from '../../../../platform/settings.ts'
import { answerFacts, askService, outcomeOfStatus, secretTexts } from '../answers.ts'
import {
  destinationKind,
  type KindDeps,
  type SendContext,
  type SendOutcome,
  type Target,
} from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { pushPayload } from './push-payload.ts'
import { vapidKeys } from './vapid-keys.ts'

const settings = z.object({ label: optionalText(80) })
type PushSettings = z.output<typeof settings>

/** For so long a push service keeps what can't be shown yet, in seconds; less where a deal ends before. */
const [longestTtl, shortestTtl] = [3_600, 60]

/** Notifications of one browser, by the push service of its maker. */
export const webpush = destinationKind<PushSettings>({
  kind: 'webpush',
  description: {
    label: 'This browser',
    help: 'Notifications of this browser, also while no page is open. They are short; a deal’s new price replaces the old one without a sound. Each browser and each phone is a destination of its own.',
    steps: [
      'On an iPhone or iPad put this site on the Home Screen first (Share, Add to Home Screen), and open it from there.',
      'Tap the button that turns notifications on, and allow them when the browser asks.',
      'Send a test. If nothing is shown, look whether the device’s own settings allow notifications of the browser.',
    ],
    fields: [
      settingField('label', 'Browser', 'text', { initial: '', is_advanced: true }),
      settingField('endpoint', 'Address', 'secret', { is_required: true, is_advanced: true }),
      settingField('p256dh', 'Key', 'secret', { is_required: true, is_advanced: true }),
      settingField('auth', 'Authentication', 'secret', { is_required: true, is_advanced: true }),
    ],
    confirmed_by: 'nothing',
  },
  unavailable: ({ settings: { PUBLIC_URL, MAIL_FROM } }) =>
    subjectOf({ PUBLIC_URL, MAIL_FROM }) === null
      ? 'Push services want to know whom to turn to. Whoever runs Dealdeck sets PUBLIC_URL to its https address, or MAIL_FROM.'
      : null,
  settings,
  check: (_, secrets, names) => {
    const wrong: Record<string, string> = {}
    for (const name of ['endpoint', 'p256dh', 'auth']) if (!names.includes(name)) wrong[name] = 'is missing'
    const { endpoint, p256dh, auth } = secrets
    if (endpoint !== undefined && !isPushAddress(endpoint)) wrong.endpoint = 'must be an https address'
    if (p256dh !== undefined && !isPublicKey(p256dh)) wrong.p256dh = 'must be a public key'
    if (auth !== undefined && bytesIn(auth) !== 16) wrong.auth = 'must be 16 bytes'
    return Object.keys(wrong).length > 0 ? wrong : null
  },
  limits: ({ secrets: { endpoint = '' } }) => [
    { key: `webpush ${URL.canParse(endpoint) ? new URL(endpoint).host : ''}`, burst: 200, perSecond: 100 },
  ],
  send: (target, message, deps, context) => push(target, message, false, deps, context),
  edit: (target, _, message, deps, context) => push(target, message, true, deps, context),
})

async function push(
  target: Target<PushSettings>,
  message: Message,
  isEdit: boolean,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  try {
    const keys = { ...(await vapidKeys(deps)), subject: subjectOf(deps.settings) ?? '' }
    const whole = await pushOnce(target, message, { keys, isEdit, isShort: false }, deps, context)
    return whole.status === 413
      ? await pushOnce(target, message, { keys, isEdit, isShort: true }, deps, context)
      : whole
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    return { result: 'failed', text: `The keys of web push: ${error.message}` }
  }
}

type How = { keys: webPush.RequestOptions['vapidDetails']; isEdit: boolean; isShort: boolean }

async function pushOnce(
  target: Target<PushSettings>,
  message: Message,
  { keys, isEdit, isShort }: How,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  const now = deps.clock()
  const { endpoint = '', p256dh = '', auth = '' } = target.secrets
  const topic = topicOf(target.id, message)
  const payload = pushPayload(message, topic, { timeZone: context.timeZone, now, isEdit, isShort })
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    ...{ vapidDetails: keys, TTL: ttlOf(message, now), topic },
    urgency: urgencyOf(message, isEdit),
  })
  const { Authorization = '', 'Content-Length': _, ...plain } = headers
  const request = {
    method: 'POST',
    ...{ headers: texts(plain), secretHeaders: { Authorization: String(Authorization) } },
    ...{ body, totalMs: 15_000, bytes: 4_096 },
  } as const
  const { answer, outcome } = await askService(deps, target, endpoint, request, context)
  if (!answer) return outcome
  const { status } = answer
  const facts = answerFacts(answer, secretTexts(target.secrets))
  if (status >= 200 && status < 300) return { ...facts, result: 'sent', messageId: topic }
  if (status === 404 || status === 410)
    return {
      ...{ ...facts, result: 'gone' },
      text: `The browser takes no notifications any more (${status}). Turn them on in it anew.`,
    }
  if (status === 413)
    return { ...facts, result: 'refused', text: 'The push service takes no message of that size (413).' }
  if (status === 401 || status === 403)
    return {
      ...{ ...facts, result: 'failed' },
      text: `The push service doesn’t accept the key of this installation (${status}). Turn notifications off and on again in that browser.`,
    }
  return outcomeOfStatus(answer, now, 'The push service', facts)
}

/** Whom push services turn to about what is sent: an https address or one of mail, and never this machine's. */
function subjectOf({ PUBLIC_URL, MAIL_FROM }: Pick<Settings, 'PUBLIC_URL' | 'MAIL_FROM'>): string | null {
  if (PUBLIC_URL.startsWith('https:') && new URL(PUBLIC_URL).hostname !== 'localhost') return PUBLIC_URL
  return MAIL_FROM && `mailto:${MAIL_FROM.address}`
}

/** What one deal has in common: a push that was not delivered yet, and a notification that is shown, give way to the newer one. */
function topicOf(destinationId: number, message: Message): string {
  const what = message.kind === 'deal' ? `deal ${message.deal.id}` : message.uid
  return createHash('sha256').update(`${destinationId} ${what}`).digest('base64url').slice(0, 32)
}

function ttlOf(message: Message, now: Date): number {
  const endsAt = message.kind === 'deal' && message.state === 'live' ? message.deal.endsAt : null
  if (endsAt === null) return longestTtl
  const seconds = Math.floor((endsAt.getTime() - now.getTime()) / 1_000)
  return Math.min(longestTtl, Math.max(shortestTtl, seconds))
}

function urgencyOf(message: Message, isEdit: boolean): webPush.Urgency {
  if (isEdit || message.isSilent) return 'low'
  return message.kind === 'deal' && message.isUrgent ? 'high' : 'normal'
}

function isPushAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  // That host ended long ago, and knew no keys such as ours.
  return protocol === 'https:' && username + password === '' && hostname !== 'android.googleapis.com'
}

const bytesIn = (text: string) => (/^[\w-]+=*$/.test(text) ? Buffer.from(text, 'base64url').byteLength : 0)

function isPublicKey(text: string): boolean {
  if (bytesIn(text) !== 65) return false
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

const texts = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

import { z } from 'zod'
import { optionalText, settingField } from '../../../../platform/setting-fields.ts'
import {
  type Answer,
  answerFacts,
  askedPause,
  askService,
  isTakenUnread,
  outcomeOfStatus,
  secretTexts,
} from '../answers.ts'
import { shopText } from '../deal-texts.ts'
import {
  type AnyDestinationKind,
  destinationKind,
  type KindDeps,
  type SendContext,
  type SendOutcome,
  type Target,
} from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { plainText } from '../plain-texts.ts'
import { bytesOf } from '../texts.ts'

const ntfySettings = z.object({
  server: optionalText(500)
    .transform((text) => (text === '' ? 'https://ntfy.sh' : text.replace(/\/+$/, '')))
    .refine(isBareAddress, 'must be an address such as https://ntfy.sh, without anything after it'),
})
type NtfySettings = z.output<typeof ntfySettings>

/** A topic as ntfy takes it; so are the names that messages are changed by. */
const topicShape = /^[-_A-Za-z0-9]{1,64}$/
/** Of a message 4,096 bytes are read; what is longer becomes a file. A title has to leave room for the rest on its way to a phone. */
const [longestTitle, longestMessage] = [200, 3_000]
/** Of a message that can't be changed, before its number. */
const fixedMark = 'fixed:'
/** The longest that one answer keeps all without a token waiting, in milliseconds. */
const longestForAllMs = 10 * 60_000
/** The codes of a picture that the server doesn't want to show. */
const pictureCodes = new Set([40_013, 40_014, 40_021])

const form = {
  label: 'ntfy',
  help: 'A notification on each phone that has subscribed to a topic. From ntfy 2.16 on it changes when the price does. Free at ntfy.sh, 250 messages a day, or on a server of one’s own.',
  steps: [
    'Install the app ntfy on the phone, or open ntfy.sh in the browser.',
    'Subscribe to a topic with a name that nobody can guess: whoever knows it reads along.',
    'Enter that name here, press Add, and send a test.',
  ],
  fields: [
    settingField('topic', 'Topic', 'secret', {
      ...{
        is_required: true,
        help: 'Letters, digits, dashes and underscores. It is a password, so it is never shown again.',
      },
    }),
    settingField('server', 'Server', 'url', {
      ...{ initial: 'https://ntfy.sh', is_advanced: true },
      help: 'One in a private network can be reached for the group only, where FETCH_ALLOW names it.',
    }),
    settingField('token', 'Access token', 'secret', {
      ...{ is_advanced: true, help: 'Where the topic is protected; it begins with tk_.' },
    }),
  ],
  confirmed_by: 'nothing' as const,
}

/** Notifications of ntfy. */
export const ntfyKind: AnyDestinationKind = destinationKind<NtfySettings>({
  kind: 'ntfy',
  description: form,
  unavailable: () => null,
  settings: ntfySettings,
  check: (_, { topic, token }): Record<string, string> | null => {
    if (topic !== undefined && topic !== '' && !topicShape.test(topic))
      return { topic: 'must be letters, digits, dashes and underscores, 64 at most' }
    if (token !== undefined && token !== '' && !/^[\x21-\x7e]{1,200}$/.test(token))
      return { token: 'must be an access token, without spaces' }
    return null
  },
  // ntfy counts requests of our address: 60 at once, then one in five seconds.
  limits: (target) =>
    [hostKey(target), blockedKey(target)].map((key) => ({ key, burst: 50, perSecond: 0.2 })),
  send: (target, message, deps, context) =>
    publish(target, message, message.uid.replaceAll('-', ''), priorityOf(message), deps, context),
  edit: async (target, messageId, message, deps, context) => {
    if (messageId.startsWith(fixedMark))
      return {
        result: 'lost',
        text: 'The server is older than ntfy 2.16, so what was sent stays as it is.',
      }
    // Nothing that is changed makes a sound.
    return publish(target, message, messageId, 2, deps, context)
  },
})

function isBareAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return /^https?:$/.test(protocol) && origin === text.toLowerCase()
}

/** From 1 to 5: urgent ones ring for long, half the price and less rings louder, silent ones don't. */
function priorityOf(message: Message): number {
  if (message.isSilent) return 2
  if (message.kind !== 'deal') return 3
  if (message.isUrgent) return 5
  return (message.deal.off ?? 0) >= 50 ? 4 : 3
}

function tagOf(message: Message): string {
  if (message.kind === 'list') return 'clipboard'
  if (message.kind === 'notice') return 'information_source'
  return message.state === 'live' ? 'label' : 'checkered_flag'
}

type NtfyTarget = Target<NtfySettings>

const hostKey = ({ settings }: NtfyTarget) => `ntfy:${new URL(settings.server).host}`
/** What a server's wish for fewer messages holds back: whoever has a token may have a quota of their own, all others share our address's. */
const blockedKey = (target: NtfyTarget) =>
  hasToken(target) ? `ntfy ${target.id}` : `${hostKey(target)} without a token`
const hasToken = ({ secrets }: NtfyTarget) => (secrets.token ?? '') !== ''

async function publish(
  target: NtfyTarget,
  message: Message,
  sequence: string,
  priority: number,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  const { topic = '' } = target.secrets
  const room = { title: longestTitle, body: longestMessage, sizeOf: bytesOf }
  const { title, body, url } = plainText(
    message,
    { now: deps.clock(), timeZone: context.timeZone },
    room,
    false,
  )
  const deal = message.kind === 'deal' && message.state !== 'gone' ? message.deal : null
  const hasShop = deal?.pageUrl != null
  const content = {
    ...{ topic, title, message: body, priority, tags: [tagOf(message)], sequence_id: sequence },
    ...(url !== null && { click: url }),
    ...(hasShop && { actions: [{ action: 'view', label: shopText, url: deal.shopUrl }] }),
  }
  const picture = deal?.imageUrl ? { attach: deal.imageUrl } : {}
  const asked = await ask(target, { ...content, ...picture }, deps, context)
  if (asked.outcome) return asked.outcome
  const code = asked.answer.json?.code
  if (!deal?.imageUrl || typeof code !== 'number' || !pictureCodes.has(code))
    return outcomeOf(asked.answer, target, deps.clock())
  // The server lets nobody attach anything.
  const bare = await ask(target, content, deps, context)
  return bare.outcome ?? outcomeOf(bare.answer, target, deps.clock())
}

function ask({ settings, secrets, isGroup }: NtfyTarget, body: object, deps: KindDeps, context: SendContext) {
  const { token = '' } = secrets
  return askService(
    ...([deps, { isGroup }, `${settings.server}/`] as const),
    {
      ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      ...(token !== '' && { secretHeaders: { authorization: `Bearer ${token}` } }),
    },
    context,
  )
}

function outcomeOf(answer: Answer, target: NtfyTarget, now: Date): SendOutcome {
  const { secrets } = target
  const { status, json, headers } = answer
  const facts = answerFacts(answer, secretTexts(secrets), json ? json.error : answer.text)
  if (isTakenUnread(answer)) return { status, result: 'sent', messageId: null }
  if (status === 200 && json) {
    const { id, sequence_id } = json
    const isOwn = typeof sequence_id === 'string' && topicShape.test(sequence_id)
    return {
      ...{ status, result: 'sent' },
      messageId: isOwn ? sequence_id : typeof id === 'string' ? `${fixedMark}${id}` : null,
    }
  }
  const wait = askedPause(headers, now)
  if (status === 429) {
    // Of the day's messages nothing is left before midnight; an hour finds that out often enough.
    const afterMs = wait ?? (json?.code === 42_908 ? 3_600_000 : 60_000)
    const blockedMs = hasToken(target) ? afterMs : Math.min(afterMs, longestForAllMs)
    const limits = [{ key: blockedKey(target), blockedMs }]
    return {
      ...facts,
      limits,
      result: 'later',
      afterMs,
      text: 'The server of ntfy asks for fewer messages (429).',
    }
  }
  if (status === 401 || status === 403)
    return {
      ...{ ...facts, result: 'gone' },
      text: `The server lets nobody write to the topic with this token (${status}). Enter another one.`,
    }
  if (status === 404)
    return { ...facts, result: 'gone', text: 'There is no ntfy at this address (404). Check the server.' }
  if (status === 507)
    return {
      ...{ ...facts, result: 'failed' },
      text: 'The server has no room for the message, or nobody has subscribed to the topic yet (507).',
    }
  return { ...facts, ...outcomeOfStatus(answer, now, 'ntfy', { status }) }
}

import { askService, secretTexts } from '../answers.ts'
import {
  type AnyDestinationKind,
  destinationKind,
  type KindDeps,
  type SendContext,
  type SendOutcome,
  type Target,
} from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { everyKeyOf, everyWebhook, limitKey, outcomeOf } from './answers.ts'
import { discordText } from './embeds.ts'
import {
  checkDiscord,
  type DiscordSettings,
  discordForm,
  discordSettings,
  readWebhook,
  type Webhook,
} from './form.ts'

/** Of a message that nobody's phone sounds for. */
const suppressNotifications = 1 << 12

type DiscordTarget = Target<DiscordSettings>

/** Messages in a channel of Discord. What is at the address of a webhook but isn't Discord is asked like any other address. */
export const discordKind: AnyDestinationKind = destinationKind<DiscordSettings>({
  kind: 'discord',
  description: discordForm,
  unavailable: () => null,
  settings: discordSettings,
  check: checkDiscord,
  placeOf: ({ webhook_url = '' }) => {
    const webhook = readWebhook(webhook_url)
    return webhook ? limitKey(webhook.origin, webhook.id) : webhook_url
  },
  limits: ({ secrets }) => {
    const webhook = readWebhook(secrets.webhook_url ?? '')
    // What Discord says in its answers comes on top; it names no figures for webhooks.
    return webhook
      ? [
          { key: limitKey(webhook.origin, webhook.id), burst: 5, perSecond: 2.5 },
          ...(everyKeyOf(webhook.origin, webhook.id) === everyWebhook
            ? [{ key: everyWebhook, burst: 40, perSecond: 40 }]
            : []),
        ]
      : []
  },
  send: (target, message, deps, context) => {
    const { settings } = target
    const { content, embeds, threadName } = discordText(message, deps.clock())
    const mentions = settings.role !== '' && mayMention(message)
    const body = {
      content: [mentions ? `<@&${settings.role}>` : '', content].filter(Boolean).join(' '),
      embeds,
      allowed_mentions: { parse: [], roles: mentions ? [settings.role] : [] },
      ...(settings.username !== '' && { username: settings.username }),
      ...(message.isSilent && { flags: suppressNotifications }),
      ...(settings.makes_threads && { thread_name: threadName }),
      ...(settings.tags.length > 0 && { applied_tags: settings.tags }),
    }
    return ask(target, { method: 'POST', path: '', body, thread: settings.thread }, deps, context)
  },
  edit: (target, messageId, message, deps, context) => {
    const { content, embeds } = discordText(message, deps.clock())
    const [id = '', thread = ''] = messageId.split('@')
    // Without allowed_mentions Discord would look for mentions anew. What is left out of a change stays, as the mention does.
    const body = {
      ...(content !== '' && { content }),
      ...{ embeds, allowed_mentions: { parse: [] } },
    }
    return ask(target, { method: 'PATCH', path: `/messages/${id}`, body, thread }, deps, context)
  },
})

function mayMention(message: Message): boolean {
  if (message.isSilent || message.kind === 'notice') return false
  return message.kind === 'list' || !message.isTest
}

type Request = { method: 'POST' | 'PATCH'; path: string; body: object; thread: string }

async function ask(
  target: DiscordTarget,
  { method, path, body, thread }: Request,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  const webhook = readWebhook(target.secrets.webhook_url ?? '')
  if (!webhook) return { result: 'gone', text: 'There is no webhook. Enter the address of one.' }
  const { answer, outcome } = await askService(
    deps,
    target,
    addressOf(webhook, path, {
      ...(method === 'POST' && { wait: 'true' }),
      ...(thread !== '' && { thread_id: thread }),
    }),
    { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    context,
  )
  if (outcome) return outcome
  const about = {
    ...{ now: deps.clock(), isEdit: method === 'PATCH', key: limitKey(webhook.origin, webhook.id) },
    everyKey: everyKeyOf(webhook.origin, webhook.id),
    secrets: [webhook.token, ...secretTexts(target.secrets)],
  }
  // Whoever changes a message in a thread has to say which one it is in.
  const isInThread = target.settings.makes_threads || thread !== ''
  return outcomeOf(answer, about, (id, channelId) => (isInThread ? `${id}@${channelId || thread}` : id))
}

function addressOf({ origin, id, token }: Webhook, path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString()
  return `${origin}/api/v10/webhooks/${id}/${token}${path}${search && `?${search}`}`
}

import { z } from 'zod'
import { optionalText } from '../../../../platform/setting-fields.ts'
import {
  type AnyDestinationKind,
  destinationKind,
  type KindDeps,
  type SendContext,
  type SendOutcome,
  type Target,
} from '../destination-kind.ts'
import type { Message } from '../message.ts'
import { botKey, callBot, chatKey, outcomeOfBot, telegramBase } from './api.ts'
import { BotNames } from './bot-names.ts'
import { telegramText } from './texts.ts'

/** All of them are written when a chat is linked. */
const telegramSettings = z.object({
  chat_id: optionalText(32).refine((id) => /^(-?\d+)?$/.test(id), 'must be the number of a chat'),
  chat_title: optionalText(300),
  /** Of a group with topics: which one. */
  topic_id: optionalText(20).refine((id) => /^\d*$/.test(id), 'must be the number of a topic'),
})
export type TelegramSettings = z.output<typeof telegramSettings>

const form = {
  label: 'Telegram',
  help: 'The bot of this installation writes to you, or into a group or channel that you take it into. Each deal is a message that changes when the price does.',
  steps: [
    'Press Add, then open the link that appears: Telegram opens with the bot, and Start links your chat.',
    'For a group or a channel instead, add the bot as an administrator there and send it /start with the code.',
    'The bot answers that it is linked; send a test. /stop ends it at any time.',
  ],
  fields: [],
  confirmed_by: 'link' as const,
}

/** Messages of a bot of Telegram. `base` is another address in tests only. */
export function telegramKind({ base = telegramBase } = {}): AnyDestinationKind {
  const names = new BotNames(base)
  return destinationKind<TelegramSettings>({
    kind: 'telegram',
    description: form,
    unavailable: ({ settings }) =>
      settings.TELEGRAM_TOKEN === ''
        ? 'There is no bot yet. Whoever runs Dealdeck makes one with @BotFather and sets TELEGRAM_TOKEN.'
        : null,
    settings: telegramSettings,
    linkedSettings: ['chat_id', 'chat_title', 'topic_id'],
    linkUrl: async (code, deps, { signal }) => {
      const name = await names.find(deps, signal)
      return name === null ? null : `https://t.me/${name}?start=${encodeURIComponent(code)}`
    },
    limits: ({ settings: { chat_id } }) => [
      // Groups, supergroups and channels have numbers below 0: 20 messages a minute, chats of one person 1 a second, the bot 30 a second.
      chat_id.startsWith('-')
        ? { key: chatKey(chat_id), burst: 2, perSecond: 0.3 }
        : { key: chatKey(chat_id), burst: 1, perSecond: 1 },
      { key: botKey, burst: 5, perSecond: 25 },
    ],
    send: async (target, message, deps, context) => {
      const { chat_id, topic_id } = target.settings
      const where = { chat_id, ...(topic_id !== '' && { message_thread_id: Number(topic_id) }) }
      const parameters = {
        ...{ ...where, ...bodyOf(message, deps, context) },
        ...(message.isSilent && { disable_notification: true }),
      }
      return say(base, 'sendMessage', target, parameters, deps, context)
    },
    edit: async (target, messageId, message, deps, context) => {
      const [chat_id, message_id] = messageId.split('/')
      // Messages of the chat that was linked before have numbers which mean others here.
      if (chat_id !== target.settings.chat_id)
        return { result: 'lost', text: 'The message is in another chat than the one linked now.' }
      const parameters = { chat_id, message_id: Number(message_id), ...bodyOf(message, deps, context) }
      const outcome = await say(base, 'editMessageText', target, parameters, deps, context)
      return outcome.result === 'sent' ? { ...outcome, messageId } : outcome
    },
  })
}

function bodyOf(message: Message, deps: KindDeps, { timeZone }: SendContext) {
  const { text, imageUrl } = telegramText(message, { now: deps.clock(), timeZone })
  // A picture as the preview of a link: a caption could not be as long, nor be changed into a text.
  const preview =
    imageUrl === null
      ? { is_disabled: true }
      : { url: imageUrl, prefer_small_media: true, show_above_text: false }
  return { text, parse_mode: 'HTML', link_preview_options: preview }
}

async function say(
  base: string,
  method: 'sendMessage' | 'editMessageText',
  { settings }: Target<TelegramSettings>,
  parameters: object,
  deps: KindDeps,
  context: SendContext,
): Promise<SendOutcome> {
  const token = deps.settings.TELEGRAM_TOKEN
  if (token === '')
    return { result: 'failed', text: 'There is no bot: whoever runs Dealdeck has to set TELEGRAM_TOKEN.' }
  if (settings.chat_id === '') return { result: 'gone', text: 'No chat is linked. Send the bot the code.' }
  const { answer, outcome } = await callBot(deps, base, method, parameters, context)
  if (outcome) return outcome
  const isEdit = method === 'editMessageText'
  const said = outcomeOfBot(answer, { now: deps.clock(), isEdit, token, settings })
  if (said.result !== 'sent') return said
  const id = Object(answer.result).message_id
  return { ...said, messageId: typeof id === 'number' ? `${settings.chat_id}/${id}` : null }
}

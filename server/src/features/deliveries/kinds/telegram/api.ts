import { waitMs } from '../../../../platform/outgoing/retry-after.ts'
import { isObject, type JsonObject } from '../../../../platform/outgoing/service-answers.ts'
import type { Settings } from '../../../../platform/settings.ts'
import {
  type Answer,
  answerFacts,
  askService,
  isTakenUnread,
  type NotSent,
  outcomeOfStatus,
} from '../answers.ts'
import type { KindDeps, SendContext, SendOutcome } from '../destination-kind.ts'

export const telegramBase = 'https://api.telegram.org'
/** The keys of Telegram's limits: that of the bot, and that of one chat. */
export const botKey = 'telegram'
export const chatKey = (chatId: string) => `telegram:${chatId}`

export type BotDeps = Pick<KindDeps, 'fetch'> & { settings: Pick<Settings, 'TELEGRAM_TOKEN'> }
/** `result` is what the method answers; `description` what Telegram says is wrong. */
export type BotAnswer = Answer & {
  isOk: boolean
  result: unknown
  description: string
  parameters: JsonObject
}
type Called = { answer: BotAnswer; outcome?: undefined } | { answer?: undefined; outcome: SendOutcome }

/** Calls a method of the bot. Throws only why `signal` was aborted. */
export async function callBot(
  deps: BotDeps,
  base: string,
  method: string,
  parameters: object,
  context: Pick<SendContext, 'signal'> & { totalMs?: number },
): Promise<Called> {
  const { totalMs } = context
  const asked = await askService(
    deps,
    // The address is not a member's but the operator's.
    { isGroup: true },
    `${base}/bot${deps.settings.TELEGRAM_TOKEN}/${method}`,
    {
      ...{
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
      },
      ...(totalMs !== undefined && { totalMs }),
    },
    context,
  )
  if (asked.outcome) return asked
  const { json } = asked.answer
  return {
    answer: {
      ...asked.answer,
      isOk: json?.ok === true,
      result: json?.result,
      description: typeof json?.description === 'string' ? json.description : '',
      parameters: isObject(json?.parameters) ? json.parameters : {},
    },
  }
}

type About = { now: Date; isEdit: boolean; token: string; settings: { chat_id: string } }

/** What an answer to a message means; `moved` with the new number of the chat. */
export function outcomeOfBot(answer: BotAnswer, about: About): SendOutcome {
  const { status, description, parameters } = answer
  const facts = answerFacts(answer, [about.token], description)
  if (answer.isOk || isTakenUnread(answer)) return { ...facts, result: 'sent', messageId: null }
  const newId = parameters.migrate_to_chat_id
  if (typeof newId === 'number' && Number.isSafeInteger(newId))
    return {
      ...{ ...facts, result: 'moved', settings: { ...about.settings, chat_id: String(newId) } },
      text: 'The group has become a larger one, with another number.',
    }
  if (status === 429) {
    const afterMs = waitMs(parameters.retry_after) || 30_000
    const limits = [{ key: chatKey(about.settings.chat_id), blockedMs: afterMs }]
    return { ...facts, limits, result: 'later', afterMs, text: 'Telegram asks for fewer messages (429).' }
  }
  if (about.isEdit && /message is not modified/i.test(description))
    return { ...facts, result: 'sent', messageId: null }
  return { ...facts, ...refusalOf(answer, about) }
}

function refusalOf(answer: BotAnswer, { now, isEdit }: About): NotSent {
  const { status, description } = answer
  // A bot whose token is not right is not found, by its number alone.
  if (status === 401 || status === 404)
    return {
      result: 'failed',
      text: `Telegram doesn’t know the bot (${status}). Whoever runs Dealdeck has to check TELEGRAM_TOKEN.`,
    }
  if (status === 403)
    return {
      result: 'gone',
      text: /blocked/i.test(description)
        ? 'The bot is blocked. Unblock it and send it /start again.'
        : 'The bot may not write into the chat any more. Add it again, or send it /start again.',
    }
  if (isEdit && /message (to edit )?(not found|can't be edited)|MESSAGE_ID_INVALID/i.test(description))
    return { result: 'lost', text: 'The message is not there any more, or can’t be changed any more.' }
  if (/chat not found|PEER_ID_INVALID|group chat was deactivated/i.test(description))
    return { result: 'gone', text: 'Telegram knows no such chat any more. Link it anew.' }
  if (/not enough rights|have no rights|CHAT_WRITE_FORBIDDEN/i.test(description))
    return { result: 'gone', text: 'The bot may not write into the chat. Let it post there, then resume.' }
  if (/message thread not found|TOPIC_(CLOSED|DELETED)/i.test(description))
    return { result: 'gone', text: 'The topic of the group is closed or gone. Link another one.' }
  return outcomeOfStatus(answer, now, 'Telegram', { status })
}

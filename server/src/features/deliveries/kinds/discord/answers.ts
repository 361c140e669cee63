import { retryAfterMs, waitMs } from '../../../../platform/outgoing/retry-after.ts'
import { type Answer, answerFacts, isTakenUnread, type NotSent, outcomeOfStatus } from '../answers.ts'
import type { SendOutcome } from '../destination-kind.ts'

/** The keys of Discord's limits: that of all its webhooks for this server, and that of one. */
export const everyWebhook = 'discord'
/** Whoever has a webhook elsewhere has no say in Discord's. */
export const everyKeyOf = (origin: string, id: string) =>
  origin === 'https://discord.com' ? everyWebhook : limitKey(origin, id)
export const limitKey = (origin: string, id: string) =>
  origin === 'https://discord.com' ? `discord:${id}` : `discord:${new URL(origin).host}:${id}`

/** The longest that one answer keeps all webhooks waiting, in milliseconds. */
const longestForAllMs = 10 * 60_000

type About = {
  now: Date
  isEdit: boolean
  /** Under which the limits of this webhook are kept, and those of all that are at its server. */
  key: string
  everyKey: string
  secrets: readonly string[]
}

/** Discord's codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes */
const codes = {
  unknownChannel: 10_003,
  unknownMessage: 10_008,
  unknownWebhook: 10_015,
  editedTooOften: 30_046,
  shutOut: 40_333,
  tagRequired: 40_067,
  forumWantsThread: 220_001,
  noForum: 220_003,
}

/** What an answer of Discord means. `idOf` makes of a message's ids that by which it is known here. */
export function outcomeOf(
  answer: Answer,
  about: About,
  idOf: (id: string, channelId: string) => string,
): SendOutcome {
  const { status, json } = answer
  const facts = {
    ...answerFacts(answer, about.secrets, json ? json.message : answer.text),
    ...limitsOf(answer, about),
  }
  if (status === 429) return { ...facts, ...laterOf(answer, about) }
  if (isTakenUnread(answer)) return { ...facts, result: 'sent', messageId: null }
  if (status === 200 && typeof json?.id === 'string') {
    const channel = typeof json.channel_id === 'string' ? json.channel_id : ''
    return { ...facts, result: 'sent', messageId: idOf(json.id, channel) }
  }
  return { ...facts, ...refusalOf(answer, about) }
}

function refusalOf(answer: Answer, { now, isEdit }: About): NotSent {
  const gone = (text: string): NotSent => ({ result: 'gone', text })
  const { status, json } = answer
  switch (json?.code) {
    case codes.unknownMessage:
      return isEdit
        ? { result: 'lost', text: 'Somebody has deleted the message in Discord.' }
        : { result: 'refused', text: 'Discord doesn’t know the message (404).' }
    case codes.unknownChannel:
      return isEdit
        ? { result: 'lost', text: 'The thread of the message is not there any more.' }
        : gone('The thread is not there any more. Enter another one, or none.')
    case codes.forumWantsThread:
      return gone('The channel is a forum: say so in the settings, or enter a thread.')
    case codes.noForum:
      return gone('The channel is no forum, so no threads are made there: change the settings.')
    case codes.tagRequired:
      return gone('The forum wants a tag for each thread: enter the id of one in the settings.')
    case codes.unknownWebhook:
      return gone('The webhook is not there any more. Make a new one in Discord and enter its address.')
  }
  if (status === 404)
    return gone('Discord knows no such webhook (404). Make a new one in Discord and enter its address.')
  // A page instead of JSON, or that code, comes from what stands before Discord, and may end.
  if ((status === 401 || status === 403) && json && json.code !== codes.shutOut)
    return gone(
      `Discord doesn’t accept the webhook any more (${status}). Make a new one and enter its address.`,
    )
  if (status === 401 || status === 403)
    return { result: 'failed', text: `Discord doesn’t let this server in at the moment (${status}).` }
  return outcomeOfStatus(answer, now, 'Discord', { status })
}

function laterOf({ headers, json }: Answer, { now }: About): NotSent {
  const afterMs = waitOf({ headers, json }, now)
  if (json?.code === codes.editedTooOften)
    return {
      ...{ result: 'later', afterMs, isOfOneMessage: true },
      text: 'Discord lets older messages be changed only now and then (429).',
    }
  return { result: 'later', afterMs, text: 'Discord asks for fewer messages (429).' }
}

/** What an answer says of the limits that hold for others, too. */
function limitsOf(
  { status, headers, json }: Answer,
  { now, key, everyKey }: About,
): Pick<SendOutcome, 'limits'> {
  // This one is of the message alone.
  if (json?.code === codes.editedTooOften) return {}
  if (status === 429) {
    // Without JSON it comes from what stands before Discord, and is meant for this server.
    const isForAll = json?.global === true || headers.has('x-ratelimit-global') || json === null
    const blockedMs = Math.min(
      waitOf({ headers, json }, now),
      isForAll ? longestForAllMs : Number.POSITIVE_INFINITY,
    )
    return { limits: [{ key: isForAll ? everyKey : key, blockedMs }] }
  }
  const resetMs = waitMs(Number(headers.get('x-ratelimit-reset-after') ?? 'none'))
  const isSpent = headers.get('x-ratelimit-remaining')?.trim() === '0'
  return isSpent && resetMs > 0 ? { limits: [{ key, blockedMs: resetMs }] } : {}
}

const waitOf = ({ headers, json }: Pick<Answer, 'headers' | 'json'>, now: Date): number =>
  waitMs(json?.retry_after) || retryAfterMs(headers, now) || 60_000

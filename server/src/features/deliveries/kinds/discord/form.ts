import { z } from 'zod'
import { optionalText, settingField, textList } from '../../../../platform/setting-fields.ts'

/** The ids of Discord are numbers that a JavaScript number doesn't hold. */
const snowflake = /^\d{15,22}$/
const optionalId = (what: string) =>
  optionalText(22).refine((id) => id === '' || snowflake.test(id), `must be the id of ${what}, such as 1042…`)

export const discordSettings = z.object({
  username: optionalText(80).refine(
    (name) => !/clyde|discord|^(everyone|here)$/i.test(name),
    'must not hold “discord” or “clyde”, which Discord refuses',
  ),
  role: optionalId('a role'),
  thread: optionalId('a thread'),
  makes_threads: z.boolean({ error: 'must be true or false' }).default(false),
  tags: textList(snowflake, 5, 'ids of tags'),
})
export type DiscordSettings = z.output<typeof discordSettings>

/** A webhook's own part of its address. */
export type Webhook = { origin: string; id: string; token: string }

/** By which names Discord is reached; what leads to one of the older ones is the same webhook. */
const discordHosts = /^((canary|ptb)\.)?discord(app)?\.com$/

/** Reads the address of a webhook as Discord shows it; null where it is none. */
export function readWebhook(text: string): Webhook | null {
  const address = text.trim()
  if (!URL.canParse(address)) return null
  const { protocol, hostname, origin, pathname, username, password } = new URL(address)
  const [, id, token] =
    /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{5,22})\/([\w-]{10,120})\/?$/.exec(pathname) ?? []
  if (id === undefined || token === undefined || username !== '' || password !== '') return null
  if (!discordHosts.test(hostname)) return /^https?:$/.test(protocol) ? { origin, id, token } : null
  // Nothing of Discord is asked without encryption.
  return protocol === 'https:' ? { origin: 'https://discord.com', id, token } : null
}

/** What is wrong with settings and secrets, by field; null: nothing. */
export function checkDiscord(
  { thread, makes_threads, tags }: DiscordSettings,
  { webhook_url }: Readonly<Record<string, string>>,
): Record<string, string> | null {
  if (webhook_url !== undefined && webhook_url !== '' && readWebhook(webhook_url) === null)
    return {
      webhook_url: 'must be the address of a webhook, such as https://discord.com/api/webhooks/1042…/abc…',
    }
  if (thread !== '' && makes_threads)
    return { thread: 'must be empty where each deal gets a thread of its own' }
  if (tags.length > 0 && !makes_threads)
    return { tags: 'are for forums only, where each deal gets a thread of its own' }
  return null
}

export const discordForm = {
  label: 'Discord',
  help: 'Each deal is a message in a channel, with its picture, and changes when the price does. Nobody is mentioned unless a role is set.',
  steps: [
    'In Discord, open the settings of the channel, then Integrations, then Webhooks, and press New Webhook.',
    'Press Copy Webhook URL.',
    'Paste the address here, press Add, and send a test.',
  ],
  fields: [
    settingField('webhook_url', 'Address of the webhook', 'secret', {
      is_required: true,
      help: 'Whoever has it can write into the channel, so it is kept sealed and never shown again.',
    }),
    settingField('makes_threads', 'The channel is a forum', 'switch', {
      ...{ initial: false, is_advanced: true, help: 'Each message becomes a thread of its own.' },
    }),
    settingField('thread', 'Thread', 'text', {
      ...{ initial: '', is_advanced: true },
      help: 'The id of a thread of that channel to write into; none: the channel itself.',
    }),
    settingField('tags', 'Tags of a thread', 'list', {
      ...{ initial: [], is_advanced: true, help: 'Ids of tags of the forum, five at most.' },
    }),
    settingField('role', 'Role to mention', 'text', {
      ...{ initial: '', is_advanced: true },
      help: 'The id of a role that each message mentions; empty: nobody. Silent messages and tests mention nobody.',
    }),
    settingField('username', 'Name of the sender', 'text', {
      ...{ initial: '', is_advanced: true, help: 'Empty: the name that the webhook has in Discord.' },
    }),
  ],
  confirmed_by: 'nothing' as const,
}

import { z } from 'zod'

const chatSchema = z.object({
  id: z.int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  first_name: z.string().optional(),
  username: z.string().optional(),
})
const messageSchema = z.object({
  chat: chatSchema,
  from: z.object({ id: z.int() }).optional(),
  /** In whose name it was written: of an administrator who stays anonymous it is the group. */
  sender_chat: z.object({ id: z.int() }).optional(),
  text: z.string().optional(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
})
const updateSchema = z.object({
  update_id: z.int(),
  message: messageSchema.optional(),
  channel_post: messageSchema.optional(),
  my_chat_member: z
    .object({ chat: chatSchema, new_chat_member: z.object({ status: z.string() }) })
    .optional(),
})
export type BotMessage = z.output<typeof messageSchema>
export type BotUpdate = z.output<typeof updateSchema>

/** What the bot asks to be told of. */
export const heardUpdates = ['message', 'channel_post', 'my_chat_member']

/** Reads an update; of one in a shape that isn't known only its number, null without one. */
export function readUpdate(value: unknown): BotUpdate | null {
  const { success, data } = updateSchema.safeParse(value)
  if (success) return data
  const id: unknown = Object(value).update_id
  return typeof id === 'number' && Number.isSafeInteger(id) ? { update_id: id } : null
}

export type Command = { name: 'start' | 'stop'; code: string; isNamed: boolean }

/** The command that a text is, such as `/start@deals_bot CODE`; null for any other text, and for commands of other bots. */
export function readCommand(text: string, botName: string | null): Command | null {
  const [, name, bot, code = ''] = /^\/(start|stop)(?:@(\w{1,64}))?(?:\s+(\S{1,100}))?\s*$/.exec(text) ?? []
  if (name !== 'start' && name !== 'stop') return null
  if (bot !== undefined && bot.toLowerCase() !== botName?.toLowerCase()) return null
  return { name, code, isNamed: bot !== undefined }
}

/** What people call a chat. */
export function titleOfChat({ title, first_name, username }: BotMessage['chat']): string {
  return title ?? first_name ?? (username === undefined ? 'a chat' : `@${username}`)
}

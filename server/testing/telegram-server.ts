import {
  type Answered,
  type AskedOf,
  type JsonObject,
  type ServiceServer,
  serviceServer,
} from './service-server.ts'

type Chat = { type: 'private' | 'group' | 'supergroup' | 'channel'; isBlocked?: boolean; admins?: number[] }
type Said = { chat: number; text: string; markup: string; silent: boolean; preview: unknown; topic: unknown }
export type TelegramServer = ServiceServer & {
  chats: Map<number, Chat>
  /** What is in the chats, by chat and number: `7/1`. */
  messages: Map<string, Said>
  /** Somebody writes, or something else happens. */
  happens(update: JsonObject): void
  /** Requests for updates that are being waited for. */
  waiting(): number
  /** What was asked for by this method. */
  callsOf(method: string): JsonObject[]
}

export const botToken = '123456789:AAtest-token-of-a-bot-that-is-none_0001'
export const botName = 'test_deals_bot'
const longestText = 4_096

const ok = (result: unknown): Answered => ({ status: 200, body: { ok: true, result } })
export const botError = (status: number, description: string, parameters?: JsonObject): Answered => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters && { parameters }) },
})

/**
 * An imitation of Telegram's bot interface, made from its documents and never compared with it: texts in HTML and their length,
 * chats that don't exist or have blocked the bot, updates that are waited for and confirmed by what is asked next.
 */
export async function telegramServer(): Promise<TelegramServer> {
  const updates: (JsonObject & { update_id: number })[] = []
  let [lastUpdate, lastMessage] = [500, 0]
  let waiter: ((answered: Answered | null) => void) | undefined
  const state = {
    chats: new Map<number, Chat>([[7, { type: 'private' }]]),
    messages: new Map<string, Said>(),
    happens: (update: JsonObject) => {
      updates.push({ update_id: ++lastUpdate, ...update })
      waiter?.(null)
    },
    waiting: () => (waiter ? 1 : 0),
    callsOf: (method: string) =>
      server.asked.filter(({ url }) => url.pathname.endsWith(`/${method}`)).map(({ body }) => body),
  }

  async function updatesOf({ body }: AskedOf, gone: Promise<unknown>): Promise<Answered> {
    waiter?.(botError(409, 'Conflict: terminated by other getUpdates request'))
    const offset = Number(body.offset ?? 0)
    while (updates[0] && updates[0].update_id < offset) updates.shift()
    if (updates.length > 0) return ok(updates.slice(0, Number(body.limit ?? 100)))
    if (!body.timeout) return ok([])
    const ended = await new Promise<Answered | null>((resolve) => {
      waiter = resolve
      void gone.then(() => resolve(ok([])))
    })
    waiter = undefined
    return ended ?? ok(updates.slice(0, 100))
  }

  function say(body: JsonObject): Answered {
    const id = Number(body.chat_id)
    const refusal = refusalOf(state.chats.get(id)) ?? faultOf(body)
    if (refusal) return refusal
    lastMessage += 1
    state.messages.set(`${id}/${lastMessage}`, { chat: id, ...saidOf(body) })
    return ok({ message_id: lastMessage, chat: { id } })
  }

  function edit(body: JsonObject): Answered {
    const id = Number(body.chat_id)
    const refusal = refusalOf(state.chats.get(id)) ?? faultOf(body)
    if (refusal) return refusal
    const key = `${id}/${body.message_id}`
    const message = state.messages.get(key)
    if (!message) return botError(400, 'Bad Request: message to edit not found')
    const said = saidOf(body)
    if (message.markup === said.markup && JSON.stringify(message.preview) === JSON.stringify(said.preview))
      return botError(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
      )
    state.messages.set(key, { chat: id, ...said })
    return ok({ message_id: Number(body.message_id), chat: { id } })
  }

  const server: ServiceServer = await serviceServer((asked, request) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(asked.url.pathname) ?? []
    if (token !== botToken) return botError(401, 'Unauthorized')
    const { body } = asked
    switch (method) {
      case 'getMe':
        return ok({ id: 123456789, is_bot: true, username: botName })
      case 'getUpdates':
        return updatesOf(asked, new Promise((resolve) => request.socket.once('close', resolve)))
      case 'getChatMember': {
        const admins = state.chats.get(Number(body.chat_id))?.admins ?? []
        return ok({ status: admins.includes(Number(body.user_id)) ? 'administrator' : 'member' })
      }
      case 'sendMessage':
        return say(body)
      case 'editMessageText':
        return edit(body)
      default:
        return botError(404, 'Not Found')
    }
  })
  return Object.assign(server, state)
}

function refusalOf(chat: Chat | undefined): Answered | null {
  if (!chat) return botError(400, 'Bad Request: chat not found')
  return chat.isBlocked ? botError(403, 'Forbidden: bot was blocked by the user') : null
}

function saidOf(body: JsonObject): Omit<Said, 'chat'> {
  const markup = String(body.text)
  const { link_preview_options: preview, message_thread_id: topic } = body
  const silent = body.disable_notification === true
  return {
    text: body.parse_mode === 'HTML' ? (readHtml(markup) ?? '') : markup,
    markup,
    silent,
    preview,
    topic,
  }
}

function faultOf({ text, parse_mode }: JsonObject): Answered | null {
  const read = parse_mode === 'HTML' ? readHtml(String(text)) : String(text)
  if (read === null) return botError(400, 'Bad Request: can’t parse entities')
  if (read.trim() === '') return botError(400, 'Bad Request: message text is empty')
  return read.length > longestText ? botError(400, 'Bad Request: message is too long') : null
}

/** What is left of Telegram's HTML once it is read; null where it is not well formed, more strictly than Telegram is. */
export function readHtml(html: string): string | null {
  const open: string[] = []
  let text = ''
  const parts = html.matchAll(/<a href="[^"<>]+">|<(b|s|code)>|<\/(a|b|s|code)>|&#(\d+);|[^<>&]+|[<>&]/g)
  for (const [part, opened, closed, code] of parts) {
    if (part.startsWith('<a ')) open.push('a')
    else if (opened !== undefined) open.push(opened)
    else if (closed !== undefined) {
      if (open.pop() !== closed) return null
    } else if (code !== undefined) text += String.fromCodePoint(Number(code))
    else if (part === '<' || part === '>' || part === '&') return null
    else text += part
  }
  return open.length > 0 ? null : text
}

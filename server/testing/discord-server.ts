import {
  type Answered,
  type AskedOf,
  type JsonObject,
  type ServiceServer,
  serviceServer,
} from './service-server.ts'

type Posted = { id: string; thread: string; payload: JsonObject }
export type DiscordServer = ServiceServer & {
  webhookUrl: string
  isForum: boolean
  /** Whether the webhook has been deleted. */
  isDeleted: boolean
  messages: Map<string, Posted>
  /** Requests that are left in the bucket; null: no limits. */
  left: number | null
}

export const webhookToken = 'T0ken-of-a_test-webhook-T0ken-of-a_test'
const webhookId = '104200000000000001'
const mostInAll = 6_000

/**
 * An imitation of Discord's webhooks, made from its documents (v10) and never compared with it: what it refuses, its limits of
 * embeds, its buckets, threads of forums.
 */
export async function discordServer(): Promise<DiscordServer> {
  const state: Omit<DiscordServer, keyof ServiceServer> = {
    ...{ webhookUrl: '', isForum: false, isDeleted: false, messages: new Map<string, Posted>(), left: null },
  }
  const service = await serviceServer((asked) => {
    const spent = takeTurn(server)
    if (spent) return spent
    const answered = answerOf(server, asked)
    if (server.left === null || 'breaks' in answered) return answered
    const headers = {
      ...{ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': String(server.left) },
      ...{ 'x-ratelimit-reset-after': '1.25', 'x-ratelimit-bucket': 'abcd1234' },
    }
    return { ...answered, headers }
  })
  const server: DiscordServer = Object.assign(state, service)
  server.webhookUrl = `${service.base}/api/webhooks/${webhookId}/${webhookToken}`
  return server
}

function takeTurn(server: DiscordServer): Answered | null {
  if (server.left === null) return null
  if (server.left > 0) {
    server.left -= 1
    return null
  }
  return {
    ...{ status: 429, body: { message: 'You are being rate limited.', retry_after: 1.25, global: false } },
    headers: { 'retry-after': '2', 'x-ratelimit-scope': 'user' },
  }
}

const refuse = (status: number, code: number, message: string): Answered => ({
  status,
  body: { code, message },
})

function answerOf(server: DiscordServer, { method, url, body, headers }: AskedOf): Answered {
  const [, id, token, messageId] =
    /^\/api\/v10\/webhooks\/(\d+)\/([\w-]+)(?:\/messages\/(\d+))?$/.exec(url.pathname) ?? []
  if (id === undefined) return refuse(404, 0, '404: Not Found')
  if (id !== webhookId || server.isDeleted) return refuse(404, 10_015, 'Unknown Webhook')
  if (token !== webhookToken) return refuse(401, 50_027, 'Invalid Webhook Token')
  if (headers['content-type'] !== 'application/json') return refuse(400, 50_109, 'not JSON')
  const wrong = faultOf(body)
  if (wrong) return refuse(400, 50_035, `Invalid Form Body: ${wrong}`)
  const thread = url.searchParams.get('thread_id') ?? ''
  if (method === 'PATCH') {
    const posted = server.messages.get(messageId ?? '')
    if (!posted || posted.thread !== thread) return refuse(404, 10_008, 'Unknown Message')
    Object.assign(posted.payload, body)
    return { status: 200, body: { id: posted.id, channel_id: posted.thread || '77' } }
  }
  if (method !== 'POST') return refuse(405, 0, '405: Method Not Allowed')
  if (body.content === '' && !body.embeds) return refuse(400, 50_006, 'Cannot send an empty message')
  if (server.isForum && !thread && typeof body.thread_name !== 'string')
    return refuse(400, 220_001, 'Webhooks posted to forum channels must have a thread_name or thread_id')
  if (!server.isForum && body.thread_name !== undefined)
    return refuse(400, 220_003, 'Webhooks can only create threads in forum channels')
  const made = String(200_000_000_000_000_000n + BigInt(server.messages.size))
  const inThread = thread || (server.isForum ? made : '')
  server.messages.set(made, { id: made, thread: inThread, payload: { ...body } })
  if (url.searchParams.get('wait') !== 'true') return { status: 204 }
  return { status: 200, body: { id: made, channel_id: inThread || '77' } }
}

const textsOf = (embed: JsonObject): Array<[name: string, text: unknown, most: number]> => [
  ['title', embed.title, 256],
  ['description', embed.description, 4_096],
  ['footer.text', Object(embed.footer).text, 2_048],
  ['author.name', Object(embed.author).name, 256],
]

/** What Discord would refuse of a message; null: nothing. */
function faultOf(body: JsonObject): string | null {
  const { content = '', username, thread_name, applied_tags = [], embeds = [], allowed_mentions } = body
  if (typeof content !== 'string' || content.length > 2_000) return 'content'
  if (username !== undefined && !/^(?!.*(discord|clyde)).{1,80}$/i.test(String(username))) return 'username'
  if (thread_name !== undefined && !/^.{1,100}$/u.test(String(thread_name).trim())) return 'thread_name'
  if (!Array.isArray(applied_tags) || applied_tags.length > 5) return 'applied_tags'
  if (!Array.isArray(embeds) || embeds.length > 10) return 'embeds'
  if (Object(allowed_mentions).parse?.length !== 0) return 'a test wants allowed_mentions, always'
  let inAll = 0
  const urls = new Set<unknown>()
  for (const embed of embeds) {
    for (const [name, text, most] of textsOf(embed)) {
      if (text === undefined) continue
      if (typeof text !== 'string' || text.trim() === '' || text.trim().length > most) return name
      inAll += text.trim().length
    }
    if (embed.title === undefined && embed.description === undefined) return 'an empty embed'
    for (const url of [embed.url, Object(embed.thumbnail).url])
      if (url !== undefined && !/^https?:\/\//.test(String(url))) return 'url'
    // Discord would show only one of those with one address.
    if (embed.url !== undefined && urls.has(embed.url)) return 'a test wants addresses that differ'
    urls.add(embed.url)
  }
  return inAll > mostInAll ? 'embeds: more than 6000' : null
}

import {
  type Answered,
  type AskedOf,
  type JsonObject,
  type ServiceServer,
  serviceServer,
} from './service-server.ts'

export type AppriseServer = ServiceServer & {
  /** What it has stored, by key: Apprise URLs with their tags. */
  stored: Map<string, { url: string; tags: string[] }[]>
  /** What has arrived at the services behind it. */
  arrived: { url: string; body: JsonObject }[]
  /** Services that don't answer. */
  broken: Set<string>
}

/** An imitation of an Apprise API server, made from its documents and never compared with it. */
export async function appriseServer(): Promise<AppriseServer> {
  const state: Omit<AppriseServer, keyof ServiceServer> = {
    ...{ stored: new Map(), arrived: [], broken: new Set<string>() },
  }
  const service: ServiceServer = await serviceServer((asked) => answerOf(server, asked))
  const server: AppriseServer = Object.assign(state, service)
  return server
}

function answerOf(server: AppriseServer, { method, url, headers, body }: AskedOf): Answered {
  const [, path, key] = /^\/(notify)(?:\/([\w-]{1,128}))?$/.exec(url.pathname) ?? []
  if (path === undefined) return { status: 404, body: '<html>Not Found' }
  if (method !== 'POST') return { status: 405 }
  const refuse = (error: string): Answered => ({ status: 400, body: { error } })
  if (headers['content-type'] !== 'application/json') return refuse('The message format is not supported')
  if (typeof body.body !== 'string' || body.body === '') return refuse('Payload lacks minimum requirements')
  if (!['info', 'success', 'warning', 'failure'].includes(String(body.type ?? 'info'))) return refuse('type')
  if (!['text', 'markdown', 'html'].includes(String(body.format ?? 'text'))) return refuse('format')
  const isMeant = ({ tags }: { tags: string[] }) => body.tag === undefined || tags.includes(String(body.tag))
  const urls =
    key === undefined
      ? [String(body.urls ?? '')].filter(Boolean)
      : (server.stored.get(key) ?? []).filter(isMeant).map((each) => each.url)
  if (urls.length === 0) return { status: 204 }
  for (const each of urls) if (!server.broken.has(each)) server.arrived.push({ url: each, body })
  return urls.some((each) => server.broken.has(each))
    ? { status: 424, body: { error: 'One or more notification could not be sent.' } }
    : { status: 200, body: { error: null } }
}

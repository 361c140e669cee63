import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sessionCookieOf } from './access.ts'

/**
 * A page waits no longer than this for its answers, in milliseconds; then the browser asks for itself. A database that
 * hangs is known to be away before.
 */
const patienceMs = 1_000
/** Larger answers would hold up the program that stands beside them, in bytes. */
const largestAnswer = 64 * 1024

/** What an answer depends on of whoever asks for the page. */
const passedOn = [
  'cookie',
  'host',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

/**
 * Asks our own API what a screen would ask for first, as whoever wants the page: with the same cookie, from the same
 * address, through the same checks. Returns the bodies by address, of the session 'null' when there is none. Undefined
 * when that can't be told, or not in time. `publicUrl` is the setting.
 */
export async function firstAnswers(
  app: FastifyInstance,
  request: FastifyRequest,
  addresses: readonly string[],
  publicUrl: string,
): Promise<Map<string, string> | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs)
  })
  try {
    return await Promise.race([ask(app, request, addresses, publicUrl), late])
  } catch {
    // The browser meets the same fault when it asks, and says so.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function ask(
  app: FastifyInstance,
  request: FastifyRequest,
  addresses: readonly string[],
  publicUrl: string,
): Promise<Map<string, string> | undefined> {
  const answers = new Map<string, string>()
  const settings = await inject(app, request, '/api/settings')
  if (settings?.statusCode !== 200) return undefined
  answers.set('/api/settings', settings.body)
  const hasCookie = request.cookies[sessionCookieOf(request, publicUrl).name] !== undefined
  const session = hasCookie ? await inject(app, request, '/api/session') : undefined
  if (session && session.statusCode !== 200 && session.statusCode !== 401) return undefined
  answers.set('/api/session', session?.statusCode === 200 ? session.body : 'null')
  if (session?.statusCode !== 200) return answers
  const found = await Promise.all(addresses.map((address) => inject(app, request, address)))
  for (const [index, address] of addresses.entries()) {
    const answer = found[index]
    if (answer?.statusCode === 200 && answer.body.length <= largestAnswer) answers.set(address, answer.body)
  }
  return answers
}

function inject(app: FastifyInstance, request: FastifyRequest, url: string) {
  const given = passedOn.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const remoteAddress = request.socket.remoteAddress ?? ''
  return app.inject({ url, headers: Object.fromEntries(given), remoteAddress })
}

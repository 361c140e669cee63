import { contract } from '@dealdeck/contract/api'
import { preloadsOf, revisionHeader } from '@dealdeck/contract/preloads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookieOf } from '../http/access.ts'
import { goneSignal } from '../http/gone-signal.ts'
import type { Turn } from '../limits/member-gate.ts'
import type { FirstScreen } from './first-screens.ts'

/**
 * A page waits no longer than this for its answers, in milliseconds; then the browser asks for itself. A database that
 * hangs is known to be away before.
 */
const patienceMs = 1_000
/** Larger answers would hold up the program that stands beside them, in bytes. */
const largestAnswer = 64 * 1024

/** What every page brings along, of whoever asks for it. */
export const { settings: settingsAddress, session: sessionAddress } = preloadsOf(contract)

/** What an answer depends on of whoever asks for the page. */
const passedOn = [
  'cookie',
  'host',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

/** What a screen asks for. */
type Asked = Pick<FirstScreen, 'asks' | 'asksThen'>

export type PageOptions = {
  /** The setting. */
  publicUrl: string
  /** A turn at making a page, for whoever asks for it; throws when the signal is aborted before. */
  takeTurn: (reply: FastifyReply, signal: AbortSignal) => Promise<Turn>
}

/**
 * Asks our own API what a screen would ask for first, as whoever wants the page: with the same cookie, from the same
 * address, through the same checks. Returns the bodies by address, of the session 'null' when there is none. Undefined
 * when that can't be known, or not in time. What is asked ends when the reader leaves, and its turn only with it.
 */
export async function preloadedResponses(
  app: FastifyInstance,
  reply: FastifyReply,
  screen: Asked | undefined,
  options: PageOptions,
): Promise<Map<string, string> | undefined> {
  const late = new AbortController()
  const nothing = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => {
    late.abort()
    nothing.resolve(undefined)
  }, patienceMs)
  try {
    return await Promise.race([inTurn(app, reply, screen, options, late.signal), nothing.promise])
  } catch {
    // The browser meets the same fault when it asks, and says so.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function inTurn(
  app: FastifyInstance,
  reply: FastifyReply,
  screen: Asked | undefined,
  { publicUrl, takeTurn }: PageOptions,
  late: AbortSignal,
): Promise<Map<string, string> | undefined> {
  const gone = goneSignal(reply)
  const turn = await takeTurn(reply, AbortSignal.any([gone, late]))
  try {
    const { request } = reply
    const hasCookie = request.cookies[sessionCookieOf(request, publicUrl).name] !== undefined
    return await ask((address) => inject(app, request, address, gone), screen, hasCookie)
  } finally {
    turn.end()
  }
}

async function ask(
  get: (address: string) => ReturnType<typeof inject>,
  screen: Asked | undefined,
  hasCookie: boolean,
): Promise<Map<string, string> | undefined> {
  const answers = new Map<string, string>()
  const settings = await get(settingsAddress)
  if (settings?.statusCode !== 200) return undefined
  answers.set(settingsAddress, settings.body)
  const session = hasCookie ? await get(sessionAddress) : undefined
  if (session && session.statusCode !== 200 && session.statusCode !== 401) return undefined
  answers.set(sessionAddress, session?.statusCode === 200 ? session.body : 'null')
  if (session?.statusCode !== 200) return answers
  const revisions = new Set<unknown>()
  const add = async (addresses: readonly string[]) => {
    const found = await Promise.all(addresses.map(get))
    for (const [index, address] of addresses.entries()) {
      const answer = found[index]
      if (answer?.statusCode !== 200 || answer.body.length > largestAnswer) continue
      answers.set(address, answer.body)
      const revision = answer.headers[revisionHeader]
      if (revision !== undefined) revisions.add(revision)
    }
  }
  await add(screen?.asks ?? [])
  await add(screen?.asksThen?.(answers) ?? [])
  // Where something has changed between two answers the page says of neither how old it is.
  const [revision, ...others] = revisions
  if (revision !== undefined && others.length === 0) answers.set(revisionHeader, JSON.stringify(revision))
  return answers
}

function inject(app: FastifyInstance, request: FastifyRequest, url: string, signal: AbortSignal) {
  const given = passedOn.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const remoteAddress = request.socket.remoteAddress ?? ''
  return app.inject({ url, headers: Object.fromEntries(given), remoteAddress, signal })
}

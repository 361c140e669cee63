import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { acceptedPackings, boundedBody } from './bounded-body.ts'
import {
  type CheckedConnection,
  checkedConnection,
  type Resolve,
  systemResolve,
} from './checked-connection.ts'
import { Patience } from './patience.ts'
import { type Reach, reachOf } from './public-addresses.ts'
import { FetchError, type SafeFetch, type SafeRequest, type SafeResponse } from './safe-fetch.ts'

type Options = {
  /** What may be reached beside public addresses: networks, as FETCH_ALLOW gives them. */
  allow: readonly string[]
  /** Where we are reached: whoever we ask reads there who we are. */
  publicUrl?: string
  resolve?: Resolve
  /** Judges an IP address; what `reachOf` makes of `allow` unless given. */
  reach?(address: string): Reach
  /** Until a connection stands, and from then until the answer begins, in milliseconds. */
  connectMs?: number
  headersMs?: number
}

type Hop = {
  url: URL
  secretHeaders: Record<string, string>
  body: string | Uint8Array | undefined
  mayBeAllowed: boolean
}

const usualTotalMs = 30_000
const usualRedirects = 3
const longestAddress = 8_192
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const lastingStatuses = new Set([301, 308])
/** Headers that are ours, or would make another request of it. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i
const credentials = /^(authorization|cookie)$/i

/**
 * Makes what asks addresses that people typed. Only public ones are reached, and those of `allow`; each redirect is checked like the
 * first address. Limits of time and size hold whatever the other side does.
 */
export function makeSafeFetch(options: Options): SafeFetch {
  const { allow, publicUrl = '', resolve = systemResolve, connectMs = 5_000, headersMs = 10_000 } = options
  const reach = options.reach ?? reachOf(allow)
  const userAgent = userAgentOf(publicUrl)

  /** Asks one address, without following anything. */
  async function askOnce(hop: Hop, request: SafeRequest, patience: Patience) {
    const { url, body, mayBeAllowed } = hop
    const connection = checkedConnection(url, { reach, resolve, connectMs, mayBeAllowed })
    try {
      const asked = () =>
        connection.agent.request({
          ...{ origin: url.origin, path: url.pathname + url.search, method: request.method ?? 'GET' },
          headers: {
            ...{ 'user-agent': userAgent, accept: '*/*', 'accept-encoding': acceptedPackings },
            ...lowerCased({ ...request.headers, ...hop.secretHeaders }),
          },
          ...{ body: body ?? null, reset: true, signal: patience.signal },
        })
      const answer = await patience.wait(asked, connectMs + headersMs)
      return { connection, ...answer }
    } catch (error) {
      end(connection)
      if (!(error instanceof FetchError) || !connection.wasMade()) throw error
      throw new FetchError(error.failure, error.message, { cause: error.cause, mayHaveArrived: true })
    }
  }

  return async (address, request) => {
    const { method = 'GET', limits } = request
    const most = request.redirects ?? (method === 'GET' ? usualRedirects : 0)
    checkHeaders({ ...request.headers, ...request.secretHeaders })
    const plain = Object.entries(request.headers ?? {})
    const bare = {
      ...request,
      headers: Object.fromEntries(plain.filter(([name]) => !credentials.test(name))),
    }
    const secret = Object.fromEntries(plain.filter(([name]) => credentials.test(name)))
    const patience = new Patience(limits.totalMs ?? usualTotalMs, request.signal)
    let hop: Hop = {
      ...{ url: readAddress(address), body: request.body, mayBeAllowed: request.publicOnly !== true },
      secretHeaders: { ...secret, ...request.secretHeaders },
    }
    let lasts = true
    for (let hops = 0; ; hops++) {
      const { connection, statusCode, headers: received, body } = await askOnce(hop, bare, patience)
      // Nobody may be reading it when the connection breaks.
      body.on('error', () => {})
      const headers = readHeaders(received)
      const cancel = () => {
        body.destroy()
        end(connection)
      }
      const location = most > 0 && followsOn(method, statusCode) ? headers.get('location') : null
      if (location === null) {
        const response: SafeResponse = {
          ...{ status: statusCode, headers, url: hop.url.href, isPublic: connection.isPublic(), cancel },
          movedTo: hops > 0 && lasts ? hop.url.href : undefined,
          body: boundedBody({ body, headers, limits, patience, cancel }),
        }
        return response
      }
      cancel()
      if (hops >= most)
        throw new FetchError(
          'redirects',
          `It leads on more than ${most} times. Enter the address it ends at.`,
        )
      lasts &&= lastingStatuses.has(statusCode)
      const from = { status: statusCode, headers, isPublic: connection.isPublic() }
      hop = nextHop(hop, location, from.isPublic)
      await request.beforeRedirect?.(hop.url, from)
    }
  }
}

/** Where a redirect leads. Credentials stay with the first origin, and don't come back with a redirect to it. */
function nextHop(hop: Hop, location: string, wasPublic: boolean): Hop {
  // Headers are read as bytes; servers write addresses with letters of any language in UTF-8.
  const target = Buffer.from(location, 'latin1').toString()
  if (!URL.canParse(target, hop.url.href))
    throw new FetchError('redirects', 'It leads on to something that is no address.')
  const url = readAddress(new URL(target, hop.url.href).href)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    throw new FetchError('redirects', 'It leads from https to http, which anybody on the way can read.')
  const isSame = url.origin === hop.url.origin
  if (!isSame && hop.body !== undefined)
    throw new FetchError(
      'redirects',
      'It leads to another site, which is not sent what was meant for this one.',
    )
  return {
    ...{ url, body: hop.body, secretHeaders: isSame ? hop.secretHeaders : {} },
    mayBeAllowed: hop.mayBeAllowed && !wasPublic,
  }
}

/** A body is sent again only where the answer says so; then it is the same request. */
function followsOn(method: SafeRequest['method'], status: number): boolean {
  return method === 'GET' ? redirectStatuses.has(status) : status === 307 || status === 308
}

function readAddress(address: string): URL {
  const url = address.length <= longestAddress && URL.canParse(address) ? new URL(address) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new FetchError(
      'address',
      'That is no address that can be asked. It begins with https:// or http://.',
    )
  if (url.username !== '' || url.password !== '')
    throw new FetchError('address', 'An address must hold no user and no password.')
  url.hash = ''
  return url
}

function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) throw new FetchError('address', `The header ${name} can’t be set.`)
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new FetchError(
        'address',
        'The name or the value of a header holds characters that can’t be sent.',
      )
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function readHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}

function end({ agent }: CheckedConnection): void {
  agent.destroy().catch(() => {})
}

function userAgentOf(publicUrl: string): string {
  const manifest: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  )
  return `Dealdeck/${String(manifest.version)}${publicUrl === '' ? '' : ` (+${publicUrl})`}`
}

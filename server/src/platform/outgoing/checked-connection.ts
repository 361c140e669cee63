import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { Reach } from './public-addresses.ts'
import { FetchError } from './safe-fetch.ts'

/** All IP addresses of a name, as the system finds them. Throws what Node's `dns.lookup` throws. */
export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>

export const systemResolve: Resolve = (name) => lookUp(name, { all: true })

/** Ports of the web, and those that a program takes without special rights. */
const publicPorts = new Set([80, 443, 8080, 8443])
const firstFreePort = 1025

const usualPort: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** A connection to one origin, for one request. */
export type CheckedConnection = {
  agent: Agent
  /** Whether the address that was connected to is public; false before. */
  isPublic(): boolean
  /** Whether it stands, or has stood: before, nobody can have got anything. */
  wasMade(): boolean
}

type Options = {
  reach(address: string): Reach
  resolve: Resolve
  connectMs: number
  /** False where a public address has led here: nobody outside may lead us into a network that FETCH_ALLOW opens. */
  mayBeAllowed: boolean
}

/**
 * Prepares a connection that is made only when every address of the host may be reached: a literal is judged here, names at the
 * moment of connecting, and what was connected to once more. Throws a FetchError, as the connection does.
 */
export function checkedConnection(url: URL, { reach, resolve, connectMs, mayBeAllowed }: Options) {
  const port = Number(url.port) || usualPort[url.protocol] || 0
  const check = (address: string): Reach => {
    const found = reach(address)
    if (found.isAllowed && mayBeAllowed) return found
    if (!found.isPublic) throw notPublic()
    if (!publicPorts.has(port) && port < firstFreePort) throw closedPort()
    return found
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  // The system isn't asked for these, so `lookup` below would not be called.
  if (isIP(literal) !== 0) check(literal)

  const lookup: LookupFunction = (name, options, callback) => {
    resolve(name).then(
      (found) => {
        try {
          const [first] = found
          if (!first) throw new FetchError('name', 'There is no such host. Check the address.')
          for (const { address } of found) check(address)
          if (options.all) callback(null, found)
          else callback(null, first.address, first.family)
        } catch (error) {
          callback(error instanceof Error ? error : new Error(String(error)), '')
        }
      },
      (error: Error) => callback(error, ''),
    )
  }
  let [isPublic, wasMade] = [false, false]
  const connect = buildConnector({
    ...{ lookup, timeout: connectMs, allowH2: false, maxCachedSessions: 0, rejectUnauthorized: true },
  })
  const agent = new Agent({
    ...{ connections: 1, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 },
    connect: (options, callback) =>
      connect(options, (...connected) => {
        const [error, socket] = connected
        if (error !== null) return callback(...connected)
        try {
          isPublic = check(socket.remoteAddress ?? '').isPublic
          wasMade = true
          callback(null, socket)
        } catch (refusal) {
          socket.destroy()
          callback(refusal instanceof Error ? refusal : new Error(String(refusal)), null)
        }
      }),
  })
  const connection: CheckedConnection = { agent, isPublic: () => isPublic, wasMade: () => wasMade }
  return connection
}

function notPublic(): FetchError {
  return new FetchError(
    'private',
    'That address is not public, so it is not asked. Whoever runs Dealdeck can allow its network with the setting FETCH_ALLOW.',
  )
}

function closedPort(): FetchError {
  return new FetchError(
    'address',
    'Only the ports 80, 443, 8080, 8443 and those above 1024 are asked. Whoever runs Dealdeck can allow others with the setting FETCH_ALLOW.',
  )
}

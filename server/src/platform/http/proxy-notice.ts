import { isIP, type Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../settings.ts'
import { trusts } from './trusted-proxies.ts'

/** What proxies add that say nothing of the caller's address. */
const proxyHeaders = ['x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

const silent =
  'A proxy passes requests on without X-Forwarded-For: all users seem to come from its one address and share its limits ' +
  'of sign-ins. Let the proxy set X-Forwarded-For to the address of its caller.'
const foreign =
  'Requests with X-Forwarded-For come from an address that is not in TRUSTED_PROXIES, so all of them count as that ' +
  'address, which has one limit of sign-ins. If it is your proxy, name it in TRUSTED_PROXIES.'

/** Warns, once each, when requests come through a proxy that states nobody's address, or isn't believed. */
export function noteProxies(
  app: FastifyInstance,
  { PUBLIC_URL, TRUSTED_PROXIES }: Pick<Settings, 'PUBLIC_URL' | 'TRUSTED_PROXIES'>,
): void {
  const isTrusted = trusts(TRUSTED_PROXIES)
  const isNear = trusts(['linklocal', 'uniquelocal'])
  const publicHost = PUBLIC_URL === '' ? undefined : new URL(PUBLIC_URL).host
  const warned = new Set<string>()
  /** Connections of which it is known whether they are believed. */
  const seen = new WeakSet<Socket>()
  const warn = (message: string, address: string | undefined) => {
    if (warned.has(message)) return
    warned.add(message)
    app.log.warn({ proxy: address }, message)
  }
  // With a callback, and looking at addresses last: every request comes by here.
  app.addHook('onRequest', ({ headers, socket }, _, done) => {
    const isStated = headers['x-forwarded-for'] !== undefined
    const isSilent =
      !warned.has(silent) && !statesAddress(headers) && (isFromProxy(headers) || headers.host === publicHost)
    const mayBeForeign = isStated && !warned.has(foreign) && !seen.has(socket)
    if (!isSilent && !mayBeForeign) return done()
    seen.add(socket)
    const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '')
    if (isTrusted(peer)) {
      if (isSilent) warn(silent, peer)
    } else if (isStated && isNear(peer)) warn(foreign, peer)
    done()
  })
}

type Headers = FastifyRequest['headers']

function statesAddress({ 'x-forwarded-for': stated }: Headers): boolean {
  return stated !== undefined && isIP(String(stated).split(',').at(-1)?.trim() ?? '') !== 0
}

function isFromProxy(headers: Headers): boolean {
  return proxyHeaders.some((name) => headers[name] !== undefined)
}

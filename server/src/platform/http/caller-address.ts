import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The IP address a request comes from: the caller's when a proxy on this machine states it, else the connection's. A proxy
 * that passes on whatever the caller claims may state anything; what is no address doesn't count.
 */
export function callerAddress(request: FastifyRequest): string {
  const stated = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '')
  return stated.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** Where a caller is: their network, and the site that it belongs to. */
export type NetworkAndSite = { network: string; site: string }

export function networkAndSiteOf(address: string): NetworkAndSite {
  return { network: networkOf(address), site: prefixOf(address, 3) }
}

/** What one caller can vary at no cost: an IPv4 address is itself, an IPv6 address its first 64 bits. */
export function networkOf(address: string): string {
  return prefixOf(address, 4)
}

/** The first groups of 16 bits of an IPv6 address. Providers give a site up to 48 bits, 65,536 networks of 64. */
function prefixOf(address: string, groups: number): string {
  if (isIP(address) !== 6) return address
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const before = start === '' ? [] : start.split(':')
  const after = end === undefined || end === '' ? [] : end.split(':')
  const all = [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${all
    .slice(0, groups)
    .map((group: string) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/${groups * 16}`
}

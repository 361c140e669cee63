import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The IP address a request comes from: the caller's when a proxy on this machine tells it, else the connection's. A proxy
 * that passes on whatever the caller claims may tell anything; what is no address doesn't count.
 */
export function callerAddress(request: FastifyRequest): string {
  const told = isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? '')
  return told.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** What one caller can vary at no cost: an IPv4 address is itself, an IPv6 address its first 64 bits. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const before = start === '' ? [] : start.split(':')
  const after = end === undefined || end === '' ? [] : end.split(':')
  const groups = [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group: string) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

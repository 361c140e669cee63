import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { noteError } from './http-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers by whatever name it is asked, or none: probes and scrapers go to each process by a name of their own. */
    anyHost?: true
  }
}

type HostSettings = Pick<Settings, 'PUBLIC_URL' | 'HOST'>

/**
 * Refuses requests that come by a name which isn't this installation's. A page of another site can make its own name
 * mean this machine, and would then read here like one of our pages.
 */
export function refuseForeignHosts(app: FastifyInstance, settings: HostSettings): void {
  const isOwn = ownNames(settings)
  // With a callback, not async: a promise for each request would be the dearer half of it.
  let lastOwn: string | undefined
  app.addHook('onRequest', (request, reply, done) => {
    const { host } = request.headers
    // Nearly all requests come by one name, and say it once.
    if (host !== undefined && host === lastOwn && request.host === host && request.url.startsWith('/'))
      return done()
    const error = hostError(request, settings, isOwn)
    if (error === undefined && !request.routeOptions.config?.anyHost) lastOwn = host
    if (error === undefined || !isNavigation(request)) return done(error)
    // Somebody stands before it: a sentence, not JSON.
    noteError(error, request, reply)
    reply.status(421).header('cache-control', 'no-store').type('text/plain; charset=utf-8')
    reply.send(`${error.message}\n`)
  })
}

/** The name in a Host header, in lower case, without port and brackets; undefined when it isn't exactly one. */
export function nameIn(host: string): string | undefined {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([\w.-]{1,253}))(?::\d{1,5})?$/i.exec(host) ?? []
  return (address ?? name)?.toLowerCase().replace(/\.$/, '')
}

/** Where this installation is reached, such as `https://deals.example.org`: as `publicUrl` says, the setting, else as it was asked. */
export function originOf(request: FastifyRequest, publicUrl: string): string {
  return publicUrl === '' ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin
}

/** Whether a name or address means the machine it is used on, whoever says it. */
export function isLoopbackName(name: string): boolean {
  return /(^|\.)localhost$/.test(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/**
 * With PUBLIC_URL its host, and loopback. Without it whatever only this machine or its own network can be reached by:
 * addresses, loopback, and the machine's own name.
 */
function ownNames({ PUBLIC_URL, HOST }: HostSettings): (name: string) => boolean {
  if (PUBLIC_URL !== '') {
    const own = nameIn(new URL(PUBLIC_URL).host)
    return (name) => name === own || isLoopbackName(name)
  }
  const machine = hostname().toLowerCase()
  const [first = machine] = machine.split('.')
  const names = new Set([machine, first, `${first}.local`, HOST.toLowerCase()])
  return (name) => isIP(name) !== 0 || isLoopbackName(name) || names.has(name)
}

function hostError(
  request: FastifyRequest,
  { PUBLIC_URL }: HostSettings,
  isOwn: (name: string) => boolean,
): AppError | undefined {
  for (const host of hostsOf(request)) {
    const name = nameIn(host)
    if (name !== undefined && isOwn(name)) continue
    // Asked only now: it is the dearer question, and most requests come by a known name.
    const { anyHost } = request.routeOptions.config
    if (anyHost && (name !== undefined || host === '')) continue
    if (name === undefined)
      return new AppError('INVALID_INPUT', 'A request needs one Host header with one name.')
    return new AppError('FOREIGN_HOST', refusal(host, PUBLIC_URL))
  }
  return undefined
}

/** All that a request says of where it is going, empty when it says nothing. */
function hostsOf({ headers, host, url }: FastifyRequest): string[] {
  const hosts = [headers.host ?? '']
  // What a trusted proxy was asked by. It may only add a reason to refuse: whoever asks can claim it.
  if (host !== headers.host && host !== '') hosts.push(host)
  // The form that proxies are asked in names the host once more.
  if (!url.startsWith('/') && url !== '*') hosts.push(URL.parse(url)?.host ?? '')
  return hosts
}

function refusal(host: string, publicUrl: string): string {
  if (publicUrl !== '')
    return `Dealdeck does not answer at ${host}, only at the address in its setting PUBLIC_URL.`
  return `Dealdeck does not answer at ${host}. Whoever runs it sets PUBLIC_URL to the address users open, such as http://${host}.`
}

function isNavigation({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true
}

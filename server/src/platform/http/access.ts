import type { Access } from '@dealdeck/contract/access'
import type {} from '@fastify/cookie'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify'
import {
  type LiveSession,
  type Sessions,
  type SignedInUser,
  sessionLifetimeMs,
  toKey,
} from '../accounts/sessions.ts'
import { AppError } from '../errors.ts'
import { memberContext } from '../member-context.ts'
import { callerAddress } from './caller-address.ts'
import { cancelWhenGone } from './gone-signal.ts'
import { callerOf } from './http-errors.ts'
import { isSecure } from './security-headers.ts'

/** Who is calling. A token stands for a script that may only hand in deals. */
export type Caller =
  | { kind: 'nobody' }
  | { kind: 'session'; session: LiveSession; token: string }
  | { kind: 'token'; id: number; name: string }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call this route. Every route must say; one that doesn't fails at start. */
    access?: Access
  }
  interface FastifyRequest {
    caller: Caller
    /** When the caller was let in, in milliseconds of the process's clock. */
    admittedAt: number
  }
}

export const sessionCookie = 'dealdeck_session'
const deviceCookie = 'dealdeck_device'

/** Over https a browser takes a cookie of this name from this very host only, so none can be planted from beside it. */
export const hostSessionCookie = `__Host-${sessionCookie}` as const

/** The cookie a request's session is in, and whether it may travel over https only. `publicUrl` is the setting. */
export function sessionCookieOf(request: FastifyRequest, publicUrl = ''): { name: string; secure: boolean } {
  const secure = isSecure(request, publicUrl)
  return { name: secure ? hostSessionCookie : sessionCookie, secure }
}

/** Puts a session's token into the browser's cookie, for as long as the session lasts without being used. */
export function giveSessionCookie(reply: FastifyReply, publicUrl: string | undefined, token: string): void {
  const { name, secure } = sessionCookieOf(reply.request, publicUrl)
  const maxAge = sessionLifetimeMs / 1000
  reply.setCookie(name, token, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge })
}

/** The same of the cookie by which a device is known. */
export function deviceCookieOf(request: FastifyRequest, publicUrl = ''): { name: string; secure: boolean } {
  const secure = isSecure(request, publicUrl)
  return { name: secure ? `__Host-${deviceCookie}` : deviceCookie, secure }
}

/** A caller let in is not checked again for so long, in milliseconds: as long as nothing but the answer is waited for. */
const admissionTtlMs = 500

export type AccessOptions = {
  sessions: Sessions
  /** Looks an import token up; undefined when nobody knows it. */
  findToken: (token: string) => Promise<{ id: number; name: string } | undefined>
  /** The origin users reach the application by, when it isn't simply the Host header's. */
  publicOrigin: string | undefined
  /** Called for each request once its caller is known, and before any of theirs is refused: a refusal is work as well. */
  limit?: onRequestHookHandler
}

/** Tells who calls, also a route that is open. Throws as `Lookups` does. */
export type Identify = (reply: FastifyReply) => Caller | Promise<Caller>

/** Settles for every request who calls and whether the route's declared access admits that caller. */
export function enforceAccess(app: FastifyInstance, options: AccessOptions): Identify {
  app.decorateRequest('caller')
  app.decorateRequest('admittedAt', 0)
  app.decorateReply('gone', undefined)
  app.decorateReply('goneSignal', undefined)
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  // Checked once all are there: a static folder's routes get their access from their own scope, later than this hook.
  app.addHook('onReady', async () => {
    for (const { method, url, config } of routes) {
      if (!config?.access) throw new Error(`Route ${String(method)} ${url} declares no access`)
    }
  })
  // With callbacks: nearly all sessions are known at once, and a promise for each request is what it would cost.
  app.addHook('onRequest', (request, reply, done) => {
    const access = accessOf(request)
    refuseForeignOrigin(request, options.publicOrigin)
    const letIn = (caller: Caller) => {
      request.caller = caller
      if (caller.kind === 'nobody') admit(request, access)
      request.admittedAt = performance.now()
    }
    const goOn = () => {
      if (request.caller.kind === 'nobody') done()
      else memberContext.run(callerOf(request) ?? '', done)
    }
    const caller = access === 'open' ? nobody : identify(reply, options)
    if (caller instanceof Promise) return void caller.then(letIn).then(goOn, done)
    letIn(caller)
    goOn()
  })
  if (options.limit) app.addHook('onRequest', options.limit)
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.caller.kind !== 'nobody') {
      const access = accessOf(request)
      admit(request, access)
      refuseFallbackChanges(request, access)
    }
    done()
  })
  // Waiting for its turn, or for its body, a request may have outlived the rights of whoever sent it.
  app.addHook('preHandler', (request, reply, done) => {
    const { caller, admittedAt } = request
    if (caller.kind === 'nobody' || performance.now() - admittedAt < admissionTtlMs) return done()
    const again = async () => {
      request.caller = await identify(reply, options)
      admit(request, accessOf(request))
    }
    again().then(() => done(), done)
  })
  return (reply) => identify(reply, options)
}

/** The signed-in session of a request whose route needs one. */
export function requireSession(request: FastifyRequest): LiveSession {
  if (request.caller.kind !== 'session') throw unauthenticated(request)
  return request.caller.session
}

/**
 * The account of such a request, for what is a member's own. A built-in account that stands in while the database is away has
 * nothing of its own, and should the database come back this very moment, nothing is shown as if it were all.
 */
export function requireAccount(request: FastifyRequest): SignedInUser {
  const { user, isFallback } = requireSession(request)
  if (!isFallback) return user
  throw new AppError(
    'DATABASE_UNAVAILABLE',
    'The database can not be reached, so nothing of yours can be read or changed now.',
  )
}

export function isAdmin(request: FastifyRequest): boolean {
  return request.caller.kind === 'session' && request.caller.session.user.role === 'admin'
}

/** What limits of a member count by: all sessions of a user are one, a token is itself. */
export function memberOf({ caller }: Pick<FastifyRequest, 'caller'>): string {
  if (caller.kind === 'session') return `user ${caller.session.user.id}`
  return caller.kind === 'token' ? `token ${caller.id}` : caller.kind
}

const nobody: Caller = { kind: 'nobody' }

function identify(
  reply: FastifyReply,
  { sessions, findToken, publicOrigin }: AccessOptions,
): Caller | Promise<Caller> {
  const { request } = reply
  const asker = { address: () => callerAddress(request), gone: () => cancelWhenGone(reply) }
  const bearer = /^Bearer ([A-Za-z0-9_-]{1,200})$/.exec(request.headers.authorization ?? '')?.[1]
  if (bearer?.startsWith('dd_'))
    return sessions.tokenLookups
      .find(toKey(bearer), asker, () => findToken(bearer))
      .then((token) => (token ? { kind: 'token', ...token } : nobody))
  const token = bearer ?? request.cookies[sessionCookieOf(request, publicOrigin).name]
  if (!token) return nobody
  const toCaller = (session: LiveSession | null): Caller => {
    if (!session) return nobody
    if (session.isProlonged && bearer === undefined) giveSessionCookie(reply, publicOrigin, token)
    return { kind: 'session', session, token }
  }
  const found = sessions.find(token, asker)
  return found instanceof Promise ? found.then(toCaller) : toCaller(found)
}

function accessOf({ is404, routeOptions }: FastifyRequest): Access {
  return is404 ? 'open' : (routeOptions.config.access ?? 'admin')
}

function admit(request: FastifyRequest, access: Access): void {
  const { caller } = request
  if (access === 'open') return
  if (caller.kind === 'nobody') throw unauthenticated(request)
  if (access === 'admin_or_token' && caller.kind === 'token') return
  if (caller.kind === 'token') throw new AppError('FORBIDDEN', 'An import token may only import deals.')
  if (access === 'user' || caller.session.user.role === 'admin') return
  throw new AppError('FORBIDDEN', 'You need administrator privileges to access this feature.')
}

/** A built-in account only looks: should the database come back this very moment, nothing is changed in its name. */
function refuseFallbackChanges({ caller, method }: FastifyRequest, access: Access): void {
  if (caller.kind !== 'session' || !caller.session.isFallback) return
  if (access === 'user' || method === 'GET' || method === 'HEAD') return
  throw new AppError(
    'DATABASE_UNAVAILABLE',
    'The database can not be reached, so nothing can be changed now.',
  )
}

/** A browser sends its cookie wherever a page points it, so changes must come from our own pages. */
function refuseForeignOrigin(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return
  const { origin, host } = request.headers
  const cookie = request.cookies[sessionCookie] ?? request.cookies[hostSessionCookie]
  const hasCookie = cookie !== undefined && !request.headers.authorization
  if (origin === undefined) {
    if (!hasCookie) return
    throw new AppError('FOREIGN_ORIGIN', 'A change with a cookie needs an Origin header of this site.')
  }
  if (origin === publicOrigin) return
  // Where users come by https, a page of the same host over http may be anybody's.
  const isDowngrade = publicOrigin?.startsWith('https:') && origin === publicOrigin.replace(/^https/, 'http')
  // An origin is a scheme and a host; what has more to it, no browser has sent.
  const isOrigin = /^https?:\/\/[^\s/?#@\\]+$/i.test(origin) && URL.canParse(origin)
  if (!isDowngrade && isOrigin && new URL(origin).host === host) return
  throw new AppError('FOREIGN_ORIGIN', 'This request came from another site and was refused.')
}

function unauthenticated({ headers }: FastifyRequest): AppError {
  const hasToken = headers.authorization?.startsWith('Bearer dd_')
  const message = hasToken
    ? 'This import token is not known: it was removed, or not copied whole. An administrator can make a new one.'
    : 'Please sign in.'
  return new AppError('UNAUTHENTICATED', message)
}

import { handledContract } from '@dealdeck/contract/api'
import type { ErrorCode } from '@dealdeck/contract/errors'
import { implement } from '@orpc/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireSession, sessionCookieOf } from '../../platform/access.ts'
import type { BuiltInAccounts } from '../../platform/built-in-accounts.ts'
import { callerAddress } from '../../platform/caller-address.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { isDatabaseGone, noteEvent, toAppError } from '../../platform/http-errors.ts'
import type { Metrics, SignInOutcome } from '../../platform/metrics.ts'
import type { Sessions } from '../../platform/sessions.ts'
import type { Settings } from '../../platform/settings.ts'
import { type SignInThrottle, signIn, signUp } from './actions.ts'

const contract = implement(handledContract.session).$context<CallContext>()
const cookieSeconds = 30 * 24 * 60 * 60

export function sessionHandlers(
  { databases, settings }: AppDeps,
  sessions: Sessions,
  throttle: SignInThrottle,
  builtIn: BuiltInAccounts,
  metrics: Metrics,
) {
  return {
    signIn: contract.signIn.handler(async ({ input, context: { request, reply } }) => {
      const userAgent = request.headers['user-agent'] ?? ''
      const attempt = { ...input, address: callerAddress(request), userAgent }
      const { user, token } = await signIn({ databases, sessions, throttle, builtIn }, attempt).catch(
        (error: unknown) => {
          metrics.signIn(outcomes[toAppError(error).code] ?? 'failed')
          throw error
        },
      )
      metrics.signIn('ok')
      await replaceSession(settings, sessions, request, reply, token)
      noteEvent(request, 'signed in', user.id)
      return user
    }),
    current: contract.current.handler(({ context }) => {
      const { user, isFallback } = requireSession(context.request)
      return isFallback ? { ...user, is_fallback: true as const } : user
    }),
    signOut: contract.signOut.handler(async ({ context: { request, reply } }) => {
      if (request.caller.kind === 'session') await sessions.end(request.caller.token)
      noteEvent(request, 'signed out')
      const { name, secure } = sessionCookieOf(request, settings.PUBLIC_URL)
      reply.clearCookie(name, { path: '/', httpOnly: true, sameSite: 'lax', secure })
    }),
    signUp: contract.signUp.handler(async ({ input, context }) => {
      await throttle.signUp(callerAddress(context.request))
      const user = await signUp(databases, settings, input)
      noteEvent(context.request, 'signed up', user.id)
      return user
    }),
  }
}

const outcomes: Partial<Record<ErrorCode, SignInOutcome>> = {
  INVALID_CREDENTIALS: 'wrong',
  ACCOUNT_PENDING: 'pending',
  TOO_MANY_REQUESTS: 'throttled',
  DATABASE_UNAVAILABLE: 'unavailable',
}

/** Hands out the new session's cookie, and ends the session that was in the browser until now. */
async function replaceSession(
  settings: Settings,
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  const { name, secure } = sessionCookieOf(request, settings.PUBLIC_URL)
  const before = request.cookies[name]
  // While the database is away the old session can't be ended, nor used; whoever signs in now must get in.
  if (before) await sessions.end(before).catch(ignoreIfGone)
  reply.setCookie(name, token, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: cookieSeconds })
}

function ignoreIfGone(error: unknown): void {
  if (!isDatabaseGone(error)) throw error
}

import { handledContract } from '@dealdeck/contract/api'
import type { ErrorCode } from '@dealdeck/contract/errors'
import { implement } from '@orpc/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BuiltInAccounts } from '../../platform/accounts/built-in-accounts.ts'
import type { KnownDevices } from '../../platform/accounts/known-devices.ts'
import type { Sessions } from '../../platform/accounts/sessions.ts'
import type { SignInThrottle } from '../../platform/accounts/sign-in-throttle.ts'
import { UnconfirmedError } from '../../platform/database/unconfirmed-commits.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import {
  deviceCookieOf,
  giveSessionCookie,
  requireSession,
  sessionCookieOf,
} from '../../platform/http/access.ts'
import { callerAddress, networkAndSiteOf } from '../../platform/http/caller-address.ts'
import { goneSignal } from '../../platform/http/gone-signal.ts'
import { isDatabaseGone, isGivenUp, noteEvent, toAppError } from '../../platform/http/http-errors.ts'
import type { Metrics, SignInOutcome } from '../../platform/observing/metrics.ts'
import type { Settings } from '../../platform/settings.ts'
import { signIn, signUp } from './actions.ts'

const contract = implement(handledContract.session).$context<CallContext>()
/** As long as browsers keep any. */
const deviceSeconds = 400 * 24 * 60 * 60

export function sessionHandlers(
  { databases, settings, signInFloorMs }: AppDeps,
  sessions: Sessions,
  throttle: SignInThrottle,
  devices: KnownDevices,
  builtIn: BuiltInAccounts,
  metrics: Metrics,
) {
  return {
    signIn: contract.signIn.handler(async ({ input, context: { request, reply } }) => {
      const userAgent = request.headers['user-agent'] ?? ''
      const device = deviceCookieOf(request, settings.PUBLIC_URL)
      const deviceCookie = request.cookies[device.name]
      const gone = goneSignal(reply)
      const attempt = { ...input, address: callerAddress(request), userAgent, deviceCookie, gone }
      const deps = { databases, sessions, throttle, devices, builtIn, floorMs: signInFloorMs }
      const signedIn = await signIn(deps, attempt).catch((error: unknown) => {
        // Whoever left before their turn has tried nothing.
        if (!isGivenUp(error)) metrics.signIn(outcomes[toAppError(error).code] ?? 'failed')
        throw error
      })
      metrics.signIn('ok')
      await replaceSession(settings, sessions, request, reply, signedIn.token)
      if (signedIn.deviceCookie !== undefined)
        reply.setCookie(device.name, signedIn.deviceCookie, {
          ...{ path: '/', httpOnly: true, sameSite: 'strict', secure: device.secure, maxAge: deviceSeconds },
        })
      noteEvent(request, 'signed in', signedIn.user.id)
      return signedIn.user
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
    signUp: contract.signUp.handler(async ({ input, context: { request, reply } }) => {
      const caller = networkAndSiteOf(callerAddress(request))
      const work = () => signUp(databases, settings, input)
      const user = await throttle.signUp(caller, work, goneSignal(reply))
      noteEvent(request, 'signed up', user.id)
      return user
    }),
  }
}

const outcomes: Partial<Record<ErrorCode, SignInOutcome>> = {
  INVALID_CREDENTIALS: 'wrong',
  ACCOUNT_PENDING: 'pending',
  TOO_MANY_REQUESTS: 'throttled',
  DATABASE_UNAVAILABLE: 'unavailable',
  BUSY: 'unavailable',
}

/** Hands out the new session's cookie, and ends the session that was in the browser until now. */
async function replaceSession(
  settings: Settings,
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  const before = request.cookies[sessionCookieOf(request, settings.PUBLIC_URL).name]
  // While the database is away the old session can't be ended, nor used, and without a standby that is waited for its end
  // may still be lost; whoever signs in now must get in.
  if (before) await sessions.end(before).catch(ignoreOutage)
  giveSessionCookie(reply, settings.PUBLIC_URL, token)
}

function ignoreOutage(error: unknown): void {
  if (!isDatabaseGone(error) && !(error instanceof UnconfirmedError)) throw error
}

import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireSession, sessionCookie } from '../../platform/access.ts'
import type { BuiltInAccounts } from '../../platform/built-in-accounts.ts'
import { callerAddress } from '../../platform/caller-address.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
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
) {
  return {
    signIn: contract.signIn.handler(async ({ input, context: { request, reply } }) => {
      const userAgent = request.headers['user-agent'] ?? ''
      const attempt = { ...input, address: callerAddress(request), userAgent }
      const { user, token } = await signIn({ databases, sessions, throttle, builtIn }, attempt)
      setCookie(settings, request, reply, token)
      return user
    }),
    current: contract.current.handler(({ context }) => {
      const { user, isFallback } = requireSession(context.request)
      return isFallback ? { ...user, is_fallback: true as const } : user
    }),
    signOut: contract.signOut.handler(async ({ context: { request, reply } }) => {
      if (request.caller.kind === 'session') await sessions.end(request.caller.token)
      reply.clearCookie(sessionCookie, { path: '/' })
    }),
    signUp: contract.signUp.handler(async ({ input, context }) => {
      await throttle.signUp(callerAddress(context.request))
      return signUp(databases, settings, input)
    }),
  }
}

function setCookie(settings: Settings, request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(sessionCookie, token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https' || settings.PUBLIC_URL.startsWith('https:'),
    maxAge: cookieSeconds,
  })
}

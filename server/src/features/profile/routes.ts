import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { SignInThrottle } from '../../platform/accounts/sign-in-throttle.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireSession } from '../../platform/http/access.ts'
import { noteEvent } from '../../platform/http/http-errors.ts'
import { changePassword, endOtherSessions, endOwnSession } from './actions.ts'
import { listSessions } from './queries.ts'

const contract = implement(handledContract.profile).$context<CallContext>()

export function profileHandlers({ databases }: AppDeps, throttle: SignInThrottle) {
  return {
    changePassword: contract.changePassword.handler(async ({ input, context: { request } }) => {
      await changePassword(databases, throttle, requireSession(request), input)
      noteEvent(request, 'password changed')
    }),
    sessions: contract.sessions.handler(({ input, context }) =>
      listSessions(databases.db, requireSession(context.request), input),
    ),
    endSession: contract.endSession.handler(({ input, context }) =>
      endOwnSession(databases, requireSession(context.request), input.id),
    ),
    endOtherSessions: contract.endOtherSessions.handler(({ context }) =>
      endOtherSessions(databases, requireSession(context.request)),
    ),
  }
}

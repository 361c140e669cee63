import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { BuiltInAccounts } from '../../platform/accounts/built-in-accounts.ts'
import type { Sessions } from '../../platform/accounts/sessions.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireSession } from '../../platform/http/access.ts'
import { isDatabaseGone } from '../../platform/http/http-errors.ts'
import { addUser, removeUser, updateUser } from './actions.ts'
import { listUsers } from './queries.ts'
import { builtInPage } from './rules.ts'

const contract = implement(handledContract.users).$context<CallContext>()

export function userHandlers({ databases }: AppDeps, sessions: Sessions, builtIn: BuiltInAccounts) {
  return {
    list: contract.list.handler(({ input }) =>
      listUsers(databases.db, input).catch((error: unknown) => {
        if (!isDatabaseGone(error)) throw error
        return builtInPage(builtIn.list, input, ({ username }) => sessions.fallback.count(username))
      }),
    ),
    create: contract.create.handler(({ input, context }) =>
      addUser(databases, requireSession(context.request).user, input),
    ),
    update: contract.update.handler(({ input: { id, ...change }, context }) =>
      updateUser(databases, requireSession(context.request).user, id, change),
    ),
    remove: contract.remove.handler(({ input, context }) =>
      removeUser(databases, requireSession(context.request).user, input.id),
    ),
  }
}

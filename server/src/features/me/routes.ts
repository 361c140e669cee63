import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'
import { requireSession } from '../../platform/http/access.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { addItem, changeItem, mergeItems, removeItem } from './actions.ts'
import { listItems } from './queries.ts'

const contract = implement(handledContract.me).$context<CallContext>()

/**
 * The account that asks; each query and change names it. A built-in account that stands in while the database is away has
 * no entries, and should the database come back this very moment, none are shown as if they were all.
 */
function accountOf({ request }: CallContext): number {
  const { user, isFallback } = requireSession(request)
  if (!isFallback) return user.id
  throw new AppError(
    'DATABASE_UNAVAILABLE',
    'The database can not be reached, so nothing of yours can be read or changed now.',
  )
}

/** `gate` gives the turns at changes: nobody's take the connections that everybody's changes need. */
export function meHandlers({ databases }: AppDeps, gate: MemberGate) {
  const change = async <T>(context: CallContext, work: (userId: number) => Promise<T>): Promise<T> => {
    const userId = accountOf(context)
    const turn = await takeTurn(gate, context.reply)
    return work(userId).finally(() => turn.end())
  }
  return {
    list: contract.list.handler(({ context }) => listItems(databases, accountOf(context))),
    create: contract.create.handler(({ input, context }) =>
      change(context, (userId) => addItem(databases, userId, input)),
    ),
    merge: contract.merge.handler(({ input, context }) =>
      change(context, (userId) => mergeItems(databases, userId, input.items, input.user_id)),
    ),
    update: contract.update.handler(({ input, context }) =>
      change(context, (userId) => changeItem(databases, userId, input)),
    ),
    remove: contract.remove.handler(({ input: { params, query }, context }) =>
      change(context, (userId) => removeItem(databases, userId, params.id, query.expected_updated_at)),
    ),
  }
}

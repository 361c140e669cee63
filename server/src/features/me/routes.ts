import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireAccount } from '../../platform/http/access.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { addItem, changeItem, mergeItems, removeItem } from './actions.ts'
import { listItems } from './queries.ts'

const contract = implement(handledContract.me).$context<CallContext>()

/** `gate` gives the turns at changes: nobody's take the connections that everybody's changes need. */
export function meHandlers({ databases }: AppDeps, gate: MemberGate) {
  const change = async <T>(context: CallContext, work: (userId: number) => Promise<T>): Promise<T> => {
    const userId = requireAccount(context.request).id
    const turn = await takeTurn(gate, context.reply)
    return work(userId).finally(() => turn.end())
  }
  return {
    list: contract.list.handler(({ context }) => listItems(databases, requireAccount(context.request).id)),
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

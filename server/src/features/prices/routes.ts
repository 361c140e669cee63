import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { isAdmin, requireSession } from '../../platform/http/access.ts'
import { markPrice } from './actions.ts'
import { findVerdict, listPrices } from './queries.ts'

const contract = implement(handledContract.prices).$context<CallContext>()

export function priceHandlers(deps: AppDeps) {
  const pool = deps.databases.customPlanPool
  const asked = ({ request }: CallContext) => ({
    includeHidden: isAdmin(request),
    now: deps.clock(),
    marketplace: deps.settings.MARKETPLACE,
  })
  return {
    list: contract.list.handler(({ input, context }) => listPrices(pool, input.id, asked(context))),
    verdict: contract.verdict.handler(({ input, context }) => findVerdict(pool, input.id, asked(context))),
    mark: contract.mark.handler(({ input, context }) =>
      markPrice(deps, input, requireSession(context.request).user),
    ),
  }
}

import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'
import { isAdmin } from '../../platform/http/access.ts'
import { listPrices } from './queries.ts'

const contract = implement(handledContract.prices).$context<CallContext>()

export function priceHandlers(deps: AppDeps) {
  const pool = deps.databases.customPlanPool
  return {
    list: contract.list.handler(({ input, context }) => listPrices(pool, input.id, isAdmin(context.request))),
    verdict: contract.verdict.handler(() => {
      throw new AppError('NOT_FOUND', 'Nothing is said of this price yet.')
    }),
    mark: contract.mark.handler(() => {
      throw new AppError('NOT_FOUND', 'There is no such price.')
    }),
  }
}

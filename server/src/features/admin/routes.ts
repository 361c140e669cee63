import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { countUnavailableDeals, readAdminStats } from './queries.ts'

const contract = implement(handledContract.admin).$context<CallContext>()

export function adminHandlers({ databases }: AppDeps) {
  return {
    stats: contract.stats.handler(() => readAdminStats(databases)),
    unavailableDeals: contract.unavailableDeals.handler(() => countUnavailableDeals(databases)),
  }
}

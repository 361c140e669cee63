import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { readUptime } from './queries.ts'

const contract = implement(handledContract.home).$context<CallContext>()

export function homeHandlers({ databases, clock, settings }: AppDeps) {
  return {
    current: contract.current.handler(async () => ({
      uptime: await readUptime(databases, clock()),
      community_url: settings.COMMUNITY_URL === '' ? null : settings.COMMUNITY_URL,
    })),
  }
}

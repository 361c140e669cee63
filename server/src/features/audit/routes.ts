import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { listActors, listEntries } from './queries.ts'

const contract = implement(handledContract.audit).$context<CallContext>()

export function auditHandlers({ databases }: AppDeps) {
  return {
    list: contract.list.handler(({ input }) => listEntries(databases, input)),
    actors: contract.actors.handler(() => listActors(databases)),
  }
}

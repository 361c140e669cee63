import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireSession } from '../../platform/http/access.ts'
import { refuseRows, releaseRows } from './actions.ts'
import { listHeld } from './queries.ts'

const contract = implement(handledContract.quarantine).$context<CallContext>()

export function quarantineHandlers({ databases, settings, clock }: AppDeps) {
  const marketplace = settings.MARKETPLACE
  return {
    list: contract.list.handler(({ input }) => listHeld(databases, marketplace, input)),
    release: contract.release.handler(({ input, context }) =>
      releaseRows({ databases, marketplace, clock }, input, requireSession(context.request).user),
    ),
    refuse: contract.refuse.handler(({ input, context }) =>
      refuseRows({ databases }, input, requireSession(context.request).user),
    ),
  }
}

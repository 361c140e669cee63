import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'

const contract = implement(handledContract.sources).$context<CallContext>()

export function sourceHandlers(_: AppDeps) {
  const missing = () => {
    throw new AppError('NOT_FOUND', 'This source no longer exists.')
  }
  return {
    list: contract.list.handler(() => ({ items: [] })),
    kinds: contract.kinds.handler(() => []),
    alarms: contract.alarms.handler(() => ({ held: 0, silent: [] })),
    create: contract.create.handler(missing),
    try: contract.try.handler(missing),
    change: contract.change.handler(missing),
    remove: contract.remove.handler(missing),
    run: contract.run.handler(missing),
    runs: contract.runs.handler(() => ({ items: [], next_cursor: null })),
  }
}

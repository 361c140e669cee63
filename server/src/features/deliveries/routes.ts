import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'

const contract = implement(handledContract.deliveries).$context<CallContext>()

const notYet = (): never => {
  throw new AppError('NOT_FOUND', 'This is not there yet.')
}

export function deliveryHandlers() {
  return {
    listDestinations: contract.listDestinations.handler(notYet),
    kinds: contract.kinds.handler(notYet),
    create: contract.create.handler(notYet),
    change: contract.change.handler(notYet),
    remove: contract.remove.handler(notYet),
    test: contract.test.handler(notYet),
    confirm: contract.confirm.handler(notYet),
    renew: contract.renew.handler(notYet),
    list: contract.list.handler(notYet),
    replay: contract.replay.handler(notYet),
  }
}

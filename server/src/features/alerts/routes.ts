import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'

const contract = implement(handledContract.alerts).$context<CallContext>()

const notYet = (): never => {
  throw new AppError('NOT_FOUND', 'This is not there yet.')
}

export function alertHandlers() {
  return {
    list: contract.list.handler(notYet),
    create: contract.create.handler(notYet),
    change: contract.change.handler(notYet),
    remove: contract.remove.handler(notYet),
    expect: contract.expect.handler(notYet),
    why: contract.why.handler(notYet),
    readPeace: contract.readPeace.handler(notYet),
    changePeace: contract.changePeace.handler(notYet),
    targets: contract.targets.handler(notYet),
  }
}

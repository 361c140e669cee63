import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'
import { vapidKeys } from './kinds/webpush/vapid-keys.ts'

const contract = implement(handledContract.deliveries).$context<CallContext>()

const notYet = (): never => {
  throw new AppError('NOT_FOUND', 'This is not there yet.')
}

export function deliveryHandlers(deps: Pick<AppDeps, 'databases' | 'secretBox'>) {
  return {
    listDestinations: contract.listDestinations.handler(notYet),
    kinds: contract.kinds.handler(notYet),
    vapid: contract.vapid.handler(async () => ({ public_key: (await vapidKeys(deps)).publicKey })),
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

import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'

const contract = implement(handledContract.quarantine).$context<CallContext>()

export function quarantineHandlers(_: AppDeps) {
  return {
    list: contract.list.handler(() => ({ items: [], total: 0, next_cursor: null, groups: [] })),
    release: contract.release.handler(() => ({ decided: 0, gone: 0 })),
    refuse: contract.refuse.handler(() => ({ decided: 0, gone: 0 })),
  }
}

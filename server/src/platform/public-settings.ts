import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from './deps.ts'
import type { Settings } from './settings.ts'

const contract = implement(handledContract.settings).$context<CallContext>()

/** What the browser may know of the settings. */
export function settingsHandlers({ MARKETPLACE: { domain, currency, locale }, SIGNUP_MODE }: Settings) {
  return {
    current: contract.current.handler(() => ({
      marketplace: domain,
      currency,
      locale,
      signup_mode: SIGNUP_MODE,
    })),
  }
}

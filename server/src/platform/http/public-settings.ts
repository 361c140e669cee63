import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { CallContext } from '../deps.ts'
import type { Settings } from '../settings.ts'

const contract = implement(handledContract.settings).$context<CallContext>()

/** What the browser may know of the settings. */
export function settingsHandlers({ MARKETPLACE, AFFILIATE_TAG, SIGNUP_MODE }: Settings) {
  const { domain, currency, locale } = MARKETPLACE
  return {
    current: contract.current.handler(() => ({
      marketplace: domain,
      currency,
      locale,
      affiliate_tag: AFFILIATE_TAG,
      signup_mode: SIGNUP_MODE,
    })),
  }
}

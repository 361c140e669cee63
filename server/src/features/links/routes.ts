import { handledContract } from '@dealdeck/contract/api'
import { buildSearchLink } from '@dealdeck/marketplace/search-links'
import { parseSearchLink } from '@dealdeck/marketplace/search-parsing'
import { implement } from '@orpc/server'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { listFilters } from '../filters/actions.ts'
import { readSearch, refusal, toParsedLink } from './rules.ts'

const contract = implement(handledContract.links).$context<CallContext>()

/** `gate` gives the turns at reading addresses: a long one takes some milliseconds in which nothing else is done. */
export function linkHandlers({ databases, settings }: AppDeps, gate: MemberGate) {
  const { domain, name } = settings.MARKETPLACE
  const shop = { domain, affiliateTag: settings.AFFILIATE_TAG }
  return {
    build: contract.build.handler(async ({ input }) => ({
      url: buildSearchLink(readSearch(input, await listFilters(databases)), shop),
    })),
    parse: contract.parse.handler(async ({ input, context }) => {
      const turn = await takeTurn(gate, context.reply)
      try {
        const parsed = parseSearchLink(input.url, await listFilters(databases), shop)
        if (!parsed) throw refusal('url', `This is no address of a search on ${name}.`)
        return toParsedLink(parsed)
      } finally {
        turn.end()
      }
    }),
  }
}

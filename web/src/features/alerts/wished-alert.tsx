import type { Destination } from '@dealdeck/contract/deliveries'
import type { SavedSearch } from '@dealdeck/contract/searches'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { api } from '../../platform/client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useAlertChanges } from './api.ts'
import { useAlerts } from './live.ts'
import { wishOf } from './view/wish.ts'
import { proposedTarget } from './view.ts'

/**
 * What its reader wanted to be told of before they had a destination, as the address says it: it is done by adding one, never by opening an
 * address.
 */
export function useWish(text: string | undefined, searches: readonly SavedSearch[] | undefined) {
  const queries = useQueryClient()
  const { money, decimals } = useMarketplace()
  const alerts = useAlerts()
  const { add } = useAlertChanges()
  const [failure, setFailure] = useState<{ id: number; text: string }>()
  const wish = wishOf(text)

  async function askedFor() {
    if (!wish || 'search' in wish) return wish && { search_id: wish.search }
    const { price } = await queries.fetchQuery(api.deals.get.queryOptions({ input: { id: wish.deal } }))
    const target_price = proposedTarget(price, decimals)
    return target_price === undefined ? undefined : { deal_id: wish.deal, target_price }
  }

  return {
    fulfil: async ({ id }: Destination) => {
      try {
        const asked = await askedFor()
        if (asked) await add.mutateAsync({ ...asked, destination_id: id, options: {}, send_matching: false })
      } catch (error) {
        setFailure({ id, text: `The bell is still off. ${errorMessage(error)}` })
      }
    },
    /** What has come of it at that destination, in words. */
    textOf: ({ id, state }: Destination): string | undefined => {
      if (failure?.id === id) return failure.text
      const made = alerts.data?.items.find(
        ({ destination_id, search_id, deal_id }) =>
          destination_id === id &&
          wish !== undefined &&
          ('search' in wish ? search_id === wish.search : deal_id === wish.deal),
      )
      if (!made) return undefined
      const when =
        state === 'unconfirmed' ? 'As soon as this is confirmed, you are told here' : 'You are told here'
      if (made.target_price !== null)
        return `${when} once “${made.name}” costs ${money(made.target_price)} or less.`
      const name = searches?.find((search) => search.id === made.search_id)?.name ?? made.name
      return `The bell of “${name}” is on. ${when} of new deals.`
    },
  }
}

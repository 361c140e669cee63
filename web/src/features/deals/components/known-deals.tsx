import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import { useSession } from '../../../platform/session.ts'
import { Notice } from '../../../ui/notice.tsx'
import { type DealPages, listKey } from '../api.ts'
import type { FeedFilters } from '../view/filters.ts'
import { filterDeals, mergeLists } from '../view/known-deals.ts'
import { type LastDeals, readLastDeals } from '../view/last-deals.ts'
import { sampleDeals } from '../view/samples.ts'
import { DealGrid } from './deal-grid.tsx'
import classes from './known-deals.module.css'

type KnownDealsProps = {
  filters: FeedFilters
  shop: Marketplace
  now: number
  /** What has happened, and what can be done about it. */
  title: string
  /** Why there are no others, at the end of a sentence. */
  reason: string
  action: ReactNode
}

/**
 * Those of the deals this user saw last that pass the filters, marked with their time, or else the two built-in ones,
 * labelled: in a strip, so that the deals are what one sees.
 */
export function KnownDeals({ filters, shop, now, title, reason, action }: KnownDealsProps): ReactNode {
  const { id } = useSession()
  const last = useKnownDeals(id)
  const [samples] = useState(() => sampleDeals(now))
  const found = last && filterDeals(last.deals, filters, now)
  const reached = useRef(0)
  const part = found && found.length < last.deals.length ? `${shop.number(found.length)} of ` : ''
  return (
    <>
      <div className={classes.label} role="alert">
        <div>
          {/* Without a connection nothing went wrong with the deals. */}
          <h2 className={classes.title}>{last && !navigator.onLine ? 'Offline' : title}</h2>
          <p className={classes.text}>
            {last
              ? `Showing ${part}the deals of ${shop.exactTime(last.time)}, ${reason}`
              : `Showing sample deals, ${reason}`}
          </p>
        </div>
        {action}
      </div>
      {found?.length === 0 && (
        <Notice title="No match among the deals known here">
          Others are looked for as soon as the server answers.
        </Notice>
      )}
      <DealGrid
        deals={found ?? samples}
        places={0}
        complete
        busy={false}
        shop={shop}
        now={now}
        startAt={0}
        reached={reached}
        onShare={undefined}
      />
    </>
  )
}

/** What is known of the deals without asking: those loaded by this page, else what this user saw last on this device. */
function useKnownDeals(userId: number): LastDeals | undefined {
  const queries = useQueryClient()
  const [known] = useState(() => {
    const lists = queries.getQueriesData<DealPages>({ queryKey: listKey })
    return mergeLists(
      lists.map(([queryKey, data]) => ({
        pages: data?.pages ?? [],
        updatedAt: queries.getQueryState(queryKey)?.dataUpdatedAt ?? 0,
      })),
    )
  })
  const [kept] = useState(() => readLastDeals(userId))
  return known && known.deals.length >= (kept?.deals.length ?? 0) ? known : kept
}

import type { Deal } from '@dealdeck/contract/deals'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useCanGoBack, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../../platform/api-error.ts'
import { followQuery } from '../../platform/followed-queries.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { isUnreachable } from '../../platform/recovery.ts'
import { useSession } from '../../platform/session.ts'
import { LateDialog } from '../../ui/late-dialog.tsx'
import { latePart } from '../../ui/late-part.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { DealDetail } from './deal-detail.tsx'
import classes from './deal-screen.module.css'
import { SimilarDeals } from './similar-deals.tsx'
import { dealByAsinQuery } from './view/deal-page.ts'
import { readLastDeals } from './view/last-deals.ts'
import { readDealsEvent } from './view.ts'

const DealHiding = latePart(
  async () => (await import('./deal-hiding.tsx')).DealHiding,
  'Whether it is hidden',
)
const shareDialog = { fetch: async () => (await import('./components/share-dialog.tsx')).ShareDialog }

/** Events come in bursts; in milliseconds. */
const lookMs = 500

type DealScreenProps = {
  asin: string
  /** What stands where no such deal is known. */
  missing: ReactNode
  /** What is known of the prices of a deal, by its id. */
  history: (id: number) => ReactNode
  /** The price that its reader waits for, and why they were told of it, or weren't. */
  target: (deal: Deal) => ReactNode
  why: (id: number) => ReactNode
}

/** A deal's own page: all that is known of it. */
export function DealScreen({ asin, missing, history, target, why }: DealScreenProps) {
  const shop = useMarketplace()
  const now = useNow()
  const queries = useQueryClient()
  const { id: userId, role } = useSession()
  const isAsin = /^[A-Z0-9]{10}$/.test(asin)
  const asked = useQuery({ ...dealByAsinQuery(asin, queries), enabled: isAsin })
  useLiveDeal(asin, asked.data?.id)
  const [isSharing, setSharing] = useState(false)
  const isMissing = asked.error instanceof ApiError && asked.error.status === 404
  const isLost = asked.isError && !isMissing
  const isRefused = !isAsin || (asked.isError && isMissing)
  const [kept] = useState(() => readLastDeals(userId))
  const known = asked.data ?? (isLost ? kept?.deals.find((deal) => deal.asin === asin) : undefined)
  // Taken from sale while it is looked at: what is known of it stays.
  const deal = known && isRefused ? { ...known, availability: null } : known
  useTitle(deal?.title ?? (isRefused ? 'Nothing here' : 'Deal'))

  if (deal === undefined) {
    if (isRefused) return missing
    if (!isLost) return <div className={classes.waiting} aria-busy="true" />
    return (
      <>
        <h1 className={classes.lost}>Deal {asin}</h1>
        <Notice
          failed
          title={navigator.onLine ? 'This deal can’t be loaded' : 'Offline'}
          action={
            <Button loading={asked.isFetching} onClick={() => void asked.refetch()}>
              Try Again
            </Button>
          }
        >
          {errorMessage(asked.error)}
          {isUnreachable(asked.error) && ' It comes by itself as soon as the server answers.'}
        </Notice>
      </>
    )
  }
  const since = asked.data ? new Date(asked.dataUpdatedAt).toISOString() : kept?.time
  return (
    <>
      <BackLink />
      {isLost && since !== undefined && (
        <SourceLabel>{`Deal as of ${shop.exactTime(since)}, the server can't be reached`}</SourceLabel>
      )}
      <DealDetail
        {...{ deal, shop, now }}
        onShare={() => setSharing(true)}
        target={!isRefused && target(deal)}
        tools={role === 'admin' && !isRefused && <DealHiding deal={deal} shop={shop} />}
      >
        {history(deal.id)}
        {why(deal.id)}
      </DealDetail>
      <SimilarDeals deal={deal} shop={shop} now={now} />
      {isSharing && <LateDialog of={shareDialog} props={{ deal, shop, onClose: () => setSharing(false) }} />}
    </>
  )
}

/** Back to where the reader came from, which is a place in a list most of the time; else to the feed. */
function BackLink() {
  const { history } = useRouter()
  const canGoBack = useCanGoBack()
  return (
    <Link
      to="/amazon-haul"
      className={classes.back}
      onClick={(event) => {
        if (!canGoBack) return
        event.preventDefault()
        history.back()
      }}
    >
      {canGoBack ? 'Back' : 'All deals'}
    </Link>
  )
}

/** Titles the window. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Dealdeck`
  }, [title])
}

/** Has the deal fetched again after whatever the stream says of it. */
function useLiveDeal(asin: string, id: Deal['id'] | undefined): void {
  const queries = useQueryClient()
  const { autoRefresh } = usePreferences()
  useEffect(() => {
    if (!autoRefresh || id === undefined) return
    const { queryKey } = dealByAsinQuery(asin, queries)
    const concerns = (_: string, data: unknown) => {
      const event = readDealsEvent(data)
      const ids = event && [...event.added, ...event.changed, ...event.removed]
      return ids === undefined || ids.includes(id)
    }
    return followQuery(queries, { queryKey, names: ['deals', 'reset'], concerns, lookMs, isResent: true })
  }, [queries, asin, id, autoRefresh])
}

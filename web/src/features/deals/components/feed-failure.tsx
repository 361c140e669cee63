import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { useSession } from '../../../platform/session.ts'
import { Notice } from '../../../ui/notice.tsx'
import { isUnreachable, readLastDeals } from '../api.ts'
import { sampleDeals } from '../view.ts'
import { DealGrid } from './deal-grid.tsx'
import classes from './feed-failure.module.css'

type FeedFailureProps = {
  /** Null while it is tried again. */
  error: Error | null
  busy: boolean
  shop: Marketplace
  now: number
  onRetry: () => void
}

/**
 * The list failed: what to do, and, while the server can't be reached, the deals this user saw last, marked with their
 * time, or else the two built-in ones, labelled.
 */
export function FeedFailure({ error, busy, shop, now, onRetry }: FeedFailureProps) {
  const [shown, setShown] = useState(error)
  if (error !== null && error !== shown) setShown(error)
  const { id } = useSession()
  const [last] = useState(() => readLastDeals(id))
  const [deals] = useState(() => last?.deals ?? sampleDeals(now))
  const reached = useRef(0)
  const unreachable = isUnreachable(shown)
  return (
    <>
      <Notice
        failed
        title="⚠️ Error Loading Deals"
        action={
          <Button onClick={onRetry} loading={busy}>
            Try Again
          </Button>
        }
      >
        {unreachable
          ? 'Please check your connection. The deals come back by themselves as soon as the server answers.'
          : errorMessage(shown)}
      </Notice>
      {unreachable && (
        <>
          <p className={classes.label}>
            {last
              ? `Showing the deals of ${shop.exactTime(last.time)}, the server can't be reached`
              : "Showing sample deals, the server can't be reached"}
          </p>
          <DealGrid
            deals={deals}
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
      )}
    </>
  )
}

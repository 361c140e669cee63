import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { isUnreachable } from '../../../platform/recovery.ts'
import { Notice } from '../../../ui/notice.tsx'
import type { FeedFilters } from '../view/filters.ts'

const KnownDeals = lazy(() =>
  import('./known-deals.tsx').then(
    (module) => ({ default: module.KnownDeals }),
    // Without its program there is the notice all the same.
    () => ({ default: () => null }),
  ),
)

type FeedFailureProps = {
  /** Null while it is tried again. */
  error: Error | null
  filters: FeedFilters
  busy: boolean
  shop: Marketplace
  now: number
  onRetry: () => void
}

/** The list failed: what to do, and, while the server can't be reached, what is known without it. */
export function FeedFailure({ error, filters, busy, shop, now, onRetry }: FeedFailureProps) {
  const [shown, setShown] = useState(error)
  if (error !== null && error !== shown) setShown(error)
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
        <Suspense>
          <KnownDeals filters={filters} shop={shop} now={now} />
        </Suspense>
      )}
    </>
  )
}

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { isUnreachable } from '../../../platform/recovery.ts'
import { latePart } from '../../../ui/late-part.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { FeedFilters } from '../view/filters.ts'

type KnownProps = Parameters<typeof import('./known-deals.tsx').KnownDeals>[0] & { notice: ReactNode }

const KnownDeals = latePart<KnownProps>(
  async () => (await import('./known-deals.tsx')).KnownDeals,
  // Without its program there is the notice all the same.
  ({ notice }) => notice,
)

const title = '⚠️ Error Loading Deals'

type FeedFailureProps = {
  /** Null while it is tried again. */
  error: Error | null
  filters: FeedFilters
  busy: boolean
  shop: Marketplace
  now: number
  onRetry: () => void
}

/** The list failed: what to do, and, while the server can't be reached, on top what is known without it. */
export function FeedFailure({ error, filters, busy, shop, now, onRetry }: FeedFailureProps) {
  const [shown, setShown] = useState(error)
  if (error !== null && error !== shown) setShown(error)
  const unreachable = isUnreachable(shown)
  const isBusy = shown instanceof ApiError && shown.code === 'BUSY'
  const again = (
    <Button onClick={onRetry} loading={busy}>
      Try Again
    </Button>
  )
  const notice = (
    <Notice failed title={title} action={again}>
      {unreachable && !isBusy
        ? 'Please check your connection. The deals come back by themselves as soon as the server answers.'
        : errorMessage(shown)}
    </Notice>
  )
  if (!unreachable) return notice
  const reason = isBusy ? 'the server is busy' : "the server can't be reached"
  return <KnownDeals {...{ filters, shop, now, title, reason, notice }} action={again} />
}

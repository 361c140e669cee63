import type { DealStats } from '@dealdeck/contract/deals'
import type { LiveState } from '../../../platform/live.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { latePart } from '../../../ui/late-part.tsx'
import classes from './feed-head.module.css'

const SampleLabel = latePart(
  async () => (await import('../sample-label.tsx')).SampleLabel,
  () => <p>These are sample deals.</p>,
)

type FeedHeadProps = {
  stats: DealStats | undefined
  shop: Marketplace
  live: LiveState | 'paused'
  /** A refresh of what is shown failed. */
  stale: boolean
  /** The time, in ISO 8601, since which nobody can tell what is new; undefined while somebody can. */
  staleSince: string | undefined
}

const liveWords: Record<LiveState | 'paused', { label: string; hint: string }> = {
  connecting: { label: 'Connecting', hint: 'Connecting to the live stream' },
  open: { label: 'Live', hint: 'New deals are announced as they come in' },
  down: { label: 'Offline', hint: 'The live stream is interrupted; looking for new deals every 30 seconds' },
  away: { label: 'Offline', hint: 'The server can not reach its database; it goes on by itself' },
  paused: { label: 'Paused', hint: 'Automatic refresh is switched off in your preferences' },
}

/** Title, state of the stream, and one line of constant height: figures, or what the deals are instead of new. */
export function FeedHead({ stats, shop, live, stale, staleSince }: FeedHeadProps) {
  const figures = [
    { label: 'total deals', value: stats?.total_deals },
    { label: 'Prime eligible', value: stats?.prime_eligible },
    { label: 'with discounts', value: stats?.with_discounts },
  ]
  const isSample = (stats?.sample_deals ?? 0) > 0
  return (
    <header className={classes.head}>
      <h1 className={classes.title} tabIndex={-1} data-feed-title>
        Deals
      </h1>
      <span className={classes.live} data-live={live} title={liveWords[live].hint}>
        {liveWords[live].label}
      </span>
      {staleSince !== undefined || stale || isSample ? (
        <div className={classes.label}>
          {staleSince !== undefined ? (
            <p role="alert">Offline. Deals as of {shop.exactTime(staleSince)}.</p>
          ) : stale ? (
            <p role="alert">Could not refresh. These deals may be out of date.</p>
          ) : (
            <SampleLabel />
          )}
        </div>
      ) : (
        <dl className={classes.stats}>
          {figures.map(({ label, value }) => (
            <div key={label} className={classes.figure}>
              <dt>{label}</dt>
              <dd>{value === undefined ? '–' : shop.number(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </header>
  )
}

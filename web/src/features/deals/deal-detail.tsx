import type { Deal } from '@dealdeck/contract/deals'
import { Button } from '@mantine/core'
import { IconExternalLink, IconShare3 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Marketplace } from '../../platform/money.ts'
import { exactOnHover } from '../../ui/exact-time.ts'
import { DealFigure, DealOffer } from './components/deal-card.tsx'
import classes from './deal-detail.module.css'
import { DealVerdict } from './deal-verdict.tsx'
import { notesOf } from './view/age.ts'
import { priceFalls } from './view/price-falls.ts'
import { dealAddress, isGone } from './view.ts'

type DealDetailProps = {
  deal: Deal
  shop: Marketplace
  /** Milliseconds. */
  now: number
  onShare: () => void
  /** The price that its reader waits for. */
  target?: ReactNode
  /** What only some may do with it. */
  tools?: ReactNode
  /** What is known of its prices. */
  children: ReactNode
}

/** Everything of a deal's card, large, with what can be done with it. */
export function DealDetail({ deal, shop, now, onShare, target, tools, children }: DealDetailProps) {
  const gone = isGone(deal)
  const address = gone ? undefined : dealAddress(deal.product_url, shop.marketplace)
  const notes = [...notesOf({ ...deal, brand: null }, now), deal.availability]
  return (
    <article className={classes.detail} aria-labelledby="deal-title" data-gone={gone || undefined}>
      <div className={classes.side}>
        <div className={classes.figure}>
          <DealFigure deal={deal} shop={shop} now={now} />
        </div>
        <div className={classes.actions}>
          {address !== undefined && (
            <Button
              component="a"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              size="md"
              leftSection={<IconExternalLink size={18} aria-hidden />}
            >
              Open in shop
            </Button>
          )}
          <Button variant="default" size="md" aria-label="Share" className={classes.share} onClick={onShare}>
            <IconShare3 size={18} aria-hidden />
            <span>Share</span>
          </Button>
          {target && <div className={classes.target}>{target}</div>}
        </div>
      </div>
      <div className={classes.main}>
        <h1 id="deal-title" className={classes.title} dir="auto">
          {deal.title}
        </h1>
        <div className={classes.offer}>
          {/* The chart below says what a sparkline would. */}
          <DealOffer deal={{ ...deal, verdict: null }} shop={shop} was={priceFalls.falls.get(deal.id)} />
        </div>
        <p className={classes.verdict}>
          <DealVerdict deal={deal} />
        </p>
        <p className={classes.notes}>{gone ? 'No longer available' : notes.join(' · ')}</p>
        <p className={classes.notes}>
          {deal.brand && <QuestionLink field="brand" value={deal.brand} />}
          {deal.category && <QuestionLink field="category" value={deal.category} />}
          <span>
            First seen <time {...exactOnHover(deal.first_seen, shop)}>{shop.ago(deal.first_seen, now)}</time>,
            price seen{' '}
            <time {...exactOnHover(deal.observed_at, shop)}>{shop.ago(deal.observed_at, now)}</time>
          </span>
        </p>
        {tools && <div className={classes.tools}>{tools}</div>}
        {children}
      </div>
    </article>
  )
}

/** Leads to the deals of the same brand or category. */
function QuestionLink({ field, value }: { field: 'brand' | 'category'; value: string }) {
  const q = `${field}:"${value.replace(/["\\]/g, ' ')}"`
  return (
    <>
      <Link to="/amazon-haul" search={{ q }} className={classes.question} dir="auto">
        {value}
      </Link>
      {' · '}
    </>
  )
}

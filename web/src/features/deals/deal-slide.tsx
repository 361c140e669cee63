import type { Deal } from '@dealdeck/contract/deals'
import { cardTitleLength, cutTitle } from '@dealdeck/marketplace/titles'
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Marketplace } from '../../platform/money.ts'
import base from './components/deal-base.module.css'
import card from './components/deal-card.module.css'
import { DealFigure, DealOffer, fullTitle } from './components/deal-card.tsx'
import classes from './deal-slide.module.css'
import { DealVerdict } from './deal-verdict.tsx'

type DealSlideProps = {
  deal: Deal
  shop: Marketplace
  /** Milliseconds; what is new follows it. */
  now: number
  /** The price it had when it was first on the screen, where that has fallen since. */
  was: number | undefined
}

/**
 * A deal as Home shows it: enough to want a closer look, for which it leads to the deal's own page. Its row is drawn anew whenever other
 * slides come into sight.
 */
export const DealSlide = memo(function DealSlide({ deal, shop, now, was }: DealSlideProps) {
  const title = cutTitle(deal.title, cardTitleLength)
  return (
    <article className={`${card.card} ${classes.slide}`}>
      <DealFigure deal={deal} shop={shop} now={now} />
      <div className={card.body}>
        <h3 className={base.heading}>
          <Link
            to="/deals/$asin"
            params={{ asin: deal.asin }}
            className={`${base.link} ${card.page}`}
            draggable={false}
            {...fullTitle(deal, title)}
          >
            <span dir="auto" className={card.title} data-full-text={deal.title}>
              {title}
            </span>{' '}
            <DealVerdict deal={deal} />
          </Link>
        </h3>
        <DealOffer deal={deal} shop={shop} was={was} />
      </div>
    </article>
  )
})

/** A slide that is on its way, in the shape it will have. */
export function SlideSkeleton() {
  return (
    <div className={`${card.card} ${classes.slide}`} aria-hidden>
      <Skeleton className={card.picture} radius={0} />
      <div className={card.body}>
        <Skeleton className={base.skeleton} height="1.25rem" mt="0.25rem" width="45%" />
        <Skeleton className={base.skeleton} height="0.875rem" mt="0.375rem" />
        <Skeleton className={base.skeleton} height="0.875rem" mt="0.25rem" width="70%" />
      </div>
    </div>
  )
}

import type { Deal } from '@dealdeck/contract/deals'
import { cardTitleLength, cutTitle } from '@dealdeck/marketplace/titles'
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Marketplace } from '../../platform/money.ts'
import card from './components/deal-card.module.css'
import { DealFigure, DealOffer } from './components/deal-card.tsx'
import classes from './deal-slide.module.css'

type DealSlideProps = {
  deal: Deal
  shop: Marketplace
  /** Milliseconds; what is new follows it. */
  now: number
}

/** A deal as Home shows it: enough to want a closer look, for which the feed begins with it. */
export function DealSlide({ deal, shop, now }: DealSlideProps) {
  const title = cutTitle(deal.title, cardTitleLength)
  return (
    <article className={`${card.card} ${classes.slide}`}>
      <DealFigure deal={deal} shop={shop} now={now} />
      <div className={card.body}>
        <h3 className={card.heading}>
          <Link
            to="/amazon-haul"
            search={{ deal: deal.id }}
            className={card.link}
            title={title === deal.title ? undefined : deal.title}
            draggable={false}
          >
            <span className={card.title}>{title}</span>
          </Link>
        </h3>
        <DealOffer deal={deal} shop={shop} />
      </div>
    </article>
  )
}

/** A slide that is on its way, in the shape it will have. */
export function SlideSkeleton() {
  return (
    <div className={`${card.card} ${classes.slide}`} aria-hidden>
      <Skeleton className={card.picture} radius={0} />
      <div className={card.body}>
        <Skeleton className={card.skeleton} height="0.875rem" mt="0.125rem" />
        <Skeleton className={card.skeleton} height="0.875rem" mt="0.3125rem" width="70%" />
        <Skeleton className={card.skeleton} height="1.25rem" mt="0.75rem" width="45%" />
        <Skeleton className={card.skeleton} height="0.75rem" mt="0.625rem" mb="0.25rem" width="60%" />
      </div>
    </div>
  )
}

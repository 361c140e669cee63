import type { Deal } from '@dealdeck/contract/deals'
import { cardTitleLength, cutTitle } from '@dealdeck/marketplace/titles'
import { memo } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import type { FeedLayout } from '../../../platform/preferences.ts'
import { exactOnHover } from '../../../ui/exact-time.ts'
import spoken from '../../../ui/unseen.module.css'
import { DealVerdict, Sparkline } from '../deal-verdict.tsx'
import { isNew, notesOf, priceAge } from '../view/age.ts'
import { isDoubted } from '../view/verdict.ts'
import { dealAddress, isGone } from '../view.ts'
import base from './deal-base.module.css'
import card from './deal-card.module.css'
import line from './deal-line.module.css'
import { DealPicture } from './deal-picture.tsx'

const looks = { grid: card, list: line }

type DealCardProps = {
  deal: Deal
  layout: FeedLayout
  shop: Marketplace
  /** Milliseconds; what is new and how old things are follows it. */
  now: number
  /** Its place among `size` deals, from 1; `size` is -1 while more may follow. */
  position: number
  size: number
  /** Shown as new whatever its age, and as the one that was asked for. */
  isFresh: boolean
  isWanted: boolean
  /** The price it had when it was first on the screen, where that has fallen since. */
  was: number | undefined
  /** Without it the deal can't be shared. */
  onShare: ((deal: Deal) => void) | undefined
  /** The price that its reader waits for, and what asks for one; without that none can be asked for yet. */
  target?: number | undefined
  onTarget?: ((deal: Deal) => void) | undefined
}

/**
 * One deal, made of plain elements: hundreds of them come and go while somebody scrolls. Title and verdict lead to the deal's
 * own page, all else to its product; sharing has a button of its own.
 */
export const DealCard = memo(function DealCard(props: DealCardProps) {
  const { deal, layout, shop, now, position, size, isFresh, isWanted, was, onShare, target, onTarget } = props
  const look = looks[layout]
  const titleId = `deal-${deal.id}`
  const gone = isGone(deal)
  const address = gone ? undefined : dealAddress(deal.product_url, shop.marketplace)
  // The built-in ones have no page.
  const page = gone || deal.id < 0 ? undefined : `/deals/${deal.asin}`
  const shortTitle = cutTitle(deal.title, cardTitleLength)
  const seen = priceAge(deal, now, (time) => shop.ago(time, now))
  // The age lies in the link, so that hovering it shows the exact time and pressing it still opens the product.
  const age = (
    <span className={layout === 'list' ? `${base.age} ${line.age}` : base.age}>
      {seen !== undefined && <time {...exactOnHover(deal.observed_at, shop)}>Price seen {seen}</time>}{' '}
      <time {...exactOnHover(deal.first_seen, shop)}>{shop.ago(deal.first_seen, now)}</time>
    </span>
  )
  return (
    <article
      className={look.card}
      data-gone={gone || undefined}
      data-wanted={isWanted || undefined}
      aria-labelledby={titleId}
      aria-posinset={position}
      aria-setsize={size}
    >
      <DealFigure deal={deal} layout={layout} shop={shop} now={now} isFresh={isFresh} />
      <div className={look.body}>
        <h2 className={base.heading}>
          {/* Without an address it is no link. */}
          <a className={`${base.page} ${look.page}`} href={page} {...fullTitle(deal, shortTitle)}>
            <span id={titleId} dir="auto" className={look.title} data-full-text={deal.title}>
              {shortTitle}
            </span>{' '}
            <DealVerdict deal={deal} />
          </a>
        </h2>
        {address === undefined ? (
          age
        ) : (
          <a className={base.link} href={address} target="_blank" rel="noopener noreferrer">
            <span className={spoken.unseen}>Open in shop, </span>
            {age}
          </a>
        )}
        <DealOffer deal={deal} layout={layout} shop={shop} was={was} />
        <p className={`${base.availability} ${look.availability}`}>
          {target && <b>Tell me at {shop.money(target)} · </b>}
          {gone ? 'No longer available' : [...notesOf(deal, now), deal.availability].join(' · ')}
        </p>
      </div>
      {onTarget && !gone && deal.id > 0 && (
        <button
          type="button"
          className={`${base.share} ${base.target} ${look.target}`}
          data-set={target}
          aria-label={`${target ? `Tell me at ${shop.money(target)}` : 'Tell me at a price'}: ${shortTitle}`}
          onClick={() => onTarget(deal)}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M6 17v-6a6 6 0 0 1 12 0v6l2 2H4zm4 5h4" />
          </svg>
        </button>
      )}
      {onShare && (
        <button
          type="button"
          className={`${base.share} ${look.share}`}
          aria-label={`Share ${shortTitle}`}
          onClick={() => onShare(deal)}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M13 4v4C6.6 9 4.2 14.6 3.2 20c2.8-4 5-5.8 9.8-5.8V18l8-7z" />
          </svg>
        </button>
      )}
    </article>
  )
})

/** What the link of a title that is cut needs for who listens; `FullText` shows it. */
export function fullTitle({ title }: Deal, shortTitle: string) {
  return shortTitle === title ? undefined : { 'aria-description': title }
}

/** Whether there is anything to say between the title and the availability. */
const hasFacts = ({ rating, prime_eligible }: Deal) => rating !== null || prime_eligible

type PartProps = Pick<DealCardProps, 'deal' | 'shop'> & { layout?: FeedLayout }

/** A deal's picture with what is written on it. */
export function DealFigure({
  deal,
  layout = 'grid',
  shop,
  now,
  isFresh,
}: PartProps & { now: number; isFresh?: boolean }) {
  const look = looks[layout]
  return (
    <>
      <div className={look.picture}>
        <DealPicture key={deal.image_url} url={deal.image_url} />
        <div className={look.flags}>
          {(isFresh || isNew(deal, now)) && !isGone(deal) && <span className={base.new}>New</span>}
          {deal.is_sample && <span className={base.sample}>Sample</span>}
        </div>
      </div>
      {deal.discount_percentage !== null && (
        <span className={`${base.discount} ${look.discount}`} data-doubted={isDoubted(deal) || undefined}>
          −{shop.percent(deal.discount_percentage)}
        </span>
      )}
    </>
  )
}

/** What a deal costs, and what others think of it. */
export function DealOffer({ deal, layout = 'grid', shop, was }: PartProps & { was?: number | undefined }) {
  const look = looks[layout]
  const before = was ?? deal.original_price
  return (
    <>
      <p className={`${base.prices} ${look.prices}`} data-fell={was !== undefined || undefined}>
        <span className={`${base.price} ${look.price}`}>{shop.money(deal.price)}</span>
        {before !== null && before > deal.price && (
          <s className={base.original}>
            {was !== undefined && <span className={spoken.unseen}>fell from </span>}
            {shop.money(before)}
          </s>
        )}
      </p>
      {deal.verdict?.sparkline && <Sparkline path={deal.verdict.sparkline} className={look.sparkline} />}
      {hasFacts(deal) && (
        <p className={`${base.facts} ${look.facts}`}>
          {deal.rating !== null && (
            <span className={base.rating}>
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="m12 1.5 3.2 6.6 7.3 1-5.3 5.1 1.3 7.2-6.5-3.5-6.5 3.5 1.3-7.2-5.3-5.1 7.3-1z" />
              </svg>
              <span className={spoken.unseen}>Rated</span> {deal.rating.toFixed(1)}
              {deal.review_count !== null && (
                <span className={base.reviews}>
                  ({shop.number(deal.review_count)}
                  <span className={spoken.unseen}> reviews</span>)
                </span>
              )}
            </span>
          )}
          {deal.prime_eligible && <span className={base.prime}>Prime</span>}
        </p>
      )}
    </>
  )
}

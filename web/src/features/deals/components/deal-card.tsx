import type { Deal } from '@dealdeck/contract/deals'
import { cardTitleLength, cutTitle } from '@dealdeck/marketplace/titles'
import { memo } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import spoken from '../../../ui/unseen.module.css'
import { isNew, priceAge } from '../view/age.ts'
import { dealAddress, isGone } from '../view.ts'
import classes from './deal-card.module.css'
import { DealPicture } from './deal-picture.tsx'

type DealCardProps = {
  deal: Deal
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
}

/**
 * One deal, made of plain elements: hundreds of them come and go while somebody scrolls.
 * The whole card is a link to its product; sharing has a button of its own.
 */
export const DealCard = memo(function DealCard(props: DealCardProps) {
  const { deal, shop, now, position, size, isFresh, isWanted, was, onShare } = props
  const titleId = `deal-${deal.id}`
  const gone = isGone(deal)
  const address = gone ? undefined : dealAddress(deal.product_url, shop.marketplace)
  const shortTitle = cutTitle(deal.title, cardTitleLength)
  const fullTitle = shortTitle === deal.title ? undefined : deal.title
  const seen = priceAge(deal, now, (time) => shop.ago(time, now))
  // The age lies in the link too, so that hovering it shows the exact time and pressing it still opens the deal.
  const linked = (
    <>
      <span id={titleId} className={classes.title}>
        {shortTitle}
      </span>{' '}
      <span className={classes.age}>
        {seen !== undefined && (
          <time dateTime={deal.observed_at} title={shop.exactTime(deal.observed_at)}>
            Price seen {seen}
          </time>
        )}{' '}
        <time dateTime={deal.first_seen} title={shop.exactTime(deal.first_seen)}>
          {shop.ago(deal.first_seen, now)}
        </time>
      </span>
    </>
  )
  return (
    <article
      className={classes.card}
      data-gone={gone || undefined}
      data-wanted={isWanted || undefined}
      aria-labelledby={titleId}
      aria-posinset={position}
      aria-setsize={size}
    >
      <DealFigure deal={deal} shop={shop} now={now} isFresh={isFresh} />
      <div className={classes.body}>
        <h2 className={classes.heading}>
          {address === undefined ? (
            <span title={fullTitle}>{linked}</span>
          ) : (
            <a
              className={classes.link}
              href={address}
              title={fullTitle}
              target="_blank"
              rel="noopener noreferrer"
            >
              {linked}
            </a>
          )}
        </h2>
        <DealOffer deal={deal} shop={shop} was={was} />
        <p className={classes.availability}>{gone ? 'No longer available' : deal.availability}</p>
      </div>
      {onShare && (
        <button
          type="button"
          className={classes.share}
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

/** A deal's picture with what is written on it. */
export function DealFigure({
  deal,
  shop,
  now,
  isFresh,
}: Pick<DealCardProps, 'deal' | 'shop' | 'now'> & { isFresh?: boolean }) {
  return (
    <div className={classes.picture}>
      <DealPicture key={deal.image_url} url={deal.image_url} />
      <div className={classes.flags}>
        {(isFresh || isNew(deal, now)) && !isGone(deal) && <span className={classes.new}>New</span>}
        {deal.is_sample && <span className={classes.sample}>Sample</span>}
      </div>
      {deal.discount_percentage !== null && (
        <span className={classes.discount}>−{shop.percent(deal.discount_percentage)}</span>
      )}
    </div>
  )
}

/** What a deal costs, and what others think of it. */
export function DealOffer({
  deal,
  shop,
  was,
}: Pick<DealCardProps, 'deal' | 'shop'> & { was?: number | undefined }) {
  const before = was ?? deal.original_price
  return (
    <>
      <p className={classes.prices} data-fell={was !== undefined || undefined}>
        <span className={classes.price}>{shop.money(deal.price)}</span>
        {before !== null && before > deal.price && (
          <s className={classes.original}>
            {was !== undefined && <span className={spoken.unseen}>fell from </span>}
            {shop.money(before)}
          </s>
        )}
      </p>
      <p className={classes.facts}>
        {deal.rating !== null && (
          <span className={classes.rating}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="m12 1.5 3.2 6.6 7.3 1-5.3 5.1 1.3 7.2-6.5-3.5-6.5 3.5 1.3-7.2-5.3-5.1 7.3-1z" />
            </svg>
            <span className={spoken.unseen}>Rated</span> {deal.rating.toFixed(1)}
            {deal.review_count !== null && (
              <span className={classes.reviews}>
                ({shop.number(deal.review_count)}
                <span className={spoken.unseen}> reviews</span>)
              </span>
            )}
          </span>
        )}
        {deal.prime_eligible && <span className={classes.prime}>Prime</span>}
      </p>
    </>
  )
}

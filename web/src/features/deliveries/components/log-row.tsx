import type { Delivery } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Marketplace } from '../../../platform/money.ts'
import { isOfOneDeal, mayReplay, nextText, stateText, whatOf } from '../view.ts'
import { DeliveryMark } from './destination-state.tsx'
import { KindIcon } from './kind-tiles.tsx'
import classes from './log-row.module.css'

type LogRowProps = {
  delivery: Delivery
  shop: Marketplace
  now: number
  /** Whether other members' are among them, so that each says whose it is. */
  hasOwner: boolean
  isBusy: boolean
  onReplay: () => void
}

/** A message in the log: what, where to, when, what became of it and why. */
export function LogRow({ delivery, shop, now, hasOwner, isBusy, onReplay }: LogRowProps) {
  const { destination, deals, searches, price, reason, answer, status, attempts, is_urgent } = delivery
  const what = whatOf(delivery, shop.number)
  const at = delivery.sent_at ?? delivery.created_at
  const next = nextText(delivery, now, shop.locale)
  const [first] = deals
  const isPage = first !== undefined && isOfOneDeal(delivery)
  // Of what went well the answer says nothing.
  const isWell = ['sent', 'edited', 'skipped'].includes(delivery.state)
  const said = isWell ? '' : [status, answer].filter((part) => part !== null && part !== '').join(' ')
  return (
    <li className={classes.row} data-state={delivery.state}>
      <div className={classes.what}>
        <p className={classes.title}>
          {isPage ? (
            <Link to="/deals/$asin" params={{ asin: first.asin }} className={classes.link}>
              <bdi>{what}</bdi>
            </Link>
          ) : (
            <bdi>{what}</bdi>
          )}
        </p>
        {!isPage && deals.length > 0 && (
          <details className={classes.more}>
            <summary>Which</summary>
            <ul className={classes.deals}>
              {deals.map((deal) => (
                <li key={deal.id}>
                  <Link to="/deals/$asin" params={{ asin: deal.asin }} className={classes.link}>
                    <bdi>{deal.title}</bdi>
                  </Link>
                </li>
              ))}
              {delivery.deal_count > deals.length && (
                <li>and {shop.number(delivery.deal_count - deals.length)} more</li>
              )}
            </ul>
          </details>
        )}
        <p className={classes.quiet}>
          {[
            price !== null && shop.money(price),
            searches.length > 0 && searches.join(', '),
            is_urgent && 'urgent',
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <p className={classes.where}>
        <KindIcon kind={destination.kind} size={18} />
        <span dir="auto">{destination.name}</span>
        {hasOwner && <span className={classes.quiet}>{destination.owner ?? 'the group'}</span>}
      </p>
      <div className={classes.state}>
        <p className={classes.mark}>
          <DeliveryMark state={delivery.state} />{' '}
          <time dateTime={at} title={shop.exactTime(at)} className={classes.quiet}>
            {shop.ago(at, now)}
          </time>
        </p>
        <p className={classes.reason}>
          {stateText(reason, next)}
          {attempts > 1 && ` (${shop.number(attempts)} attempts)`}
        </p>
        {said !== '' && <p className={classes.quiet}>It answered: {said}</p>}
      </div>
      {mayReplay(delivery) && (
        <Button
          variant="default"
          className={classes.replay}
          leftSection={<IconRepeat size={16} aria-hidden />}
          aria-label={`Send again: ${what}`}
          loading={isBusy}
          onClick={onReplay}
        >
          Send again
        </Button>
      )}
    </li>
  )
}

import type { Alert } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, Switch } from '@mantine/core'
import { IconBellOff, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../../platform/client.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { expectationQuery } from '../api.ts'
import { expectationText, optionTexts } from '../view.ts'
import classes from './alert-row.module.css'

type AlertRowProps = {
  alert: Alert
  search: SavedSearch | undefined
  destination: Destination | undefined
  /** When nothing comes, in words. */
  quiet: string | undefined
  /** Whether it is asked what it brings. */
  isCounted: boolean
  shop: Marketplace
  now: number
  onPause: (isPaused: boolean) => void
  onEdit: () => void
  onRemove: () => void
}

/** One thing its reader is told of, in a sentence: what, where, and when not. */
export function AlertRow(props: AlertRowProps) {
  const { alert, destination, quiet, isCounted, shop, now, onPause, onEdit, onRemove } = props
  const { name, is_paused, stopped, options, target_price, deal_id, search_id, last_matched_at } = alert
  const expected = useQuery({
    ...expectationQuery(search_id ?? 0),
    enabled: isCounted && search_id !== null,
  })
  const deal = useQuery({
    ...api.deals.get.queryOptions({ input: { id: deal_id ?? 0 } }),
    enabled: isCounted && deal_id !== null,
  })
  const isUrgent = options.urgent_off !== null || options.urgent_below !== null
  const sentence = [
    quiet && `${quiet}${isUrgent ? ', unless it is urgent' : ''}`,
    ...optionTexts(options, shop.money, shop.percent),
    last_matched_at && `last found ${shop.ago(last_matched_at, now)}`,
  ].filter(Boolean)
  return (
    <li className={classes.row} data-paused={is_paused || undefined}>
      <div className={classes.what}>
        <p className={classes.title}>
          <bdi className={classes.name}>
            {deal.data ? (
              <Link to="/deals/$asin" params={{ asin: deal.data.asin }} className={classes.link}>
                {name}
              </Link>
            ) : (
              name
            )}
          </bdi>{' '}
          <span className={classes.where}>
            <span aria-hidden>→</span> <bdi>{destination?.name ?? 'a destination that is gone'}</bdi>
          </span>
        </p>
        {target_price !== null && (
          <p className={classes.text}>
            {shop.money(target_price)} or less
            {deal.data && `, now ${shop.money(deal.data.price)}`}
          </p>
        )}
        {search_id !== null && (
          <p className={classes.text}>
            {is_paused
              ? 'Paused'
              : expected.data
                ? capital(expectationText(expected.data, shop.number))
                : ' '}
          </p>
        )}
        {sentence.length > 0 && <p className={classes.quiet}>{capital(sentence.join(' · '))}</p>}
        {stopped !== null && <p className={classes.problem}>{stopped}</p>}
        {destination && destination.state !== 'ok' && (
          <p className={classes.problem}>{troubles[destination.state]}</p>
        )}
      </div>
      <div className={classes.actions}>
        <Switch
          label="On"
          aria-label={`${name}: tell me`}
          checked={!is_paused}
          onChange={(event) => onPause(!event.currentTarget.checked)}
        />
        <Button
          variant="subtle"
          color="gray"
          className={classes.action}
          leftSection={<IconPencil size={16} aria-hidden />}
          aria-label={`Options: ${name}`}
          onClick={onEdit}
        >
          Options
        </Button>
        <Button
          variant="subtle"
          color="gray"
          className={classes.action}
          leftSection={<IconBellOff size={16} aria-hidden />}
          aria-label={`Remove: ${name}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
    </li>
  )
}

/** Why nothing comes there for now; what to do is said with the destination. */
const troubles: Record<Exclude<Destination['state'], 'ok'>, string> = {
  ...{ failing: 'Sending there fails.', gone: 'The destination is gone.' },
  ...{ paused: 'The destination is paused.', unconfirmed: 'The destination is not linked yet.' },
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

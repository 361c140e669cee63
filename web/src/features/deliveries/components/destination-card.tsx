import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { IconPencil, IconPlayerPauseFilled, IconPlayerPlayFilled, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import classes from './destination-card.module.css'
import { DestinationState } from './destination-state.tsx'
import { KindIcon } from './kind-tiles.tsx'
import { TryDestination } from './try-destination.tsx'

type DestinationActions = {
  /** The server is being asked for a change of it. */
  isBusy: boolean
  onOpen: () => void
  onPause: (isPaused: boolean) => void
  onEdit: () => void
  onRemove: () => void
}

type DestinationCardProps = DestinationActions & {
  destination: Destination
  /** What its kind is called. */
  kind: string
  shop: Pick<Marketplace, 'ago' | 'exactTime'>
  now: number
  /** What is sent there. */
  about: ReactNode
}

/** A destination: how it is and what to do about that, what is sent there, and a test with its answer. */
export function DestinationCard(props: DestinationCardProps) {
  const { destination, kind, shop, now, about, isBusy, onOpen, onPause, onEdit, onRemove } = props
  const { name, state, state_text, is_paused, last_sent_at, affiliate_tag, disclosure } = destination
  // What has ended by itself is let go on as well.
  const isStopped = is_paused || state === 'gone'
  const pause = isStopped
    ? { label: 'Resume', Icon: IconPlayerPlayFilled }
    : { label: 'Pause', Icon: IconPlayerPauseFilled }
  const actions = [
    { ...pause, onClick: () => onPause(!isStopped) },
    { label: 'Edit', Icon: IconPencil, onClick: onEdit },
    { label: 'Remove', Icon: IconTrash, onClick: onRemove },
  ]
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <span className={classes.sign}>
          <KindIcon kind={destination.kind} size={24} />
        </span>
        <div className={classes.what}>
          <h3 className={classes.name}>
            <bdi>{name}</bdi>
          </h3>
          <p className={classes.kind}>
            {kind}
            {last_sent_at !== null && (
              <>
                {' · '}
                <time dateTime={last_sent_at} title={shop.exactTime(last_sent_at)}>
                  last sent {shop.ago(last_sent_at, now)}
                </time>
              </>
            )}
          </p>
        </div>
        <DestinationState destination={destination} />
      </div>
      {state_text !== '' && (
        <p className={classes.text} data-state={state}>
          {state_text}
        </p>
      )}
      {affiliate_tag !== '' && (
        <p className={classes.text}>
          Links carry the tag {affiliate_tag}
          {disclosure === '' ? ', and nothing says so.' : `, and “${disclosure}”.`}
        </p>
      )}
      {about}
      <div className={classes.foot}>
        {state === 'unconfirmed' ? (
          <Button className={classes.finish} onClick={onOpen}>
            Finish setting up
          </Button>
        ) : (
          <TryDestination destination={destination} />
        )}
        <div className={classes.actions} aria-busy={isBusy}>
          {actions.map(({ label, Icon, onClick }) => (
            <Button
              // What a press changes keeps its place, and the focus.
              key={label === 'Resume' ? 'Pause' : label}
              variant="subtle"
              color="gray"
              className={classes.action}
              aria-label={`${label}: ${name}`}
              aria-disabled={isBusy}
              leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
              onClick={() => !isBusy && onClick()}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
    </li>
  )
}

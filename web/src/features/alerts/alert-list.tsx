import type { Alert } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { AlertBell } from './alert-bell.tsx'
import classes from './alert-list.module.css'
import { inputOf, useAlertChanges } from './api.ts'
import { AlertRow } from './components/alert-row.tsx'
import { OptionsDialog } from './components/options-dialog.tsx'
import { useAlerts, usePeace } from './live.ts'
import { savePeace } from './peace-form.tsx'
import { alertsOf, peaceText, usable } from './view.ts'

type AlertListProps = {
  destinations: readonly Destination[] | undefined
  searches: readonly SavedSearch[] | undefined
  onAdd: () => void
  /** Whether its reader looks after channels of the group. */
  hasChannels: boolean
}

/** Of more alerts than these it isn't counted what each brings. */
const mostCounted = 20

/** What its reader is told of, where, and when: saved searches and target prices, a sentence each. */
export function AlertList({ destinations, searches, onAdd, hasChannels }: AlertListProps) {
  const shop = useMarketplace()
  const now = useNow()
  const list = useAlerts()
  const peace = usePeace(false, savePeace)
  const { add, change, remove } = useAlertChanges()
  const { say, ...toast } = useActionNote()
  const [edited, setEdited] = useState<Alert>()

  if (list.data === undefined || destinations === undefined)
    return list.isError ? (
      <Notice
        failed
        title="Your alerts can’t be loaded"
        action={
          <Button loading={list.isFetching} onClick={() => void list.refetch()}>
            Try Again
          </Button>
        }
      >
        {errorMessage(list.error)}
      </Notice>
    ) : (
      <div className={classes.waiting} role="status" aria-label="Loading alerts" aria-busy="true">
        {[0, 1, 2].map((at) => (
          <Skeleton key={at} height="5rem" radius="lg" />
        ))}
      </div>
    )

  const own = list.data.items.filter(({ is_group }) => !is_group)
  const [targets, ofSearches] = [own.filter(isTarget), own.filter((alert) => !isTarget(alert))]
  const silent = (searches ?? []).filter(({ id }) => alertsOf(own, id).length === 0)
  const quiet = peace.data && peaceText(peace.data, now, shop.exactTime)
  const fail = (what: string) => (error: Error) =>
    say({ text: `${what} ${errorMessage(error)}`, failed: true })

  function discard(alert: Alert) {
    const undo = () => add.mutate(inputOf(alert), { onError: fail('Not brought back.') })
    remove.mutate(alert, {
      onSuccess: () => say({ text: `You are no longer told of “${alert.name}”.`, undo }),
      onError: fail('Nothing changed.'),
    })
  }

  const row = (alert: Alert, at: number) => (
    <AlertRow
      key={alert.id}
      alert={alert}
      search={searches?.find(({ id }) => id === alert.search_id)}
      destination={destinations.find(({ id }) => id === alert.destination_id)}
      quiet={quiet}
      isCounted={at < mostCounted}
      shop={shop}
      now={now}
      onPause={(is_paused) =>
        change.mutate({ id: alert.id, is_paused }, { onError: fail('Nothing changed.') })
      }
      onEdit={() => setEdited(alert)}
      onRemove={() => discard(alert)}
    />
  )
  const isEmpty = usable(destinations).length === 0
  return (
    <div className={classes.alerts}>
      {list.isRefetchError && <SourceLabel>Could not refresh. This may be out of date.</SourceLabel>}
      {isEmpty && (
        <Notice
          title="Nothing reaches you yet"
          action={
            <Button className={classes.add} onClick={onAdd}>
              Choose where to be told
            </Button>
          }
        >
          Say where you want to hear of deals: on this device, in Telegram or Discord, by e-mail or elsewhere.
          It takes less than a minute.
          {hasChannels && (
            <>
              {' '}
              What the group is told is set up in{' '}
              <Link to="/admin-dashboard" search={{ tab: 'channels' }} className={classes.link}>
                Admin → Channels
              </Link>
              .
            </>
          )}
        </Notice>
      )}
      {ofSearches.length > 0 && (
        <section aria-labelledby="told" className={classes.part}>
          <h2 id="told" className={classes.heading}>
            Searches that tell you
          </h2>
          <ul className={classes.list}>{ofSearches.map(row)}</ul>
        </section>
      )}
      {targets.length > 0 && (
        <section aria-labelledby="targets" className={classes.part}>
          <h2 id="targets" className={classes.heading}>
            Prices you wait for
          </h2>
          <ul className={classes.list}>{targets.map(row)}</ul>
        </section>
      )}
      {!isEmpty && (
        <section aria-labelledby="silent" className={classes.part}>
          <h2 id="silent" className={classes.heading}>
            {ofSearches.length > 0 ? 'Other searches' : 'Ring a bell'}
          </h2>
          {searches === undefined ? (
            <Skeleton height="4rem" radius="lg" />
          ) : silent.length > 0 ? (
            <ul className={classes.list}>
              {silent.map((search) => (
                <li key={search.id} className={classes.silent}>
                  <span className={classes.name} dir="auto">
                    {search.name}
                  </span>
                  <AlertBell {...{ search, destinations, onAdd, say }} isLabelled />
                </li>
              ))}
            </ul>
          ) : (
            <p className={classes.lead}>
              {searches.length === 0
                ? 'Save a search first: look for what you want among the deals and press “Save search”. A bell on it then tells you of each new match.'
                : 'All your searches tell you.'}{' '}
              <Link to="/amazon-haul" className={classes.link}>
                Look for deals
              </Link>
            </p>
          )}
        </section>
      )}
      {edited && (
        <OptionsDialog
          alert={edited}
          destination={destinations.find(({ id }) => id === edited.destination_id)}
          onSaved={() => {
            // What is saved late leaves another dialog alone that was opened meanwhile.
            setEdited((now) => (now === edited ? undefined : now))
            say({ text: `Saved “${edited.name}”.` })
          }}
          onLateProblem={(text) => say({ text, failed: true })}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ActionToast {...toast} />
    </div>
  )
}

const isTarget = ({ deal_id }: Alert) => deal_id !== null

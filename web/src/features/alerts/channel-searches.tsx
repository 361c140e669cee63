import type { Alert } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, CloseButton, NativeSelect } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useAlertChanges } from './api.ts'
import classes from './channel-searches.module.css'
import { useAlerts } from './live.ts'

type ChannelSearchesProps = {
  channel: Destination
  /** Those that are shared with the group. */
  shared: readonly SavedSearch[]
}

/** The searches whose matches go to a channel of the group; adding and removing them. */
export function ChannelSearches({ channel, shared }: ChannelSearchesProps) {
  const alerts = useAlerts()
  const { add, remove } = useAlertChanges()
  const own: Alert[] = (alerts.data?.items ?? []).filter(
    ({ destination_id, search_id }) => destination_id === channel.id && search_id !== null,
  )
  const others = shared.filter(({ id }) => !own.some(({ search_id }) => search_id === id))
  const [chosen, setChosen] = useState<number>()
  const select = useRef<HTMLSelectElement>(null)
  const next = others.find(({ id }) => id === chosen)
  const error = add.error ?? remove.error
  /** What an earlier one met is over; one that is under way may still meet something. */
  const begin = (other: typeof add | typeof remove) => {
    if (!other.isPending) other.reset()
  }
  return (
    <div className={classes.searches}>
      {own.length > 0 ? (
        <ul className={classes.list} aria-label={`Searches of ${channel.name}`}>
          {own.map((alert) => (
            <li key={alert.id} className={classes.search}>
              <span className={classes.name} dir="auto">
                {alert.name}
              </span>
              <CloseButton
                size={44}
                iconSize={18}
                aria-label={`Take ${alert.name} off ${channel.name}`}
                onClick={() => {
                  begin(add)
                  remove.mutate(alert)
                }}
              />
            </li>
          ))}
        </ul>
      ) : (
        shared.length > 0 && <p className={classes.text}>Nothing is sent here yet: choose a shared search.</p>
      )}
      {others.length > 0 ? (
        <form
          className={classes.choice}
          onSubmit={(event) => {
            event.preventDefault()
            if (next === undefined) return
            setChosen(undefined)
            // The button can't be pressed again until another is chosen, and would take the focus with it.
            select.current?.focus()
            begin(remove)
            add.mutate({
              ...{ destination_id: channel.id, search_id: next.id },
              ...{ options: {}, send_matching: false },
            })
          }}
        >
          {/* An arrow key chooses already, so it is a press of the button that sends to everybody. */}
          <NativeSelect
            ref={select}
            aria-label={`Add a search to ${channel.name}`}
            value={next?.id ?? ''}
            data={[
              { value: '', label: 'Add a search …' },
              ...others.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onChange={({ currentTarget: { value } }) => setChosen(Number(value))}
          />
          <Button type="submit" variant="default" disabled={next === undefined}>
            Add
          </Button>
        </form>
      ) : (
        shared.length === 0 && (
          <p className={classes.text}>
            No search is shared with the group.{' '}
            <Link to="/searches" className={classes.link}>
              Share one of your searches
            </Link>
            ; then it can be chosen here.
          </p>
        )
      )}
      <p role="alert" className={classes.problem}>
        {error && errorMessage(error)}
      </p>
    </div>
  )
}

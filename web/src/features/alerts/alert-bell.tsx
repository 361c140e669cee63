import type { Alert } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import { IconBell, IconBellFilled, IconBellRinging } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import type { ActionNote } from '../../ui/action-toast.tsx'
import { LateDialog } from '../../ui/late-dialog.tsx'
import classes from './alert-bell.module.css'
import { expectationQuery, inputOf, useAlertChanges } from './api.ts'
import { useAlerts } from './live.ts'
import { alertsOf, expectationText, usable } from './view.ts'

const bellDialog = { fetch: async () => (await import('./components/bell-dialog.tsx')).BellDialog }

type AlertBellProps = {
  search: { id: number; name: string }
  /** All that are known; undefined until they are. */
  destinations: readonly Destination[] | undefined
  isLabelled?: boolean
  /** Leads to adding a destination, where there is none. */
  onAdd: () => void
  say: (note: ActionNote) => void
}

/** Whether new matches of a search are told of, and where: one tap turns it on or off; of several places one chooses. */
export function AlertBell({ search, destinations, isLabelled = false, onAdd, say }: AlertBellProps) {
  const queries = useQueryClient()
  const { number } = useMarketplace()
  const alerts = useAlerts()
  const { add, change, remove } = useAlertChanges()
  const [isChoosing, setChoosing] = useState(false)
  const own = alertsOf(alerts.data?.items ?? [], search.id)
  const isOn = own.length > 0
  const isKnown = destinations !== undefined && alerts.data !== undefined
  const isBusy = add.isPending || remove.isPending
  const places = usable(destinations ?? [])
  const nameOf = (alert: Alert) =>
    places.find(({ id }) => id === alert.destination_id)?.name ?? 'a destination'
  const fail = (what: string) => (error: Error) =>
    say({ text: `${what} ${errorMessage(error)}`, failed: true })

  function turnOn({ id, name }: Destination) {
    add.mutate(
      { destination_id: id, search_id: search.id, options: {}, send_matching: false },
      { onSuccess: (alert) => void tell(alert, name), onError: fail('The bell is still off.') },
    )
  }

  async function tell(alert: Alert, place: string) {
    const expected = await queries.fetchQuery(expectationQuery(search.id)).catch(() => undefined)
    const said = expected ? `: ${expectationText(expected, number)}` : ''
    say({
      text: `“${search.name}” → ${place}${said}.`,
      ...(expected !== undefined &&
        expected.matching > 0 && { more: { label: 'Send those now', run: () => sendMatching(alert) } }),
      undo: () => void remove.mutateAsync(alert).catch(fail('The bell is still on.')),
    })
  }

  function sendMatching({ id }: Alert) {
    // The note outlives the bell, whose search moves to those that tell.
    change
      .mutateAsync({ id, send_matching: true })
      .then(() => say({ text: 'What matches now is sent as one list.' }), fail('Nothing was sent.'))
  }

  function turnOff(alert: Alert) {
    const undo = () => void add.mutateAsync(inputOf(alert)).catch(fail('The bell is still off.'))
    remove.mutate(alert, {
      onSuccess: () => say({ text: `“${search.name}” → ${nameOf(alert)} is off.`, undo }),
      onError: fail('The bell is still on.'),
    })
  }

  function press() {
    if (!isKnown || isBusy) return
    const [only, ...others] = places
    const [alert, ...more] = own
    if (only === undefined) onAdd()
    else if (others.length > 0 || more.length > 0) setChoosing(true)
    else if (alert) turnOff(alert)
    else turnOn(only)
  }

  const Icon = isOn ? (isLabelled ? IconBellRinging : IconBellFilled) : IconBell
  const where = own.map(nameOf).join(', ')
  return (
    <>
      <button
        type="button"
        className={classes.bell}
        data-on={isOn || undefined}
        aria-pressed={isOn}
        aria-disabled={!isKnown || isBusy}
        aria-label={`Tell me of new deals in ${search.name}`}
        title={isOn ? `New deals go to ${where}` : 'Tell me of new deals'}
        onClick={press}
      >
        <Icon size={18} stroke={1.75} aria-hidden />
        {isLabelled && <span className={classes.label}>{isOn ? where : 'Tell me'}</span>}
      </button>
      {isChoosing && (
        <LateDialog
          of={bellDialog}
          props={{
            search,
            places,
            alerts: own,
            isBusy,
            onOn: turnOn,
            onOff: turnOff,
            onClose: () => setChoosing(false),
          }}
        />
      )}
    </>
  )
}

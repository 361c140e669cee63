import type { Alert } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Group, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { expectationQuery } from '../api.ts'
import { expectationText } from '../view.ts'
import classes from './bell-dialog.module.css'

type BellDialogProps = {
  search: { id: number; name: string }
  places: readonly Destination[]
  /** The alerts of the search. */
  alerts: readonly Alert[]
  isBusy: boolean
  onOn: (destination: Destination) => void
  onOff: (alert: Alert) => void
  onClose: () => void
}

/** Where new matches of a search go, of several places. */
export function BellDialog({ search, places, alerts, isBusy, onOn, onOff, onClose }: BellDialogProps) {
  const { number } = useMarketplace()
  const expected = useQuery(expectationQuery(search.id))
  return (
    <Dialog title={`Tell me of “${search.name}”`} onClose={onClose}>
      <p className={classes.text}>
        {expected.data ? `Of these deals ${expectationText(expected.data, number)}.` : 'Where to?'}
      </p>
      <div className={classes.places} aria-busy={isBusy}>
        {places.map((place) => {
          const alert = alerts.find(({ destination_id }) => destination_id === place.id)
          return (
            <Switch
              key={place.id}
              label={place.name}
              description={place.state === 'ok' ? undefined : place.state_text}
              checked={alert !== undefined}
              onChange={() => {
                if (isBusy) return
                if (alert) onOff(alert)
                else onOn(place)
              }}
            />
          )
        })}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button className={classes.done} onClick={onClose}>
          Done
        </Button>
      </Group>
    </Dialog>
  )
}

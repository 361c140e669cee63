import type { Destination } from '@dealdeck/contract/deliveries'
import { Button } from '@mantine/core'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { AlertList } from '../features/alerts/alert-list.tsx'
import { AlertsScreen } from '../features/alerts/alerts-screen.tsx'
import { PeaceForm } from '../features/alerts/peace-form.tsx'
import { ToldOf } from '../features/alerts/told-of.tsx'
import { useWish } from '../features/alerts/wished-alert.tsx'
import { DeliveryLog } from '../features/deliveries/delivery-log.tsx'
import { Destinations } from '../features/deliveries/destinations.tsx'
import { useDestinations } from '../features/deliveries/live.ts'
import { ofGroup } from '../features/deliveries/view.ts'
import { useSearches } from '../features/searches/live.ts'
import { Notice } from '../ui/notice.tsx'
import { placeBefore, useAddDestination } from './where-to-add.ts'

const route = getRouteApi('/alerts')

/** What a member is told of: their alerts with their searches, destinations and the log of both. */
export function Alerts() {
  const { at, back, for: wished } = route.useSearch()
  const navigate = route.useNavigate()
  const { history } = useRouter()
  const { searches } = useSearches()
  const { data } = useDestinations()
  const addDestination = useAddDestination()
  const onAdd = () => addDestination(undefined, '/alerts')
  const wish = useWish(wished, searches)
  const whereFrom = placeBefore(back)
  const next = {
    label: whereFrom ? 'Back to what I was doing' : 'Choose what to hear of',
    onNext: () => (whereFrom ? history.push(whereFrom) : void navigate({ search: {} })),
  }
  const own = data && ofGroup(data.items, false)
  return (
    <AlertsScreen
      panels={{
        told: (
          <AlertList
            destinations={own}
            searches={searches}
            onAdd={onAdd}
            hasChannels={data !== undefined && ofGroup(data.items, true).length > 0}
          />
        ),
        destinations: (
          <Destinations
            isGroup={false}
            at={at === undefined ? undefined : String(at)}
            onGo={(place) =>
              void navigate({
                search: {
                  tab: 'destinations',
                  ...(place && {
                    at: place,
                    ...(whereFrom && { back: whereFrom }),
                    ...(wished && { for: wished }),
                  }),
                },
                resetScroll: false,
              })
            }
            about={(destination: Destination) => <ToldOf destination={destination} />}
            next={next}
            onMade={(made) => void wish.fulfil(made)}
            said={wish.textOf}
          />
        ),
        quiet: <PeaceForm isGroup={false} />,
        log: (
          <DeliveryLog
            isWhole={false}
            destinations={own ?? []}
            searches={searches ?? []}
            lead={
              <Notice
                title="Nothing was sent yet"
                action={<Button onClick={() => void navigate({ search: {} })}>My alerts</Button>}
              >
                As soon as a deal matches one of your bells, it stands here with what became of it, for 30
                days.
              </Notice>
            }
          />
        ),
      }}
    />
  )
}

import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ChannelSearches } from '../features/alerts/channel-searches.tsx'
import { PeaceForm } from '../features/alerts/peace-form.tsx'
import { DeliveryLog } from '../features/deliveries/delivery-log.tsx'
import { Destinations } from '../features/deliveries/destinations.tsx'
import { useDestinations } from '../features/deliveries/live.ts'
import { useSearches } from '../features/searches/live.ts'
import { Notice } from '../ui/notice.tsx'
import classes from './channels.module.css'

const route = getRouteApi('/admin-dashboard')

/** What is looked at now and then: its title alone, until it is opened. */
function Fold({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.part} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <h2 className={classes.heading}>{title}</h2>
      </summary>
      {isOpen && children}
    </details>
  )
}

/** The group's channels with their searches and quiet hours, and what was sent to anybody. The dashboard's Channels. */
export function Channels() {
  const { source: at } = route.useSearch()
  const navigate = route.useNavigate()
  const { searches } = useSearches()
  const { data } = useDestinations()
  const shared = (searches ?? []).filter(({ is_shared }) => is_shared)
  const go = (source: string | undefined) =>
    void navigate({ search: { tab: 'channels', ...(source && { source }) }, resetScroll: false })
  return (
    <div className={classes.channels}>
      <Destinations
        isGroup
        at={at}
        onGo={go}
        about={(channel) => <ChannelSearches channel={channel} shared={shared} />}
        next={{ label: 'Choose what is sent there', onNext: () => go(undefined) }}
      />
      {at === undefined && (
        <>
          <Fold title="Quiet hours of the group">
            <PeaceForm isGroup />
          </Fold>
          <Fold title="What was sent, to anybody">
            <DeliveryLog
              isWhole
              destinations={data?.items ?? []}
              searches={shared}
              lead={
                <Notice title="Nothing was sent yet">What is sent to anybody stands here for 30 days.</Notice>
              }
            />
          </Fold>
        </>
      )}
    </div>
  )
}

import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TabRow } from '../../ui/tab-row.tsx'
import classes from './alerts-screen.module.css'

const tabs = ['told', 'destinations', 'quiet', 'log'] as const
export type AlertsTab = (typeof tabs)[number]

const labels: Record<AlertsTab, string> = {
  told: 'My alerts',
  destinations: 'Destinations',
  quiet: 'Quiet hours',
  log: 'Log',
}

const route = getRouteApi('/alerts')

/** What will reach its reader, where, and when, and what has reached them. */
export function AlertsScreen({ panels }: { panels: Record<AlertsTab, ReactNode> }) {
  const { tab: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const tab = tabs.find((known) => known === asked) ?? 'told'
  return (
    <div className={classes.screen}>
      <header>
        <h1 className={classes.title}>Alerts</h1>
        <p className={classes.lead}>What reaches you, where, and when.</p>
      </header>
      <TabRow
        label="Alerts"
        tabs={tabs}
        chosen={tab}
        face={(known) => labels[known]}
        onChoose={(next) =>
          void navigate({ search: next === 'told' ? {} : { tab: next }, resetScroll: false })
        }
        scrolls
        large
      >
        {panels[tab]}
      </TabRow>
    </div>
  )
}

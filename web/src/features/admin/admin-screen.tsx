import '@mantine/core/styles/Tabs.layer.css'
import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import classes from './admin-screen.module.css'
import { adminStatsQuery } from './api.ts'
import { QuickStats } from './components/quick-stats.tsx'
import { type AdminTab, adminTabLabels, adminTabs } from './view.ts'

const route = getRouteApi('/admin-dashboard')

type AdminScreenProps = {
  /** What each tab holds. A tab without content isn't offered. */
  panels: Partial<Record<AdminTab, ReactNode>>
}

/** Everything an administrator looks after: figures, then one tab for each kind of thing. */
export function AdminScreen({ panels }: AdminScreenProps) {
  const { tab: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const { username } = useSession()
  const { number } = useMarketplace()
  const { data: stats, isError } = useQuery(adminStatsQuery)
  const offered = adminTabs.filter((tab) => panels[tab] !== undefined)
  const tab = offered.find((known) => known === asked) ?? 'filters'

  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs exactly when another tab is chosen
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-selected="true"]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [tab])

  return (
    <div className={classes.screen}>
      <header>
        <p className={classes.role}>Administrator</p>
        <h1 className={classes.title}>Welcome back, {username}</h1>
      </header>
      <QuickStats stats={stats} failed={isError} number={number} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => {
          const next = offered.find((known) => known === value)
          void navigate({ search: { tab: next === 'filters' ? undefined : next }, resetScroll: false })
        }}
      >
        <div ref={list} className={classes.scroll}>
          <Tabs.List className={classes.list} aria-label="Administration">
            {offered.map((known) => (
              <Tabs.Tab key={known} value={known} className={classes.tab}>
                {adminTabLabels[known]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel value={tab} className={classes.panel}>
          {panels[tab]}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

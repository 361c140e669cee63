import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { TabRow } from '../../ui/tab-row.tsx'
import classes from './admin-screen.module.css'
import { adminStatsQuery } from './api.ts'
import { QuickStats } from './components/quick-stats.tsx'
import { adminTabLabels } from './view/labels.ts'
import { type AdminTab, adminTabs } from './view.ts'

const route = getRouteApi('/admin-dashboard')

type AdminScreenProps = {
  /** What each tab holds. A tab without content isn't offered. */
  panels: Partial<Record<AdminTab, ReactNode>>
  /** What stands behind the name of a tab. */
  signs?: Partial<Record<AdminTab, ReactNode>>
}

/** Everything an administrator looks after: figures, then one tab for each kind of thing. */
export function AdminScreen({ panels, signs = {} }: AdminScreenProps) {
  const { tab: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const { username } = useSession()
  const { number } = useMarketplace()
  const { data: stats, isError } = useQuery(adminStatsQuery)
  const offered = adminTabs.filter((tab) => panels[tab] !== undefined)
  const tab = offered.find((known) => known === asked) ?? 'filters'

  return (
    <div className={classes.screen}>
      <header>
        <p className={classes.role}>Administrator</p>
        <h1 className={classes.title}>Welcome back, {username}</h1>
      </header>
      <QuickStats stats={stats} failed={isError} number={number} />
      <TabRow
        label="Administration"
        tabs={offered}
        chosen={tab}
        face={(known) => (
          <>
            {adminTabLabels[known]}
            {signs[known]}
          </>
        )}
        onChoose={(next) =>
          void navigate({ search: { tab: next === 'filters' ? undefined : next }, resetScroll: false })
        }
        scrolls
        large
      >
        {panels[tab]}
      </TabRow>
    </div>
  )
}

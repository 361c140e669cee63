import type { ReactNode } from 'react'
import { TabRow } from '../../../ui/tab-row.tsx'
import { categoryLabels, type Tab, tabs } from '../view.ts'
import classes from './category-tabs.module.css'

type CategoryTabsProps = {
  tab: Tab
  /** How many filters each tab holds; undefined while they are loaded. */
  counts: Record<Tab, number> | undefined
  number: (value: number) => string
  onTab: (tab: Tab) => void
  /** What the chosen tab holds. */
  children: ReactNode
}

/** One tab per category with its count, in a row that scrolls sideways where it is too long. */
export function CategoryTabs({ tab, counts, number, onTab, children }: CategoryTabsProps) {
  return (
    <TabRow
      label="Categories"
      tabs={tabs}
      chosen={tab}
      onChoose={onTab}
      face={(known) => (
        <>
          {known === 'all' ? 'All' : categoryLabels[known]}{' '}
          <span className={classes.count}>{counts ? number(counts[known]) : '–'}</span>
        </>
      )}
      scrolls
    >
      {children}
    </TabRow>
  )
}

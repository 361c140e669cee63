import '@mantine/core/styles/Tabs.layer.css'
import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
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
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs exactly when another tab is chosen
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-selected="true"]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [tab])
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(value) => onTab(tabs.find((known) => known === value) ?? 'all')}
    >
      <div ref={list} className={classes.scroll}>
        <Tabs.List className={classes.list} aria-label="Categories">
          {tabs.map((known) => (
            <Tabs.Tab key={known} value={known} className={classes.tab}>
              {known === 'all' ? 'All' : categoryLabels[known]}{' '}
              <span className={classes.count}>{counts ? number(counts[known]) : '–'}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      <Tabs.Panel value={tab} className={classes.panel}>
        {children}
      </Tabs.Panel>
    </Tabs>
  )
}

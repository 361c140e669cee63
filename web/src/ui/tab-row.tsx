import '@mantine/core/styles/Tabs.layer.css'
import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './tab-row.module.css'

type TabRowProps<Tab extends string> = {
  /** Names the row for screen readers. */
  label: string
  tabs: readonly Tab[]
  chosen: Tab
  onChoose: (tab: Tab) => void
  face: (tab: Tab) => ReactNode
  /** Whether the row scrolls sideways where it is too long. */
  scrolls?: boolean
  large?: boolean
  /** What the chosen tab holds. */
  children: ReactNode
}

/** A row of tabs over what the chosen one holds. */
export function TabRow<Tab extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  face,
  scrolls,
  large,
  children,
}: TabRowProps<Tab>) {
  const scroller = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs exactly when another tab is chosen
  useEffect(() => {
    const tab = scroller.current?.querySelector('[aria-selected="true"]')
    tab?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [chosen])
  const row = (
    <Tabs.List className={classes.list} data-large={large} aria-label={label}>
      {tabs.map((tab) => (
        <Tabs.Tab key={tab} value={tab} className={classes.tab}>
          {face(tab)}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  )
  return (
    <Tabs
      value={chosen}
      keepMounted={false}
      onChange={(value) => {
        const tab = tabs.find((known) => known === value)
        if (tab !== undefined) onChoose(tab)
      }}
    >
      {scrolls ? (
        <div ref={scroller} className={classes.scroll}>
          {row}
        </div>
      ) : (
        row
      )}
      <Tabs.Panel value={chosen} className={classes.panel} data-large={large}>
        {children}
      </Tabs.Panel>
    </Tabs>
  )
}

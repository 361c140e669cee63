import '@mantine/core/styles/Tabs.layer.css'
import { Tabs } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
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
    const row = scroller.current
    const tab = row?.querySelector('[aria-selected="true"]')?.getBoundingClientRect()
    // Only along the row: how far the page is scrolled is its reader's.
    if (row && tab)
      row.scrollLeft += tab.left + tab.width / 2 - row.getBoundingClientRect().left - row.clientWidth / 2
  }, [chosen])
  const beyond = useBeyond(scroller)
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
        <div className={classes.edges}>
          <div ref={scroller} className={classes.scroll}>
            {row}
          </div>
          {ends.map(({ side, direction, Icon }) => (
            // The keyboard has the tabs themselves.
            <button
              key={side}
              type="button"
              className={classes.edge}
              data-side={side}
              hidden={!beyond[side]}
              aria-hidden
              tabIndex={-1}
              onClick={() =>
                scroller.current?.scrollBy({
                  left: direction * scroller.current.clientWidth * 0.7,
                  behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
                })
              }
            >
              <Icon size={18} stroke={1.75} />
            </button>
          ))}
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

const ends = [
  { side: 'left', direction: -1, Icon: IconChevronLeft },
  { side: 'right', direction: 1, Icon: IconChevronRight },
] as const

/** On which sides of a row there is more than is in sight. */
function useBeyond(scroller: RefObject<HTMLElement | null>) {
  const [beyond, setBeyond] = useState({ left: false, right: false })
  useEffect(() => {
    const row = scroller.current
    if (!row) return
    const look = () => {
      const left = row.scrollLeft > 1
      const right = row.scrollLeft + row.clientWidth < row.scrollWidth - 1
      setBeyond((was) => (was.left === left && was.right === right ? was : { left, right }))
    }
    // The row is as wide as the screen, and its tabs as what they say.
    const size = new ResizeObserver(look)
    for (const element of [row, ...row.children]) size.observe(element)
    row.addEventListener('scroll', look, { passive: true })
    return () => {
      size.disconnect()
      row.removeEventListener('scroll', look)
    }
  }, [scroller])
  return beyond
}

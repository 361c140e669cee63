import type { UserRecord } from '@dealdeck/contract/users'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { keptRange } from '../../../ui/kept-range.ts'
import { usePageArea } from '../../../ui/windowed-rows.ts'
import classes from './user-list.module.css'

export type Listed = {
  users: readonly UserRecord[]
  /** How many there are in all; the others come as the reader gets there. */
  total: number
  /** There are more, and they may be asked for now. */
  hasMore: boolean
  onMore: () => void
}

type UserListProps = Listed & { card: (user: UserRecord) => ReactNode }

const ahead = 10

/**
 * Which users near the screen exist in a list that scrolls with the page; their elements may have any height, at first
 * one of `heightRem`. `gap` in pixels. Asks for more when the reader comes near the end.
 */
export function useUserWindow(
  list: RefObject<HTMLElement | null>,
  { users, hasMore, onMore }: Omit<Listed, 'total'>,
  { heightRem, gap }: { heightRem: number; gap: number },
) {
  const { top } = usePageArea(list)
  const [focused, setFocused] = useState(-1)
  const [height] = useState(
    () => heightRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  )
  const virtualizer = useWindowVirtualizer({
    count: users.length,
    estimateSize: () => height,
    getItemKey: (index) => users[index]?.id ?? index,
    gap,
    overscan: 6,
    scrollMargin: top,
    useFlushSync: false,
    rangeExtractor: (range) => keptRange(range, focused),
  })
  const items = virtualizer.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= users.length - ahead
  useEffect(() => {
    if (isNearEnd && hasMore) onMore()
  }, [isNearEnd, hasMore, onMore])

  const whileFocused = {
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      const element = target.closest<HTMLElement>('[data-index]')
      setFocused(Number(element?.dataset.index ?? -1))
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
      // On the way to a neighbour that neighbour must not go.
      if (!currentTarget.contains(relatedTarget)) setFocused(-1)
    },
  }
  return { top, items, measure: virtualizer.measureElement, size: virtualizer.getTotalSize(), whileFocused }
}

/** Cards, for a phone. */
export function UserList({ card, total, ...listed }: UserListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { top, items, measure, size, whileFocused } = useUserWindow(list, listed, {
    heightRem: 4.125,
    gap: 8,
  })
  return (
    <ul ref={list} aria-label="Users" className={classes.list} style={{ height: size }} {...whileFocused}>
      {items.map(({ index, key, start }) => {
        const user = listed.users[index]
        if (user === undefined) return null
        return (
          <li
            key={key}
            ref={measure}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={total}
            className={classes.item}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {card(user)}
          </li>
        )
      })}
    </ul>
  )
}

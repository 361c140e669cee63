import type { UserRecord } from '@dealdeck/contract/users'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { keptRange } from '../../../ui/kept-range.ts'
import { usePageArea } from '../../../ui/windowed-rows.ts'
import classes from './user-list.module.css'

type UserListProps = {
  users: readonly UserRecord[]
  /** How many there are in all; the others come as the reader gets there. */
  total: number
  /** There are more, and they may be asked for now. */
  hasMore: boolean
  isLoadingMore: boolean
  onMore: () => void
  card: (user: UserRecord) => ReactNode
}

const cardRem = 4.125
const gap = 8
const ahead = 10

/** Cards of any height that scroll with the page, of which only those near the screen exist. */
export function UserList({ users, total, hasMore, isLoadingMore, onMore, card }: UserListProps) {
  const list = useRef<HTMLUListElement>(null)
  const { top } = usePageArea(list)
  const [focused, setFocused] = useState(-1)
  const [cardHeight] = useState(
    () => cardRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  )
  const virtualizer = useWindowVirtualizer({
    count: users.length,
    estimateSize: () => cardHeight,
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

  return (
    <>
      <ul
        ref={list}
        aria-label="Users"
        className={classes.list}
        style={{ height: virtualizer.getTotalSize() }}
        onFocus={(event) => {
          const position = event.target.closest('li')?.getAttribute('aria-posinset')
          setFocused(Number(position ?? 0) - 1)
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          // On the way to a neighbour that neighbour must not go.
          if (!currentTarget.contains(relatedTarget)) setFocused(-1)
        }}
      >
        {items.map(({ index, key, start }) => {
          const user = users[index]
          if (user === undefined) return null
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
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
      {isLoadingMore && (
        <p className={classes.more} role="status">
          Loading more
        </p>
      )}
    </>
  )
}

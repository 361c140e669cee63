import type { Deal } from '@dealdeck/contract/deals'
import { Skeleton } from '@mantine/core'
import { type RouterHistory, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import { type FeedLayout, usePreferences } from '../../../platform/preferences.ts'
import { FullText } from '../../../ui/full-text.tsx'
import { usePageArea, useWindowedRows } from '../../../ui/windowed-rows.ts'
import type { Falls } from '../view/price-falls.ts'
import { type FeedArea, feedShape, keepInSight } from '../view.ts'
import base from './deal-base.module.css'
import card from './deal-card.module.css'
import { DealCard } from './deal-card.tsx'
import classes from './deal-grid.module.css'
import line from './deal-line.module.css'

/** The prices that a reader waits for by the ids of their deals, and what asks for one. */
export type Targets = { prices: ReadonlyMap<number, number>; ask: (deal: Deal) => void }

type DealGridProps = {
  deals: readonly Deal[]
  /** How many places the grid has at least; those without a deal yet hold its skeleton. */
  places: number
  /** Whether all deals are here. */
  complete: boolean
  busy: boolean
  shop: Marketplace
  now: number
  /** Pixels to scroll to as soon as the grid has its height. */
  startAt: number
  /** Kept at the number of deals down to the last row on screen. */
  reached: RefObject<number>
  /** Gets what scrolls to a position in the list. */
  goTo?: RefObject<((position: number) => void) | undefined>
  /** Deals to mark: as new, with the price they had, and the one that was asked for. */
  fresh?: ReadonlySet<number>
  falls?: Falls
  wanted?: number | undefined
  onShare: ((deal: Deal) => void) | undefined
  /** The prices that its reader waits for, once they are known. */
  targets?: Targets | undefined
}

/** Height of the header, which stays at the window's top, in units of the root's font size. */
const headerRem = 3.5

/**
 * The cards in rows, or the lines of the list, of which only those near the screen exist. Every row has the same height
 * and a deal's element belongs to its place, not to the deal, so a list that replaces another moves nothing.
 */
export function DealGrid({
  deals,
  places,
  complete,
  busy,
  shop,
  now,
  startAt,
  reached,
  goTo,
  fresh,
  falls,
  wanted,
  onShare,
  targets,
}: DealGridProps) {
  const feed = useRef<HTMLDivElement>(null)
  const { history } = useRouter()
  const area = usePageArea(feed)
  const [focusedRow, setFocusedRow] = useState(-1)
  const { layout } = usePreferences()
  const { columns, cardHeight, gap } = feedShape(layout, area.width, area.rem)
  const rowHeight = cardHeight + gap
  const rows = Math.ceil(Math.max(deals.length, places) / columns)

  const virtualizer = useWindowedRows({
    area,
    rows,
    rowHeight,
    overscan: layout === 'list' ? 8 : 2,
    focused: focusedRow,
  })

  const isMeasured = area.width > 0
  useLayoutEffect(() => {
    if (isMeasured && startAt > 0) window.scrollTo({ top: startAt, behavior: 'instant' })
  }, [isMeasured, startAt])

  // Another layout, or a phone that was turned: what is read stays where it is.
  const shaped = useRef<FeedArea>(undefined)
  useLayoutEffect(() => {
    const before = shaped.current
    const now = { top: area.top, columns, rowHeight }
    shaped.current = isMeasured ? now : undefined
    if (before === undefined || (before.columns === columns && before.rowHeight === rowHeight)) return
    const top = keepInSight(before, now, window.scrollY, headerRem * area.rem)
    if (top !== window.scrollY) window.scrollTo({ top, behavior: 'instant' })
  }, [isMeasured, area, columns, rowHeight])

  useLayoutEffect(() => {
    reached.current = ((virtualizer.range?.endIndex ?? 0) + 1) * columns
  })
  useLayoutEffect(() => {
    if (goTo === undefined) return
    goTo.current = (position) =>
      virtualizer.scrollToIndex(Math.floor(position / columns), { align: 'center' })
  }, [goTo, virtualizer, columns])
  const size = complete ? deals.length : -1

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's Enter on a link is a click too.
    <div
      ref={feed}
      role="feed"
      aria-label="Deals"
      aria-busy={busy}
      data-loaded={deals.length}
      data-layout={layout}
      className={classes.feed}
      style={{ height: Math.max(0, rows * rowHeight - gap) }}
      onFocus={(event) => {
        const row = event.target.closest('[data-row]')
        setFocusedRow(Number(row?.getAttribute('data-row') ?? -1))
      }}
      onBlur={() => setFocusedRow(-1)}
      onClick={(event) => followPage(event, history)}
    >
      <FullText list={feed} />
      {virtualizer.getVirtualItems().map(({ index, start }) => (
        <div
          key={index}
          role="presentation"
          data-row={index}
          className={classes.row}
          style={{
            height: cardHeight,
            gap,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${start - area.top}px)`,
          }}
        >
          {positionsOf(index, columns).map((position) => {
            const deal = deals[position]
            if (deal === undefined)
              return position < places && <SkeletonCard key={position} layout={layout} />
            return (
              <DealCard
                key={position}
                deal={deal}
                layout={layout}
                shop={shop}
                now={now}
                position={position + 1}
                size={size}
                isFresh={fresh?.has(deal.id) ?? false}
                isWanted={deal.id === wanted}
                was={falls?.get(deal.id)}
                onShare={onShare}
                target={targets?.prices.get(deal.id)}
                onTarget={targets?.ask}
              />
            )
          })}
        </div>
      ))}
    </div>
  )
}

/** A card that is still on its way, in the shape and size it will have. */
function SkeletonCard({ layout }: { layout: FeedLayout }) {
  if (layout === 'list')
    return (
      <div className={line.card} aria-hidden>
        <Skeleton className={line.picture} />
        <div className={classes.waiting}>
          <Skeleton className={base.skeleton} height="0.875rem" width="70%" />
          <Skeleton className={base.skeleton} height="0.875rem" width="30%" />
        </div>
      </div>
    )
  return (
    <div className={card.card} aria-hidden>
      <Skeleton className={card.picture} radius={0} />
      <div className={card.body}>
        <Skeleton className={base.skeleton} height="1.25rem" mt="0.25rem" width="45%" />
        <Skeleton className={base.skeleton} height="0.875rem" mt="0.375rem" />
        <Skeleton className={base.skeleton} height="0.875rem" mt="0.25rem" width="70%" />
        <Skeleton className={base.skeleton} height="0.75rem" mt="0.5rem" width="50%" />
        <Skeleton className={base.skeleton} height="0.75rem" mt="0.5rem" width="60%" />
      </div>
    </div>
  )
}

/** Cards are plain elements, so that a press on the way to a deal's page is taken here for all of them. */
function followPage(event: MouseEvent<HTMLElement>, history: RouterHistory): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  const { target } = event
  const path = target instanceof Element ? target.closest('a')?.getAttribute('href') : undefined
  if (!path?.startsWith('/')) return
  event.preventDefault()
  history.push(path)
}

function positionsOf(row: number, columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => row * columns + column)
}

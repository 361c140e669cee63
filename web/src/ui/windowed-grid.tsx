import { type ReactNode, useRef, useState } from 'react'
import classes from './windowed-grid.module.css'
import { usePageArea, useWindowedRows } from './windowed-rows.ts'

type WindowedGridProps = {
  /** Names the list for screen readers. */
  label: string
  count: number
  /** The least width of a column and the height of a cell, in units of the root's font size. */
  columnRem: number
  cellRem: number
  /** The cell at a position, counted from 0. */
  cell: (position: number) => ReactNode
}

const gap = 8

/**
 * A list in columns that scrolls with the page, of which only the rows near the screen exist. All cells have the same
 * size, so nothing moves when others take their place.
 */
export function WindowedGrid({ label, count, columnRem, cellRem, cell }: WindowedGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const area = usePageArea(list)
  const [focusedRow, setFocusedRow] = useState(-1)
  const columns = Math.max(1, Math.floor((area.width + gap) / (columnRem * area.rem + gap)))
  const rowHeight = cellRem * area.rem + gap
  const rows = Math.ceil(count / columns)

  const virtualizer = useWindowedRows({ area, rows, rowHeight, overscan: 4, focused: focusedRow })

  return (
    <ul
      ref={list}
      aria-label={label}
      className={classes.list}
      style={{ height: Math.max(0, rows * rowHeight - gap) }}
      onFocus={(event) => {
        const position = event.target.closest('li')?.getAttribute('aria-posinset')
        setFocusedRow(Math.floor((Number(position ?? 0) - 1) / columns))
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // On the way to a neighbour that neighbour must not go.
        if (!currentTarget.contains(relatedTarget)) setFocusedRow(-1)
      }}
    >
      {virtualizer.getVirtualItems().flatMap(({ index: row, start }) =>
        Array.from({ length: Math.min(columns, count - row * columns) }, (_, column) => {
          const position = row * columns + column
          return (
            <li
              key={position}
              aria-posinset={position + 1}
              aria-setsize={count}
              className={classes.cell}
              style={{
                width: `calc((100% - ${gap * (columns - 1)}px) / ${columns})`,
                height: rowHeight - gap,
                insetInlineStart: `calc((100% + ${gap}px) / ${columns} * ${column})`,
                transform: `translateY(${start - area.top}px)`,
              }}
            >
              {cell(position)}
            </li>
          )
        }),
      )}
    </ul>
  )
}

import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useState } from 'react'
import { keptRange } from './kept-range.ts'

/** Where an element lies on the page, and the root's font size, in pixels. Its width is 0 until it is measured. */
export function usePageArea(ref: RefObject<HTMLElement | null>) {
  const [area, setArea] = useState({ width: 0, top: 0, rem: 16 })
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => {
      const { width, top: seen } = element.getBoundingClientRect()
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      const top = Math.round(seen + window.scrollY)
      setArea((area) =>
        area.width === width && area.top === top && area.rem === rem ? area : { width, top, rem },
      )
    }
    measure()
    // What stands above the element can grow, so the page is watched as well.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [ref])
  return area
}

type WindowedRows = {
  area: ReturnType<typeof usePageArea>
  rows: number
  /** In pixels, the gap below it included. */
  rowHeight: number
  /** How many rows exist beyond either edge of the screen. */
  overscan: number
  /** The row that holds the focus; below 0 for none. */
  focused: number
}

/** Rows of one height that scroll with the page, of which only those near the screen exist. */
export function useWindowedRows({ area, rows, rowHeight, overscan, focused }: WindowedRows) {
  const virtualizer = useWindowVirtualizer({
    count: area.width === 0 ? 0 : rows,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: area.top,
    useFlushSync: false,
    rangeExtractor: (range) => keptRange(range, focused),
  })
  // The rows' height depends on the letters' size, which the virtualizer can't know.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again exactly when a row's height changes
  useLayoutEffect(() => virtualizer.measure(), [rowHeight, virtualizer])
  return virtualizer
}

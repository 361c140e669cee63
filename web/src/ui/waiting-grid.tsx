import { Skeleton } from '@mantine/core'
import classes from './waiting-grid.module.css'

type WaitingGridProps = {
  /** Says to screen readers what is awaited, where nothing else does. */
  label?: string
  count: number
  /** As the `WindowedGrid` that comes has them. */
  columnRem: number
  cellRem: number
}

/** Stands where a `WindowedGrid` will, until what it shows is there. */
export function WaitingGrid({ label, count, columnRem, cellRem }: WaitingGridProps) {
  return (
    <div
      className={classes.grid}
      style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${columnRem}rem, 100%), 1fr))` }}
      aria-busy="true"
      {...(label !== undefined && { role: 'status', 'aria-label': label })}
    >
      {Array.from({ length: count }, (_, index) => index).map((index) => (
        <Skeleton key={index} height={`${cellRem}rem`} radius="md" />
      ))}
    </div>
  )
}

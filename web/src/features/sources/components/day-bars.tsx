import { barsOf, barsText } from '../view.ts'
import classes from './day-bars.module.css'

/** New deals of each of the last days, the oldest first, as small bars and in words. */
export function DayBars({
  counts,
  number,
}: {
  counts: readonly number[]
  number: (value: number) => string
}) {
  const text = barsText(counts, number)
  return (
    <svg
      className={classes.bars}
      viewBox={`0 0 ${counts.length * 6} 24`}
      width={counts.length * 6}
      height={24}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path d={barsOf(counts)} />
    </svg>
  )
}

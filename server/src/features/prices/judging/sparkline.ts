import type { PriceRun } from './history.ts'
import { day } from './thresholds.ts'
import { overlap } from './windows.ts'

/** Columns of the box: as many as keep the longest path, one step in each, below 140 bytes. */
const columns = 22
const [width, height] = [90, 24]

/** Columns begin at times that don't move with `now`: else the same prices would draw another line at each look. */
const columnTime = (width * day) / columns
const endOf = (now: number) => Math.ceil(now / columnTime) * columnTime

/**
 * The prices of the 90 days up to the end of the column of `now` as an SVG path of steps with whole coordinates in a box of 90 by 24, one unit a day: each
 * column is at the price that held longest in it, the last one at the price of now, or a gap once that has been unknown for a day. The lowest price lies at the bottom (24), the
 * highest at the top (0), a single one in the middle. Columns of which nothing is known are gaps; empty where all are.
 */
export function sparklineOf(priced: readonly PriceRun[], now: number): string {
  const prices = pricesOf(priced, now)
  const current = priced.at(-1)
  if (now >= nowUnknownFrom(priced)) prices[columns - 1] = null
  else if (current && prices[columns - 1] != null) prices[columns - 1] = current.price
  const known = prices.filter((price) => price !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const level = (price: number) =>
    high === low ? height / 2 : height - Math.round(((price - low) / (high - low)) * height)
  let path = ''
  let at: number | null = null
  for (const [column, price] of prices.entries()) {
    if (price === null) at = null
    else {
      const y = level(price)
      if (at === null) path += `M${edge(column)} ${y}`
      else if (at !== y) path += `H${edge(column)}V${y}`
      const isEnd = column === columns - 1 || prices[column + 1] === null
      if (isEnd) path += `H${edge(column + 1)}`
      at = y
    }
  }
  return path
}

/** From when on the line doesn't reach the present any more, in milliseconds. */
export const nowUnknownFrom = (priced: readonly PriceRun[]): number => (priced.at(-1)?.until ?? 0) + day

const edge = (column: number) => Math.round((column * width) / columns)

/** For each column the price that held longest in it, null where nothing is known. */
function pricesOf(priced: readonly PriceRun[], now: number): (number | null)[] {
  const start = endOf(now) - width * day
  let first = 0
  return Array.from({ length: columns }, (_, column) => {
    const from = start + column * columnTime
    const window = { from, to: Math.min(from + columnTime, now) }
    while ((priced[first]?.until ?? now) <= from && first < priced.length) first += 1
    const held = new Map<number, number>()
    let longest: number | null = null
    for (let index = first; (priced[index]?.from ?? now) < window.to; index += 1) {
      const run = priced[index]
      if (!run) break
      const time = (held.get(run.price) ?? 0) + overlap(run, window)
      held.set(run.price, time)
      if (time > (longest === null ? 0 : (held.get(longest) ?? 0))) longest = run.price
    }
    return longest
  })
}

import type { DealSort } from '@dealdeck/contract/deals'
import { type Cursor, isSortKey } from '../rules.ts'
import {
  type BucketShares,
  bucketsAt,
  cursorBetween,
  isListEnd,
  kindOf,
  lastNumber,
  numberOf,
  type SortBucket,
} from './sort-buckets.ts'

/**
 * Windows of a sort to search one after the other, each as the ids of its buckets; the cursor right behind them, undefined
 * where nothing is left; and the share of all deals that the first one holds.
 */
export type Windows = { buckets: number[][]; end: Cursor | undefined; share: number }

type Widths = {
  /** How many of all deals a page probably needs, a share. */
  wanted: number
  /** The share of deals with the rarest word: intersecting its list with a bucket's takes as long as both are together. */
  rare: number
  shares: BucketShares
  /** Whether the page may begin in the middle of its first bucket. */
  isInside: boolean
  /** The bucket behind which no deal passes the filters. */
  last?: number | undefined
}

const mostBuckets = 64
/** Every deal of a window is compared with the lists of its buckets: each adds a fifth of the time of a single one. */
const mostInWindow = 6
/** How much more the windows hold together with each further one, since words may be rarer than PostgreSQL estimates. */
const growth = 1.5

/**
 * The windows of a sort from a bucket on. The first is estimated to hold `wanted` of all deals, a share. Together with
 * what lies behind `end` they hold every deal from there to the end of the list, in its order. Undefined where no cursor
 * can say where they end, as before the year 1, and where nothing can be found.
 */
export function windowsFrom(bucket: number, sort: DealSort, widths: Widths): Windows | undefined {
  const { wanted, rare, shares, isInside, last } = widths
  const kind = kindOf(bucket)
  const step = sort === 'price' ? 1 : -1
  const lastAt = last === undefined ? lastNumber(kind) : numberOf(last)
  const hasMore = (at: number) => (at - lastAt) * step <= 0
  const buckets: number[][] = []
  let next = numberOf(bucket)
  let [held, goal, firstShare] = [0, wanted, 0]
  for (let left = mostBuckets; left > 0 && hasMore(next); ) {
    const window: number[] = []
    while (held < goal && window.length < Math.min(mostInWindow, left) && hasMore(next)) {
      // Few deals of the last bucket pass the filters, if any.
      if (next === lastAt && window.length > 0) break
      const isFirst = buckets.length === 0 && window.length === 0
      const [narrow, ...wider] = bucketsAt(kind, next, shares)
      const fits = ({ length, left, share }: SortBucket) =>
        (isFirst || left === length) && share <= goal - held + rare / 2
      const taken = (next !== lastAt && wider.findLast(fits)) || narrow
      window.push(taken.id)
      // Earlier pages may have read part of the first bucket.
      held += isFirst && isInside ? (taken.share * (taken.left - 0.5)) / taken.length : taken.share
      next += step * taken.left
    }
    if (buckets.length === 0) firstShare = held
    buckets.push(window)
    left -= window.length
    if (held >= goal) goal = held * growth
  }
  if (buckets.length === 0) return undefined
  const found = { buckets, share: firstShare }
  if (!hasMore(next) && isListEnd(kind)) return { ...found, end: undefined }
  const end = cursorBetween(sort, kind, next - step, next)
  return isSortKey(sort, end.key) ? { ...found, end } : undefined
}

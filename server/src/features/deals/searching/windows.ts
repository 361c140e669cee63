import type { DealSort } from '@dealdeck/contract/deals'
import { type Cursor, isSortKey } from '../rules.ts'
import {
  borderOf,
  isListEnd,
  kindOf,
  lastNumber,
  numberOf,
  type Place,
  placesAt,
  type Shares,
} from './places.ts'

/** How many deals the planner expects. */
export type Estimates = {
  all: number
  /** With the filters. */
  filtered: number
  /** With a word for the rarest piece of the text, and with one for every piece. */
  rarest: number
  together: number
  /** How many different words that are. */
  words: number
  /** The share of all deals that the first window holds. */
  share: number
}

/**
 * How a search gets to its page soonest: by all deals of its words, along the sort's index, or through windows, and
 * then by one of these when they don't fill the page. Costs are in the time of fetching one deal, as measured.
 */
export function wayOfSearch({ all, filtered, rarest, together, words, share }: Estimates) {
  // Pieces of a text may stand together more often than chance has it, or hardly ever: each way is judged by what is
  // worst for it. Many words make long work of every deal.
  const fetching = rarest * (1 + words / 30)
  const walking = (12 * all * all) / (together * filtered)
  // A place that holds a large part of all deals, as after an import that gives no times, saves nothing.
  const looking = 400 + 18 * words + rarest * share
  const restWay = walking < together * (1 + words / 30) ? 'walk' : 'fetch'
  // Of words it has never counted the planner expects up to this many.
  if (fetching <= Math.min(walking, Math.max(1_000, looking))) return { way: 'fetch', restWay } as const
  return { way: walking <= looking ? 'walk' : 'look', restWay } as const
}

/** Places of a sort to look through one after the other, and the cursor right behind them; none where nothing is left. */
export type Windows = { places: number[][]; edge: Cursor | undefined; share: number }

type Widths = {
  /** How many of all deals a page probably needs, a share. */
  wanted: number
  /** The share of deals with the rarest word: cutting its list with that of a place takes as long as both are together. */
  rare: number
  shares: Shares
  /** Whether the page may begin in the middle of its first place. */
  isInside: boolean
  /** The place behind which nothing is asked for. */
  last?: number | undefined
}

const mostPlaces = 64
/** Every deal of a window is compared among the lists of its places: each takes a fifth of the time of a single one. */
const mostInWindow = 6
/** How much more the windows hold together with each further one, since words may be rarer than the planner thinks. */
const growth = 1.5

/**
 * The windows of a sort from a place on, which is a number made by the SQL function `deal_places`. The first holds
 * `wanted` of all deals, a share, as far as anybody knows. Together with what lies behind `edge` they hold every deal
 * from there to the end of the list, in its order. Undefined where no cursor can say where they end, as before the
 * year 1, and where there is nothing to look through.
 */
export function windowsFrom(place: number, sort: DealSort, widths: Widths): Windows | undefined {
  const { wanted, rare, shares, isInside, last } = widths
  const kind = kindOf(place)
  const step = sort === 'price' ? 1 : -1
  const end = last === undefined ? lastNumber(kind) : numberOf(last)
  const hasMore = (at: number) => (at - end) * step <= 0
  const places: number[][] = []
  let next = numberOf(place)
  let [held, goal, firstShare] = [0, wanted, 0]
  for (let left = mostPlaces; left > 0 && hasMore(next); ) {
    const window: number[] = []
    while (held < goal && window.length < Math.min(mostInWindow, left) && hasMore(next)) {
      // Little of the last place is asked for, if anything.
      if (next === end && window.length > 0) break
      const isFirst = places.length === 0 && window.length === 0
      const [narrow, ...wider] = placesAt(kind, next, shares)
      const fits = ({ length, left, share }: Place) =>
        (isFirst || left === length) && share <= goal - held + rare / 2
      const taken = (next !== end && wider.findLast(fits)) || narrow
      window.push(taken.place)
      // Of the first place part may have been read already.
      held += isFirst && isInside ? (taken.share * (taken.left - 0.5)) / taken.length : taken.share
      next += step * taken.left
    }
    if (places.length === 0) firstShare = held
    places.push(window)
    left -= window.length
    if (held >= goal) goal = held * growth
  }
  if (places.length === 0) return undefined
  const found = { places, share: firstShare }
  if (!hasMore(next) && isListEnd(kind)) return { ...found, edge: undefined }
  const edge = borderOf(sort, kind, next - step, next)
  return isSortKey(sort, edge.key) ? { ...found, edge } : undefined
}

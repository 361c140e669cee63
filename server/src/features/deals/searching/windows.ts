import type { DealSort } from '@dealdeck/contract/deals'
import { type Cursor, isSortKey } from '../rules.ts'

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

/** Places of a sort to look through one after the other, and the cursor right behind them. */
export type Windows = { places: number[][]; edge: Cursor; share: number }

/** The share of all deals that stand in a place; empty where nobody has counted. */
export type Shares = ReadonlyMap<number, number>

const mostPlaces = 64
/** Every deal of a window is compared among the lists of its places, so that many of them cost as much as a window more. */
const mostInWindow = 6
/** What is believed of a place nobody has counted: of all of them, and of a single one, which then is a rare one. */
const unknownShares = { all: 1 / 64, one: 1e-4 }

/**
 * The windows of a sort from a place on, which is a number made by the SQL function `deal_places`; each holds `wanted`
 * of all deals, a share, as far as anybody knows. Together with what lies behind `edge` they hold every deal from there
 * to the end of the list, in its order. Undefined where no cursor can say where they end, as before the year 1.
 */
export function windowsFrom(
  place: number,
  sort: DealSort,
  { wanted, shares }: { wanted: number; shares: Shares },
): Windows | undefined {
  const kind = ((place % 8) + 8) % 8
  const step = sort === 'price' ? 1 : -1
  const unknown = shares.size === 0 ? unknownShares.all : unknownShares.one
  const places: number[][] = []
  let next = Math.floor(place / 8)
  let first = 0
  for (let left = mostPlaces; left > 0 && (next >= 0 || isTime(kind)); ) {
    const window: number[] = []
    let share = 0
    while (share < wanted && window.length < Math.min(mostInWindow, left) && (next >= 0 || isTime(kind))) {
      // Of the first place part has been read already.
      share += (shares.get(next * 8 + kind) ?? unknown) / (places.length + window.length === 0 ? 2 : 1)
      window.push(next * 8 + kind)
      next += step
    }
    if (places.length === 0) first = share
    places.push(window)
    left -= window.length
  }
  const edge = { sort, ...placeBorder(kind, next - step, next) }
  return isSortKey(sort, edge.key) ? { places, edge, share: first } : undefined
}

const isTime = (kind: number) => kind === 0 || kind === 4

/** The cursor behind the place `last`, before `next`; ids begin at 1, so with id 0 it says: whatever the id. */
function placeBorder(kind: number, last: number, next: number): Omit<Cursor, 'sort'> {
  if (kind === 1) return { key: String(last), id: 0 }
  if (kind === 2) return { key: '-1', id: last * 2 ** 14 }
  if (kind === 5) return { key: '-infinity', id: last * 2 ** 14 }
  if (kind === 3) {
    const length = Math.floor((next - 5) / 16)
    const step = next - length * 16
    const digits = step < 10 ? step * 2 : step < 16 ? (step - 6) * 5 : (step - 11) * 10
    // Prices are whole cents; among the smallest, several steps come to the same cent.
    const cents = Math.ceil((digits * 10 ** length) / 1000)
    return { key: (cents / 100).toFixed(2), id: 0 }
  }
  const border = new Date(last * 2 ** 16 * 1000)
  return { key: Number.isNaN(border.getTime()) ? '' : border.toISOString(), id: 0 }
}

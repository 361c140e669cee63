import { type Deal, type DealSort, dealSortSchema } from '@dealdeck/contract/deals'
import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'

/** How long a deal counts as new, in milliseconds (30 minutes). */
export const newForMs = 30 * 60 * 1000

/** A few signs become a dozen letters each; what lies beyond this would not fit into an index. */
const foldedLimit = 600

/**
 * A text as search and the blacklist compare it: compatibility forms unified, lower case, in any script.
 * The one definition of 'case-insensitive'; the database only ever compares texts folded here.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().slice(0, foldedLimit)
}

const mostPieces = 5

/**
 * LIKE patterns for words between spaces, each matched by some word of every title that holds `text`: its pieces are
 * whole words, but for the first, of which a word's end is enough, and the last, of which its beginning is. Pieces
 * whose words no trigram finds (under two letters, or under three inside a word) are left out, and of many pieces all
 * but the longest few, which are the rarest.
 */
export function wordPatterns(text: string): string[] {
  const pieces = foldText(text).split(' ')
  const last = pieces.length - 1
  return pieces
    .map((piece, at) => ({ piece, isFirst: at === 0, isLast: at === last }))
    .filter(({ piece, isFirst, isLast }) => piece.length >= (isFirst && isLast ? 3 : 2))
    .toSorted((a, b) => b.piece.length - a.piece.length)
    .slice(0, mostPieces)
    .map(({ piece, isFirst, isLast }) => `${isFirst ? '%' : ''}${literal(piece)}${isLast ? '%' : ''}`)
}

/** What the index `deals_words` holds. */
export const titleWords = "string_to_array(title_folded, ' ')"

/** Where a deal stands in each sort, as the index `deals_words` holds it beside the words; see `windowsFrom`. */
export const dealPlaces = 'deal_places(id, first_seen, discount_order, price, discord_timestamp)'

/** An SQL condition with its parameters, from $1 on: the deal's title holds `text`. The index of words finds such deals. */
export function titleHolds(text: string): { condition: string; values: string[] } {
  const values = [containsPattern(text), ...wordPatterns(text)]
  const [whole, ...words] = values.map((_, at) => `$${at + 1}`)
  const served = words.map(
    (at) => `${titleWords} && array(select word from title_words where word like ${at})`,
  )
  return { condition: [`title_folded like ${whole}`, ...served].join(' and '), values }
}

/** A LIKE pattern that finds `text` anywhere, literally: `%`, `_` and `\` lose their meaning. */
export function containsPattern(text: string): string {
  return `%${literal(foldText(text))}%`
}

function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Where a page ended: the sort it belongs to, the last deal's sort key in full precision, and its id. */
export type Cursor = { sort: DealSort; key: string; id: number }

const cursorSchema = z.tuple([dealSortSchema, z.string().max(64), z.int().min(0)])
const keyShapes: Record<DealSort, RegExp> = {
  newest: /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/,
  discount: /^-?\d{1,3}$/,
  price: /^\d{1,10}(\.\d{1,2})?$/,
  discord: /^(-infinity|\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z)$/,
}

/** The place right after a deal; what a deal tells of its sort keys is their full precision. */
export function cursorAfter(deal: Deal, sort: DealSort): Cursor {
  const keys: Record<DealSort, string> = {
    newest: deal.first_seen,
    discount: String(deal.discount_percentage ?? -1),
    price: String(deal.price),
    discord: deal.discord_timestamp ?? '-infinity',
  }
  return { sort, key: keys[sort], id: deal.id }
}

export function writeCursor({ sort, key, id }: Cursor): string {
  return Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')
}

/** The cursor of a text made by `writeCursor` for the same sort; INVALID_INPUT for any other text. */
export function readCursor(text: string, sort: DealSort): Cursor {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (parsed.success) {
    const [cursorSort, key, id] = parsed.data
    if (cursorSort === sort && isSortKey(sort, key)) return { sort, key, id }
  }
  const message = 'is not a cursor of this list; leave it out to start again'
  throw new AppError('INVALID_INPUT', `cursor ${message}`, { fields: { cursor: message } })
}

function isSortKey(sort: DealSort, key: string): boolean {
  if (!keyShapes[sort].test(key)) return false
  // The shape admits a 13th month; Date knows better, and reads the text once the zone has its minutes.
  return (
    !key.includes(':') || !Number.isNaN(Date.parse(key.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')))
  )
}

/** How many deals the planner expects. */
export type Estimates = {
  all: number
  /** With the filters. */
  filtered: number
  /** In the first place of the first window. */
  near: number
  /** With a word for the rarest piece of the text, and with one for every piece. */
  rarest: number
  together: number
  /** How many different words that are. */
  words: number
  sort: DealSort
}

/**
 * How a search gets to its page soonest: by all deals of its words, along the sort's index, or through windows, and
 * then by one of these when they don't fill the page. Costs are in the time of fetching one deal, as measured.
 */
export function wayOfSearch({ all, filtered, near, rarest, together, words, sort }: Estimates) {
  // Pieces of a text may stand together more often than chance has it, or hardly ever: each way is judged by what is
  // worst for it. Many words make long work of every deal.
  const fetching = rarest * (1 + words / 30)
  const walking = (12 * all * all) / (together * filtered)
  // A place that holds a large part of all deals, as after an import that gives no times, saves nothing.
  // Where prices begin and end, many places hold few deals.
  const looking = (sort === 'price' ? 1_000 : 500) + 18 * words + (rarest * near) / all
  const restWay = walking < together * (1 + words / 30) ? 'walk' : 'fetch'
  // Of words it has never counted the planner expects up to this many.
  if (fetching <= Math.min(walking, Math.max(1_000, looking))) return { way: 'fetch', restWay } as const
  return { way: walking <= looking ? 'walk' : 'look', restWay } as const
}

/** Places of a sort to look through one after the other, and the cursor right behind them. */
export type Windows = { places: number[][]; edge: Cursor }

/** How many places each window holds: few deals are looked at when many match, and all the same soon enough. */
const windowSizes = [1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 6, 9, 13, 18]

/**
 * The windows of a sort from a place on, which is a number made by the SQL function `deal_places`. Together with what
 * lies behind `edge` they hold every deal from there to the end of the list, in its order. Undefined where no cursor
 * can say where they end, as before the year 1.
 */
export function windowsFrom(place: number, sort: DealSort): Windows | undefined {
  const kind = ((place % 8) + 8) % 8
  const step = sort === 'price' ? 1 : -1
  const places: number[][] = []
  let next = Math.floor(place / 8)
  for (const size of windowSizes) {
    const window: number[] = []
    for (; window.length < size && (next >= 0 || isTime(kind)); next += step) window.push(next * 8 + kind)
    if (window.length > 0) places.push(window)
  }
  const edge = { sort, ...placeBorder(kind, next - step, next) }
  return isSortKey(sort, edge.key) ? { places, edge } : undefined
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The instant the calendar day of `now` began in a time zone (also where a change of clocks moved midnight). */
export function startOfDay(now: Date, timeZone: string): Date {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const read = (at: Date) => {
    const found = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    return {
      day: Date.UTC(found.year ?? 0, (found.month ?? 1) - 1, found.day),
      ms: (((found.hour ?? 0) * 60 + (found.minute ?? 0)) * 60 + (found.second ?? 0)) * 1000,
    }
  }
  const today = read(now)
  let start = new Date(Math.floor(now.getTime() / 1000) * 1000 - today.ms)
  // On a day whose clocks change, the local time of that guess is off by the change: correct it once.
  const landed = read(start)
  if (landed.day !== today.day) start = new Date(start.getTime() + (86_400_000 - landed.ms))
  else if (landed.ms !== 0) start = new Date(start.getTime() - landed.ms)
  return start
}

import { type Deal, type DealSort, dealSortSchema } from '@dealdeck/contract/deals'
import type { DealVerdict } from '@dealdeck/contract/prices'
import { foldText } from '@dealdeck/query/folding'
import { z } from 'zod'
import { BoundedMap } from '../../platform/bounded-map.ts'
import { AppError } from '../../platform/errors.ts'
import { midnightBefore } from '../../platform/local-times.ts'

const mostPieces = 5

/**
 * LIKE patterns for words between spaces, each matched by some word of every title that holds `text`: its pieces are whole
 * words, but for the first, of which a word's end is enough, and the last, of which its beginning is. Pieces whose words no
 * trigram finds (under two letters, or under three inside a word) are left out, and of many pieces all but the longest few,
 * which are the rarest.
 */
export function wordPatterns(text: string): string[] {
  const pieces = foldText(text).split(' ')
  const patterns = pieces
    .map((piece, at) => ({ piece, isFirst: at === 0, isLast: at === pieces.length - 1 }))
    .filter(({ piece, isFirst, isLast }) => piece.length >= (isFirst && isLast ? 3 : 2))
    .toSorted((a, b) => b.piece.length - a.piece.length)
    .map(({ piece, isFirst, isLast }) => `${isFirst ? '%' : ''}${literal(piece)}${isLast ? '%' : ''}`)
  return [...new Set(patterns)].slice(0, mostPieces)
}

/** What the index `deals_words` holds. */
export const titleWords = "string_to_array(title_folded, ' ')"

/**
 * An original price above so many times the price isn't believed, wherever it comes from: its percentage would lead the
 * sort by discount. Below that there are true ones, as most list prices of some countries are more than 90 % above.
 */
export const mostTimesPrice = 100

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

/** What stands for `text` in a LIKE pattern. */
export function literal(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Where a page ended: the sort it belongs to, the last deal's sort key in full precision, and its id. */
export type Cursor = { sort: DealSort; key: string; id: number }

const cursorSchema = z.tuple([dealSortSchema, z.string().max(64), z.int().min(0)])
const keyShapes: Record<DealSort, RegExp> = {
  newest: /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/,
  discount: /^-?\d{1,3}$/,
  price: /^\d{1,10}(\.\d{1,2})?$/,
  updated: /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/,
  best: /^-?\d{1,10}(\.\d{1,2})?$/,
  discord: /^(-infinity|\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z)$/,
}

/** The cursor right after a deal, of which this is the JSON as the table writes it, with sort keys in full precision. */
export function cursorAfter(json: string, sort: DealSort): Cursor {
  const key = plainValue(json, sortFields[sort]) ?? missingKeyOf[sort]
  return { sort, key: String(key), id: Number(plainValue(json, 'id')) }
}

const sortFields = {
  newest: 'first_seen',
  discount: 'discount_percentage',
  price: 'price',
  updated: 'last_updated',
  discord: 'discord_timestamp',
  best: 'best',
} as const satisfies Record<DealSort, keyof Deal | keyof DealVerdict>

/** The keys of deals that have none, as the table has them. */
export const missingKeys = { discount: '-1', discord: '-infinity', best: '-999999999.99' } as const
const missingKeyOf: Partial<Record<DealSort, string>> = missingKeys

/**
 * A number, null, or a text without comma and brace, of the deal or its verdict, found by its name: reading the whole deal takes a hundredth of a page.
 * Within a text quotes stand behind a backslash, so a name between quotes with a colon is nothing else.
 */
function plainValue(json: string, name: keyof Deal | keyof DealVerdict): unknown {
  const at = json.indexOf(`"${name}":`)
  // Of a deal without a verdict nothing is said.
  if (at < 0) return null
  const start = at + name.length + 3
  return JSON.parse(json.slice(start, start + json.slice(start).search(/[,}]/)))
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

/** Whether a text could stand in a cursor of this sort. */
function isSortKey(sort: DealSort, key: string): boolean {
  if (!keyShapes[sort].test(key)) return false
  // The shape admits a 13th month; Date knows better.
  return !key.includes(':') || !Number.isNaN(Date.parse(key))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** When the day of the last minute asked for began, by time zone: every page asks, and mostly within one minute. */
const midnights = new BoundedMap<string, { minute: number; start: number }>(1_000)

/** The instant the calendar day of `now` began in a time zone (also where a change of clocks moved midnight). */
export function startOfDay(now: Date, timeZone: string): Date {
  // Since 1972 the clocks of all zones differ and change by whole minutes.
  const minute = Math.floor(now.getTime() / 60_000)
  let known = midnights.get(timeZone)
  if (known?.minute !== minute) {
    known = { minute, start: midnightBefore(now.getTime(), timeZone) }
    midnights.set(timeZone, known)
  }
  return new Date(known.start)
}

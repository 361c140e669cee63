import { zonedFormats } from '../../../platform/zoned-formats.ts'

/** Marks that turn the direction of what follows until another one ends it, so they would reach beyond the text that they stand in. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g
/** Letters that are written from right to left, and marks that say so. */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How long a text is: in UTF-16 units, which no service counts fewer of, unless a kind counts otherwise. */
export type SizeOf = (text: string) => number
export const unitsOf: SizeOf = (text) => text.length
export const bytesOf: SizeOf = (text) => Buffer.byteLength(text)

/** A foreign text in one line: without line ends, control characters, broken halves of letters and marks that turn directions. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(directionMarks, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** A foreign text for the middle of a line: where it is written from right to left, it turns nothing around it. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text
}

/**
 * A text of at most `most` by `sizeOf`, which must add up over parts; cut between letters as people see them, with an ellipsis where
 * something is missing.
 */
export function cutTo(text: string, most: number, sizeOf: SizeOf = unitsOf): string {
  if (sizeOf(text) <= most) return text
  const room = most - sizeOf('…')
  if (room < 0) return ''
  let [size, end] = [0, 0]
  for (const { segment, index } of graphemes.segment(text)) {
    size += sizeOf(segment)
    if (size > room) break
    end = index + segment.length
  }
  return `${(end === 0 ? cutFirst(text, room, sizeOf) : text.slice(0, end)).trimEnd()}…`
}

/** The beginning of a text whose first letter alone, with all that is heaped upon it, is too long. */
function cutFirst(text: string, room: number, sizeOf: SizeOf): string {
  let [size, cut] = [0, '']
  for (const point of text) {
    size += sizeOf(point)
    if (size > room) break
    cut += point
  }
  return cut
}

/** Text for HTML, also within quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

/** What there is of these, each in its line. */
export function lines(...parts: readonly (string | null | undefined | false)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n')
}

const dayIn = zonedFormats('en-GB', { dateStyle: 'short' })
const clockIn = zonedFormats('en-GB', { hour: '2-digit', minute: '2-digit' })
const dateIn = zonedFormats('en-GB', { day: 'numeric', month: 'short' })

/**
 * A moment for readers in a time zone, such as `today 14:20`, `tomorrow 09:05` or `4 May, 09:05`; by UTC where this release of Node knows no
 * such zone any more.
 */
export function momentText(time: Date, now: Date, zone: string): string {
  const day = (date: Date) => dayIn(zone).format(date)
  const clock = clockIn(zone).format(time)
  if (day(time) === day(now)) return `today ${clock}`
  if (day(time) === day(new Date(now.getTime() + 86_400_000))) return `tomorrow ${clock}`
  if (day(time) === day(new Date(now.getTime() - 86_400_000))) return `yesterday ${clock}`
  return `${dateIn(zone).format(time)}, ${clock}`
}

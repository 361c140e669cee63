import { offsetOf } from './time-zones.ts'

/** A moment in microseconds since 1970, UTC. Fits a number exactly until the year 2255. */
export type Microseconds = number

/** Which number of a date such as 05/11/2026 is its month; undefined where that isn't known. */
export type DateOrder = 'month first' | 'day first' | undefined

const earliest = Date.UTC(1995, 0, 1) * 1000
const latest = Date.UTC(2100, 0, 1) * 1000

/**
 * Reads a time: ISO 8601 (a missing zone means UTC), epoch in seconds, milliseconds, microseconds or nanoseconds, a date
 * in numbers, where `order` decides if both might be the month, or with an English month name, with a time and a zone.
 * Null for anything else, for zones that aren't known and for years before 1995 or after 2100.
 */
export function readTime(value: unknown, order?: DateOrder): Microseconds | null {
  const time = timeOf(value, order)
  return time === null || time.isMonth ? null : time.at
}

/** Reads the time of an end as `readTime` does; a day without a time of day lasts until it is over, and so does a month. */
export function readEnd(value: unknown, order?: DateOrder): Microseconds | null {
  return timeOf(value, order)?.end ?? null
}

/** The order that the dates of a column show where only one fits; `fallback` where all fit both. */
export function dateOrderOf(values: readonly unknown[], fallback: DateOrder): DateOrder {
  const orders = new Set<DateOrder>()
  for (const value of values) {
    const text = typeof value === 'string' ? value.trim() : ''
    const [, first, , second] = (text.length <= longestTime && numbered.exec(text)) || []
    if (Number(first) > 12) orders.add('day first')
    else if (Number(second) > 12) orders.add('month first')
  }
  const [order, other] = orders
  return other ? undefined : (order ?? fallback)
}

/** The order in which a locale writes dates; undefined where it begins with the year. */
export function dateOrderIn(locale: string): DateOrder {
  const [first] = new Intl.DateTimeFormat(locale).formatToParts().filter(({ type }) => type !== 'literal')
  return first?.type === 'month' ? 'month first' : first?.type === 'day' ? 'day first' : undefined
}

/** What is stated, and when that is over. */
type Time = { at: Microseconds; end: Microseconds; isMonth: boolean }

const day = 24 * 3.6e9
const zoned = String.raw`\s*(Z|(?:GMT|UTC)?[+-]\d\d?(?::?\d\d)?|[A-Z]{2,5}|[A-Z]+\/[A-Z\d_/+-]+)?`
const clock = String.raw`(\d\d?)(?::(\d\d))?(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*Uhr(?![A-Z]))?\s*([AP]\.?M\.?(?![A-Z]))?`
/** A zone is repeated by its name behind it: `+0100 (CET)`, `+01:00[Europe/Berlin]`; alone it is the zone. */
const repeated = String.raw`(?:\s*(?:\((.*)\)|\[(.*)\]))?`
const timeOfDay = String.raw`(?:(?:,?\s+|T|,?\s+(?:at|um)\s+|,)${clock}${zoned}${repeated}|\s+(?:GMT|UTC|Z))?$`
const iso = new RegExp(String.raw`^(\d{4})([-/.])(\d\d?)\2(\d\d?)${timeOfDay}`, 'i')
const numbered = new RegExp(String.raw`^(\d\d?)([-/.])(\d\d?)\2(\d{4})${timeOfDay}`, 'i')
const monthName = String.raw`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`
const named = new RegExp(
  String.raw`^${monthName}[-\s]+(\d\d?)(?:st|nd|rd|th)?[-,\s]+(\d{4})${timeOfDay}`,
  'i',
)
const dayBeforeName = new RegExp(
  String.raw`^(\d\d?)(?:st|nd|rd|th|\.)?(?:\s+of)?[-\s]*${monthName},?[-\s]+(\d{4})${timeOfDay}`,
  'i',
)
/** As JavaScript writes a date: `Thu Apr 16 2026 12:00:00 GMT+0200`, and C: `Thu Apr 16 12:00:00 2026`. */
const yearBehindTime = new RegExp(
  String.raw`^${monthName}\s+(\d\d?)\s+(\d\d?:\d\d(?::\d\d)?)${zoned}\s+(\d{4})$`,
  'i',
)
const month = new RegExp(String.raw`^${monthName},?\s+(\d{4})$`, 'i')
const introduction =
  /^(?:(?:deal |offer |sale )?(?:ends?|ended|expires?|expired|expiring|valid|until|through|till|on|by|at|mon|tue|wed|thu|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tues|thur|thurs)\b[.,:]*\s*)+/i
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Of longer texts none is a time, and behind a time of day the patterns above would take long over endless spaces. */
const longestTime = 80

function timeOf(value: unknown, order: DateOrder): Time | null {
  const time =
    typeof value === 'string'
      ? timeIn(value.trim(), order)
      : typeof value === 'number'
        ? moment(fromEpoch(value))
        : null
  return time !== null && time.at >= earliest && time.at <= latest ? time : null
}

/** A time as programs write it, of a day that every month has. */
const plainTime = /^\d{4}-\d\d-(?:0[1-9]|1\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

function timeIn(text: string, order: DateOrder): Time | null {
  if (plainTime.test(text)) {
    // A fifth of the time that taking it apart takes. What JavaScript doesn't know, such as a leap second, is taken apart.
    const at = Date.parse(text) * 1000
    if (!Number.isNaN(at)) return moment(at)
  }
  if (text.length > longestTime) return null
  const found = iso.exec(text)
  if (found) return fromParts(found[1], found[3], found[4], found.slice(5))
  if (/^\d{9,19}(?:\.\d+)?$/.test(text)) return moment(fromEpoch(Number(text)))
  if (!/\d{4}/.test(text)) return null
  const plain = text.replace(introduction, '')
  return fromNumbers(numbered.exec(plain), order) ?? fromNames(plain)
}

/** 25.11.2026 is a day first wherever dots are written; of other dates both may be the month. */
function fromNumbers(found: RegExpExecArray | null, order: DateOrder): Time | null {
  if (!found) return null
  const [, first, mark, second, year, ...time] = found
  const isDayFirst = mark === '.' || Number(first) > 12 || (Number(second) <= 12 && order === 'day first')
  const isMonthFirst = Number(second) > 12 || order === 'month first'
  if (isDayFirst) return fromParts(year, second, first, time)
  return isMonthFirst ? fromParts(year, first, second, time) : null
}

function fromNames(text: string): Time | null {
  const numberOf = (name = '') => String(months.indexOf(name.slice(0, 3).toLowerCase()) + 1)
  const [, monthFirst, dayBehind, yearBehind, ...time] = named.exec(text) ?? []
  if (monthFirst) return fromParts(yearBehind, numberOf(monthFirst), dayBehind, time)
  const [, dayFirst, monthBehind, itsYear, ...itsTime] = dayBeforeName.exec(text) ?? []
  if (dayFirst) return fromParts(itsYear, numberOf(monthBehind), dayFirst, itsTime)
  const [, name, date, time24 = '', zone, lastYear] = yearBehindTime.exec(text) ?? []
  if (name) {
    const [hour, minute, second] = time24.split(':')
    return fromParts(lastYear, numberOf(name), date, [hour, minute, second, undefined, undefined, zone])
  }
  const [, whole, ofYear] = month.exec(text) ?? []
  if (!whole) return null
  const begin = Date.UTC(Number(ofYear), Number(numberOf(whole)) - 1, 1)
  return { at: begin * 1000, end: Date.UTC(Number(ofYear), Number(numberOf(whole)), 1) * 1000, isMonth: true }
}

/** The time that the parts of a text state: hour, minute, second, fraction, AM or PM and zones, all or none of them. */
function fromParts(
  year: string | undefined,
  month: string | undefined,
  dayOfMonth: string | undefined,
  [hour, minute, second = '0', fraction = '', half, ...zones]: ReadonlyArray<string | undefined>,
): Time | null {
  const date = Date.UTC(Number(year), Number(month) - 1, Number(dayOfMonth))
  // A day that doesn't exist rolls over into the next month, and so does a month into another year.
  const made = new Date(date)
  if (made.getUTCDate() !== Number(dayOfMonth) || made.getUTCMonth() !== Number(month) - 1) return null
  if (hour === undefined) return { at: date * 1000, end: date * 1000 + day, isMonth: false }
  if (minute === undefined && half === undefined) return null
  const hours = half ? hourOfHalf(Number(hour), half) : Number(hour)
  const minutes = Number(minute ?? 0)
  if (hours === null || hours > 24 || minutes > 59 || Number(second) > 60) return null
  const local = date + (hours * 3600 + minutes * 60 + Number(second)) * 1000
  const offset = offsetOf(zones.find((zone) => zone !== undefined) ?? 'Z', local)
  if (offset === null) return null
  return moment((local - offset * 60_000) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)))
}

/** 12 AM is midnight and 12 PM noon. */
function hourOfHalf(hour: number, half: string): number | null {
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

function moment(at: Microseconds | null): Time | null {
  return at === null ? null : { at, end: at, isMonth: false }
}

function fromEpoch(value: number): Microseconds | null {
  if (value >= 5e8 && value < 5e9) return Math.round(value * 1e6)
  if (value >= 5e11 && value < 5e12) return Math.round(value * 1e3)
  if (value >= 5e14 && value < 5e15) return Math.round(value)
  return value >= 5e17 && value < 5e18 ? Math.round(value / 1e3) : null
}

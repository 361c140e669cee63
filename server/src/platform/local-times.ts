import { zonedFormats } from './zoned-formats.ts'

/** A day of a calendar, wherever it is: midnight of that day in UTC, in milliseconds since 1970. */
export type Day = number

const dayMs = 86_400_000
const clockOf = zonedFormats('en-US', {
  calendar: 'iso8601',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
})

/** What calendar and clock of a zone show at a time, as the time at which UTC shows the same. */
function shownAt(time: number, zone: string): number {
  const parts = clockOf(zone).formatToParts(time)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value)
  return Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as const),
    ...([part('hour'), part('minute'), part('second')] as const),
  )
}

/** The day that it is in a zone. */
export function dayAt(time: number, zone: string): Day {
  return Math.floor(shownAt(time, zone) / dayMs) * dayMs
}

/** So many days later. */
export const daysAfter = (day: Day, days: number): Day => day + days * dayMs

/** 1 is Monday. */
export const weekdayOf = (day: Day): number => new Date(day).getUTCDay() || 7

/**
 * When the clocks of a zone show a time such as `22:30` on a day, in milliseconds since 1970: of two such times, as when summer time
 * ends, the one asked for; where they leave it out, it is as long after midnight as on other days.
 */
export function timeOn(day: Day, clock: string, zone: string, which: 'first' | 'last' = 'first'): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  const wanted = day + (hours * 60 + minutes) * 60_000
  // What the zone was ahead of UTC a day before, and is a day after.
  const ahead = [wanted - dayMs, wanted + dayMs].map((time) => shownAt(time, zone) - time)
  const times = ahead.map((ms) => wanted - ms)
  const right = times.filter((time) => shownAt(time, zone) === wanted)
  const [first = wanted, last = first] =
    right.length > 0 ? right.toSorted((a, b) => a - b) : times.slice(0, 1)
  return which === 'first' ? first : last
}

/** The midnight before a time, where the zone is. */
export const midnightBefore = (time: number, zone: string): number => timeOn(dayAt(time, zone), '00:00', zone)

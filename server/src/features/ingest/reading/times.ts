/** A moment in microseconds since 1970, UTC. Fits a number exactly until the year 2255. */
export type Microseconds = number

const earliest = Date.UTC(1995, 0, 1) * 1000
const latest = Date.UTC(2100, 0, 1) * 1000

/**
 * Reads a time: ISO 8601 (a missing zone means UTC), epoch in seconds, milliseconds, microseconds or nanoseconds, or a
 * date with an English month name. Null for anything else and for years before 1995 or after 2100.
 */
export function readTime(value: unknown): Microseconds | null {
  const time =
    typeof value === 'string' ? timeIn(value.trim()) : typeof value === 'number' ? fromEpoch(value) : null
  return time !== null && time >= earliest && time <= latest ? time : null
}

/** Reads the time of an end as `readTime` does; a day without a time of day lasts until it is over. */
export function readEnd(value: unknown): Microseconds | null {
  const time = readTime(value)
  const isDay = typeof value === 'string' && /[-a-z]/i.test(value) && !value.includes(':')
  return time !== null && isDay ? time + day : time
}

const day = 24 * 3.6e9
const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i

function timeIn(text: string): Microseconds | null {
  const found = iso.exec(text)
  if (found) return fromParts(found)
  if (/^\d{9,19}(?:\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  if (!/[a-z]{3}/i.test(text) || !/\d{4}/.test(text) || text.length > 60) return null
  // Without a zone Date.parse would take this machine's own.
  const parsed = Date.parse(/(?:GMT|UTC|Z|[+-]\d{2}:?\d{2})(?:\s*\(.*\))?$/.test(text) ? text : `${text} UTC`)
  return Number.isNaN(parsed) ? null : parsed * 1000
}

function fromParts(parts: RegExpExecArray): Microseconds | null {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = parts
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // A day that doesn't exist rolls over into the next month.
  if (new Date(date).getUTCDate() !== Number(day) || Number(month) > 12) return null
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return null
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset(zone)
  return (date / 1000 + seconds) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** Seconds east of UTC. */
function offset(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0
  const digits = zone.replace(/\D/g, '').padEnd(4, '0')
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60
  return zone.startsWith('-') ? -seconds : seconds
}

function fromEpoch(value: number): Microseconds | null {
  if (value >= 5e8 && value < 5e9) return Math.round(value * 1e6)
  if (value >= 5e11 && value < 5e12) return Math.round(value * 1e3)
  if (value >= 5e14 && value < 5e15) return Math.round(value)
  return value >= 5e17 && value < 5e18 ? Math.round(value / 1e3) : null
}

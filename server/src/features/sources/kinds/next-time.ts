import { retryAfter } from '../../../platform/outgoing/retry-after.ts'

/** However long a server asks to be left alone, in seconds. */
const mostSeconds = 24 * 3_600

const inSeconds = (now: Date, seconds: number): Date | undefined =>
  seconds > 0 ? new Date(now.getTime() + Math.min(seconds, mostSeconds) * 1_000) : undefined

/** Until when the answer says that it holds, or that nobody is to come back; undefined where it says neither. At most a day ahead. */
export function notBeforeOf(headers: Headers, now: Date): Date | undefined {
  return latest(retryAfter(headers, now), freshUntil(headers, now))
}

/** The later of two moments, of which either may be missing. */
export function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one && other) return one > other ? one : other
  return one ?? other
}

/** When a feed's `<ttl>` of so many minutes ends. */
export function afterMinutes(minutes: number | undefined, now: Date): Date | undefined {
  return minutes !== undefined && Number.isFinite(minutes) ? inSeconds(now, minutes * 60) : undefined
}

/** `max-age`, less what the answer has been kept on its way; without it `Expires`, which says by 0 that nothing is to be kept. */
function freshUntil(headers: Headers, now: Date): Date | undefined {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(?:cache|store)\b/i.test(control)) return undefined
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(control)?.[1]
  const age = Number(headers.get('age') ?? 0) || 0
  if (maxAge !== undefined) return inSeconds(now, Number(maxAge) - Math.max(age, 0))
  // By the server's own clock, which may be wrong.
  const sent = dateOf(headers.get('date') ?? '') ?? now
  return inSeconds(now, secondsBetween(sent, dateOf(headers.get('expires') ?? '')))
}

function secondsBetween(from: Date, to: Date | undefined): number {
  return to ? (to.getTime() - from.getTime()) / 1_000 : 0
}

function dateOf(text: string): Date | undefined {
  // Numbers alone are no date here, though a date would be made of them.
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : new Date(time)
}

/** However long a service asks us to stay away, in milliseconds. */
const longestWaitMs = 86_400_000

/** How long a `Retry-After` of seconds, also of parts of one, or a date asks to wait, in milliseconds; null where there is none. */
export function retryAfterMs(headers: Headers, now: Date): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return waitMs(Number(value))
  // Numbers alone are no date, though one would be made of them. The oldest form of HTTP names no zone, and means GMT.
  const text = /^[a-z]{3} [a-z]{3} [ \d]\d [\d:]{8} \d{4}$/i.test(value) ? `${value} GMT` : value
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : waitMs((date - now.getTime()) / 1_000)
}

/** Milliseconds of a number of seconds that a service says, up to a day; 0 for what is no such number. */
export function waitMs(seconds: unknown): number {
  const ms = typeof seconds === 'number' ? Math.ceil(seconds * 1_000) : 0
  return Math.min(longestWaitMs, Math.max(0, ms || 0))
}

/** Until when a `Retry-After` asks to wait; undefined where it doesn't. */
export function retryAfter(headers: Headers, now: Date): Date | undefined {
  const ms = retryAfterMs(headers, now) ?? 0
  return ms > 0 ? new Date(now.getTime() + ms) : undefined
}

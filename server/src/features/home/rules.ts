import type { Uptime } from '@dealdeck/contract/home'

export const minuteMs = 60_000
const longestMinutes = 30 * 24 * 60

/** The minute an instant lies in, by its beginning. */
export function startOfMinute(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / minuteMs) * minuteMs)
}

/** Where the measured time begins: at the first heartbeat, but at most 30 days, this minute included, before `now`. */
export function measuredSince(first: Date, now: Date): Date {
  const earliest = startOfMinute(now).getTime() - (longestMinutes - 1) * minuteMs
  return new Date(Math.max(first.getTime(), earliest))
}

/**
 * The uptime from `since` up to and with the minute of `now`. `beats` is the number of heartbeats from `since` up to,
 * but without, that minute: whoever asks is being answered, so this minute counts as up.
 */
export function uptimeOf(beats: number, since: Date, now: Date): Uptime {
  const passed = Math.max(0, (startOfMinute(now).getTime() - since.getTime()) / minuteMs)
  const minutes = passed + 1
  const up = Math.min(beats, passed) + 1
  return { percentage: Math.floor((up * 10_000) / minutes) / 100, minutes }
}

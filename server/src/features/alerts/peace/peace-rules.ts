import type { AlertMode, Peace } from '@dealdeck/contract/alerts'
import type { CollectedFor, WaitsFor } from '../../../platform/database/alert-tables.ts'
import { dayAt, daysAfter, timeOn, weekdayOf } from '../../../platform/local-times.ts'

/** When nothing is to be sent, as the table has it: times of day may have seconds. */
export type PeaceTimes = Omit<Peace, 'paused_until' | 'follows_device'> & { paused_until: Date | null }

/** What holds for a member, or the group, as long as nothing else is said. Nobody knows where they are, so there are no quiet hours. */
export const initialPeace: Peace = {
  ...{ time_zone: 'UTC', follows_device: true, quiet_from: null, quiet_to: null, paused_until: null },
  ...{ most_an_hour: 20, most_at_once: 5, digest_at: '08:00', digest_weekday: 1 },
}
const initialTimes: PeaceTimes = { ...initialPeace, paused_until: null }

/** Why a match is not told of at once and alone: it becomes part of a list, or digest, of that time. */
export type PeaceHold = {
  kind: 'list' | 'digest'
  until: Date
  collectedFor: CollectedFor
  /** The same for people. */
  reason: string
}

/** What keeps a message from being sent, and until when. */
type Refusal = { until: Date; waitsFor: WaitsFor; reason: string }

/** For so long a burst of matches is collected before its list is sent, in milliseconds. */
const burstMs = 30_000

/** What else is known when a match is to be told of. */
export type PeaceMoment = {
  now: Date
  /** It is told of whatever the hour, and however many messages came in this one. */
  isUrgent: boolean
  mode: AlertMode
  /** When the destination was sent messages during the last hour, or will be, in milliseconds since 1970, the oldest first. */
  sentLastHour: readonly number[]
  /** How many matches the search had within a minute, with this one. */
  sameSearchLastMinute: number
  /** When the list is sent that collects a burst already; null: there is none. */
  burstUntil: Date | null
  /** When the list is sent that collects what an hour has no room for; null: there is none. */
  hourUntil: Date | null
}

/** Until when a match waits; null: it is told of at once. `peace` is undefined where nobody has said anything. */
export function holdOf(peace: PeaceTimes | undefined, moment: PeaceMoment): PeaceHold | null {
  const times = peace ?? initialTimes
  const { now, isUrgent, mode } = moment
  if (mode !== 'now' && !isUrgent)
    return {
      ...{ kind: 'digest', until: digestAt(times, mode, now), collectedFor: mode },
      reason: `Part of the ${mode} digest.`,
    }
  const refusal = mayBeSent(times, now, isUrgent)
  if (refusal) {
    const { until, waitsFor, reason } = refusal
    return { kind: 'list', until, collectedFor: waitsFor, reason }
  }
  // At night a burst of urgent ones would wait until the morning as a list.
  const isBurst =
    moment.sameSearchLastMinute > times.most_at_once && !(isUrgent && quietUntil(times, now) !== null)
  // The list of a burst is one of the hour's messages, too.
  const { sentLastHour, burstUntil } = moment
  const sent = burstUntil && !isBurst ? [...sentLastHour, burstUntil.getTime()] : sentLastHour
  const free = isUrgent ? null : roomAt(sent, times.most_an_hour)
  if (free !== null)
    return {
      ...{ kind: 'list', until: moment.hourUntil ?? new Date(free), collectedFor: 'hour' },
      reason: `One list, as there were ${times.most_an_hour} messages within an hour already.`,
    }
  if (!isBurst) return null
  return {
    ...{ kind: 'list', until: burstUntil ?? new Date(now.getTime() + burstMs), collectedFor: 'burst' },
    reason: `One list, as the search found more than ${times.most_at_once} deals within a minute.`,
  }
}

/** Whether peace keeps a message from being sent now; asked right before it is sent. */
export function mayBeSent(peace: PeaceTimes | undefined, now: Date, isUrgent: boolean): Refusal | null {
  const times = peace ?? initialTimes
  if (times.paused_until && times.paused_until > now)
    return { until: times.paused_until, waitsFor: 'pause', reason: 'Paused for a while.' }
  const until = isUrgent ? null : quietUntil(times, now)
  return until && { until, waitsFor: 'quiet', reason: `Quiet hours until ${times.quiet_to?.slice(0, 5)}.` }
}

type Found = { time: number; values: Map<string, Date | null> }
const foundOf = new WeakMap<PeaceTimes, Found>()

/** What clocks of these times say at a moment, found out once: thousands of matches of one import ask for it. */
function foundOnce<T extends Date | null>(times: PeaceTimes, now: Date, what: string, find: () => T): T {
  const time = now.getTime()
  let found = foundOf.get(times)
  if (found?.time !== time) {
    found = { time, values: new Map() }
    foundOf.set(times, found)
  }
  // The cast holds: under each name there is what one function finds.
  const known = found.values.get(what) as T | undefined
  if (known !== undefined) return known
  const value = find()
  found.values.set(what, value)
  return value
}

const quietUntil = (times: PeaceTimes, now: Date) =>
  foundOnce(times, now, 'quiet', () => findQuietEnd(times, now))
const digestAt = (times: PeaceTimes, mode: AlertMode, now: Date) =>
  foundOnce(times, now, mode, () => findDigest(times, mode, now))

/** When the quiet hours end that it is within; null: it isn't. They are those between two times of day, however long clocks make that. */
function findQuietEnd({ quiet_from, quiet_to, time_zone: zone }: PeaceTimes, now: Date): Date | null {
  if (quiet_from === null || quiet_to === null || quiet_from === quiet_to) return null
  const time = now.getTime()
  const today = dayAt(time, zone)
  for (const day of [daysAfter(today, -1), today]) {
    const begin = timeOn(day, quiet_from, zone)
    const end = timeOn(quiet_to > quiet_from ? day : daysAfter(day, 1), quiet_to, zone, 'last')
    if (begin <= time && time < end) return new Date(end)
  }
  return null
}

/** When the next digest is sent, which is not in a pause. */
function findDigest(
  { digest_at, digest_weekday, time_zone: zone, paused_until }: PeaceTimes,
  mode: AlertMode,
  now: Date,
): Date {
  const time = Math.max(now.getTime(), paused_until?.getTime() ?? 0)
  const today = dayAt(time, zone)
  for (let days = 0; ; days += 1) {
    const day = daysAfter(today, days)
    const at = timeOn(day, digest_at, zone)
    if (at > time && (mode === 'daily' || weekdayOf(day) === digest_weekday)) return new Date(at)
  }
}

/**
 * When a digest that is being collected is sent once other times hold. Whoever has flown over its time, as clocks show it, doesn't wait
 * another day or week for it: then that is in the past, and it is sent at once.
 */
export function movedDigestAt(before: PeaceTimes, after: PeaceTimes, mode: AlertMode, now: Date): Date {
  const next = digestAt(after, mode, now)
  const { digest_at, digest_weekday, paused_until } = after
  if (digest_at !== before.digest_at || digest_weekday !== before.digest_weekday) return next
  const until = digestAt({ ...before, paused_until }, mode, now)
  const same = timeOn(dayAt(until.getTime(), before.time_zone), digest_at, after.time_zone)
  return new Date(Math.min(next.getTime(), same))
}

/** When another message fits into the hour, by the times of those before; null: now. */
function roomAt(sent: readonly number[], most: number): number | null {
  const oldest = sent.length < most ? undefined : sent[sent.length - most]
  return oldest === undefined ? null : oldest + 3_600_000
}

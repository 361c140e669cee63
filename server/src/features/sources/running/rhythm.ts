import { leastInterval, mostInterval, type SourceState } from '@dealdeck/contract/sources'
import { z } from 'zod'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Days whose new deals are counted. */
const countedDays = 14
/** A gap between two runs that brought something new counts so much in the usual one. */
const gapShare = 0.2
/** So many gaps are to be known before one can be unusually long. */
const leastGaps = 3
/** Nothing new for so many usual gaps is unusual, but not within a day. */
const silentGaps = 3
/** Nothing new for so long is worth a look while it isn't known how often something comes, in milliseconds. */
const unknownSilentMs = 7 * dayMs
/** Waiting for so long is unusual, in milliseconds. */
const leastWaitMs = 2 * dayMs
/** Times are spread by so much, so that sources made at once aren't asked at once for ever. */
const jitter = 0.1

/** How often something new comes from a source, as stored. */
const rhythmSchema = z
  .object({
    /** New deals of each day, UTC. */
    days: z.record(z.string(), z.number()),
    /** The usual time between two runs that bring something new, and of how many that is known. */
    gap_minutes: z.number(),
    gaps: z.number(),
    /** Since something new last came, for so long nobody heard of it. */
    lost_minutes: z.number().default(0),
  })
  .catch({ days: {}, gap_minutes: 0, gaps: 0, lost_minutes: 0 })
export type Rhythm = z.infer<typeof rhythmSchema>

/** What is stored of a rhythm; a new one where another version has written it. */
export const readRhythm = (stored: unknown): Rhythm => rhythmSchema.parse(stored ?? undefined)

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/** The rhythm after a run that brought so many new deals, and something new at all or not. Of `lostMs` before it nobody knows what came when. */
export function nextRhythm(
  { days, gap_minutes, gaps, lost_minutes: lostBefore }: Rhythm,
  run: { at: Date; created: number; isNew: boolean; lastNewAt: Date | null; lostMs?: number },
): Rhythm {
  const { at, created, isNew, lastNewAt, lostMs = 0 } = run
  const kept = Object.entries(days).filter(
    ([day]) => day > dayOf(new Date(at.getTime() - countedDays * dayMs)),
  )
  const counts = Object.fromEntries(kept)
  if (created > 0) counts[dayOf(at)] = (counts[dayOf(at)] ?? 0) + created
  const lost = lostBefore + lostMs / minuteMs
  if (!isNew) return { days: counts, gap_minutes, gaps, lost_minutes: lost }
  if (lastNewAt === null) return { days: counts, gap_minutes, gaps, lost_minutes: 0 }
  const gap = Math.max(0, (at.getTime() - lastNewAt.getTime()) / minuteMs - lost)
  return {
    ...{ days: counts, lost_minutes: 0 },
    gap_minutes: gaps === 0 ? gap : gap_minutes + gapShare * (gap - gap_minutes),
    gaps: gaps + 1,
  }
}

/** New deals of each of the last 14 days, UTC, the oldest first. */
export function newPerDay({ days }: Rhythm, now: Date): number[] {
  return Array.from(
    { length: countedDays },
    (_, at) => days[dayOf(new Date(now.getTime() - (countedDays - 1 - at) * dayMs))] ?? 0,
  )
}

type Limits = { interval_from: number; interval_to: number }

/**
 * Minutes until a source is asked again that answered: half of the time in which something new usually comes, between its limits. One
 * that nobody knows yet is asked as often as it may be; one that is silent, ever more seldom.
 */
export function usualInterval(limits: Limits, { gap_minutes, gaps }: Rhythm, quietMs: number): number {
  const from = Math.min(limits.interval_from, limits.interval_to)
  const to = Math.max(limits.interval_from, limits.interval_to)
  if (gaps === 0 && quietMs < dayMs) return from
  const expected = Math.max(gap_minutes, quietMs / minuteMs / 4)
  return Math.min(to, Math.max(from, expected / 2))
}

/** For how many milliseconds nothing new has come from a source that last brought something then, or was made then. */
export const quietTime = (lastNewAt: Date, { lost_minutes }: Rhythm, now: Date): number =>
  Math.max(0, now.getTime() - lastNewAt.getTime() - lost_minutes * minuteMs)

/**
 * For how many milliseconds a source was not heard at `at`, beyond what is usual: paused, away, or nobody was there to ask. That is no
 * silence of its own.
 */
export function lostTime(
  source: Limits & { created_at: Date; last_success_at: Date | null; last_new_at: Date | null },
  rhythm: Rhythm,
  at: Date,
): number {
  const { last_success_at: answered, last_new_at, created_at } = source
  if (answered === null) return 0
  // A run that failed may have brought something before.
  const heard = last_new_at !== null && last_new_at > answered ? last_new_at : answered
  const quietMs = quietTime(last_new_at ?? created_at, rhythm, heard)
  const usualMs = usualInterval(source, rhythm, quietMs) * minuteMs
  return Math.max(0, at.getTime() - heard.getTime() - 2 * usualMs)
}

/** Minutes until a source is tried again that failed so many times in a row: ever more, and a day at most. */
export const failedInterval = ({ interval_from }: Limits, failures: number): number =>
  Math.min(mostInterval, Math.max(leastInterval, interval_from) * 2 ** Math.min(failures - 1, 10))

/** Nobody is believed who wants to be left alone for longer, in milliseconds: it may be a mistake, or meant to last for ever. */
const longestPauseMs = 2 * dayMs

/** When a source is next asked: so many minutes from now, a tenth more or less, not before, and in two days at most. `random` is from 0 to 1. */
export function nextTime(now: Date, minutes: number, random: number, notBefore?: Date): Date {
  const spread = minutes * (1 - jitter + 2 * jitter * random)
  const next = Math.max(now.getTime() + spread * minuteMs, notBefore?.getTime() ?? 0)
  return new Date(Math.min(next, now.getTime() + longestPauseMs))
}

/** A source as its silence is judged. */
export type Heard = {
  state: SourceState
  created_at: Date
  failing_since: Date | null
  last_success_at: Date | null
  last_new_at: Date | null
}

/**
 * Why nothing came from a source for much longer than usual, in words; null where that isn't so: it fails for more than a day, it was kept
 * waiting or not let in for more than two, or the last new thing is more than three usual gaps and more than a day ago, or a week while less than
 * three gaps are known.
 */
export function silenceOf(source: Heard, rhythm: Rhythm, now: Date): string | null {
  const { gap_minutes, gaps } = rhythm
  if (source.state === 'paused') return null
  const since = (time: Date) => now.getTime() - time.getTime()
  if (source.failing_since && since(source.failing_since) > dayMs)
    return `It has not answered for ${duration(since(source.failing_since))}.`
  const { last_new_at: lastNew } = source
  const unheard = since(source.last_success_at ?? source.created_at)
  if (source.state === 'waiting' && unheard > leastWaitMs)
    return `It has waited for its turn for ${duration(unheard)}.`
  if (source.state === 'not_eligible' && unheard > leastWaitMs)
    return `Its service has not let it ask for ${duration(unheard)}.`
  const usual = gap_minutes * minuteMs
  // Of what isn't let ask nobody knows whether something new is there.
  const until = (source.state === 'waiting' || source.state === 'not_eligible') && source.last_success_at
  const quiet = quietTime(lastNew ?? source.created_at, rhythm, until || now)
  if (lastNew === null || gaps < leastGaps) {
    if (quiet <= Math.max(unknownSilentMs, silentGaps * usual)) return null
    return lastNew === null
      ? `Nothing new ever came of it in ${duration(quiet)}.`
      : `Nothing new came for ${duration(quiet)}; before that too little did to know how often it should.`
  }
  if (quiet <= Math.max(dayMs, silentGaps * usual)) return null
  return `Nothing new came for ${duration(quiet)}; usually something does every ${duration(usual)}.`
}

/** A length of time in words, such as '3 days'. */
function duration(ms: number): string {
  for (const [unit, length] of [
    ['day', dayMs],
    ['hour', hourMs],
  ] as const)
    if (ms >= 2 * length) return `${Math.round(ms / length)} ${unit}s`
  const minutes = Math.max(1, Math.round(ms / minuteMs))
  return minutes === 1 ? 'minute' : `${minutes} minutes`
}

import { expect, test } from 'vitest'
import {
  lostTime,
  newPerDay,
  nextRhythm,
  nextTime,
  quietTime,
  type Rhythm,
  readRhythm,
  silenceOf,
  usualInterval,
} from './rhythm.ts'

const limits = { interval_from: 15, interval_to: 1_440 }
const start = Date.UTC(2026, 4, 1)
const at = (hours: number) => new Date(start + hours * 3_600_000)

/** The rhythm of a source that brings something new every so many hours, and when it last did. */
function after(hours: number, times: number): { rhythm: Rhythm; last: Date } {
  let [rhythm, last]: [Rhythm, Date | null] = [readRhythm(null), null]
  for (let count = 0; count < times; count++) {
    rhythm = nextRhythm(rhythm, { at: at(count * hours), created: 2, isNew: true, lastNewAt: last })
    last = at(count * hours)
  }
  return { rhythm, last: last ?? at(0) }
}

test('a source is asked twice as often as something new comes, between its limits', () => {
  expect(usualInterval(limits, readRhythm(null), 0)).toBe(15)
  expect(usualInterval(limits, after(4, 10).rhythm, 0)).toBe(120)
  expect(usualInterval(limits, after(0.1, 10).rhythm, 0)).toBe(15)
  expect(usualInterval(limits, after(200, 10).rhythm, 0)).toBe(1_440)
  // What has gone quiet is asked less and less.
  expect(usualInterval(limits, after(1, 10).rhythm, 24 * 3_600_000)).toBe(180)
})

test('a lively source that was paused, or away, for days is asked as often as before', () => {
  const { rhythm, last } = after(0.25, 20)
  const source = { ...limits, created_at: at(0), last_success_at: last, last_new_at: last }
  for (const days of [1, 3, 12]) {
    const back = new Date(last.getTime() + days * 24 * 3_600_000)
    const lostMs = lostTime(source, rhythm, back)
    const next = nextRhythm(rhythm, { at: back, created: 2, isNew: true, lastNewAt: last, lostMs })
    expect(usualInterval(limits, next, 0)).toBe(15)
    // Nor where it begins with nothing new, of which nobody is told before it has been heard for a day.
    const empty = nextRhythm(rhythm, { at: back, created: 0, isNew: false, lastNewAt: last, lostMs })
    expect(usualInterval(limits, empty, quietTime(last, empty, back))).toBe(15)
    const heard = { ...source, state: 'ok' as const, failing_since: null, last_success_at: back }
    expect(silenceOf(heard, empty, back)).toBeNull()
    const laterBy = (hours: number) => new Date(back.getTime() + hours * 3_600_000)
    expect(silenceOf(heard, empty, laterBy(25.4))).toMatch('Nothing new came for 26 hours')
    const again = { at: laterBy(1), created: 2, isNew: true, lastNewAt: last }
    expect(nextRhythm(empty, again)).toMatchObject({ gap_minutes: expect.closeTo(30, 0), lost_minutes: 0 })
  }
  // Asked as planned, or a bit late, all of the time counts.
  expect(lostTime(source, rhythm, new Date(last.getTime() + 25 * 60_000))).toBe(0)
  expect(lostTime({ ...source, last_success_at: null }, rhythm, at(900))).toBe(0)
  // A quiet source is asked seldom on purpose.
  const daily = after(24, 10)
  const quiet = { ...source, last_success_at: daily.last, last_new_at: daily.last }
  expect(lostTime(quiet, daily.rhythm, new Date(daily.last.getTime() + 20 * 3_600_000))).toBe(0)
})

test('the time is spread by a tenth, and not before a service says', () => {
  const minutes = (random: number) => (nextTime(at(0), 100, random).getTime() - start) / 60_000
  expect([minutes(0), minutes(0.5), minutes(1)].map(Math.round)).toEqual([90, 100, 110])
  expect(nextTime(at(0), 15, 0.5, at(9))).toEqual(at(9))
  // A service that asks for years is asked again all the same.
  expect(nextTime(at(0), 15, 0.5, at(4_000 * 24))).toEqual(at(48))
})

test('new deals are counted by day, for two weeks', () => {
  const { rhythm } = after(24, 30)
  expect(newPerDay(rhythm, at(29 * 24))).toEqual(Array(14).fill(2))
  expect(newPerDay(rhythm, at(31 * 24))).toEqual([...Array(12).fill(2), 0, 0])
})

test('a source is silent when nothing new came for three usual gaps and a day, or when it failed for a day', () => {
  const source = { state: 'ok' as const, created_at: at(0), failing_since: null, last_success_at: at(0) }
  const judge = (hours: number, times: number, later: number) => {
    const { rhythm, last } = after(hours, times)
    const now = new Date(last.getTime() + later * 3_600_000)
    return silenceOf({ ...source, last_new_at: last }, rhythm, now)
  }
  expect(judge(1, 10, 23)).toBeNull()
  expect(judge(1, 10, 25)).toBe('Nothing new came for 25 hours; usually something does every 60 minutes.')
  expect(judge(24, 10, 70)).toBeNull()
  expect(judge(24, 10, 74)).toMatch(/^Nothing new came for 3 days/)
  // Too little is known: of three times, or of one.
  expect([judge(1, 3, 167), judge(1, 1, 167)]).toEqual([null, null])
  const unknown = 'Nothing new came for 7 days; before that too little did to know how often it should.'
  expect([judge(1, 3, 169), judge(1, 1, 169)]).toEqual([unknown, unknown])
  expect([judge(100, 3, 299), judge(100, 3, 301)]).toEqual([null, expect.stringContaining('13 days')])
  const never = (hours: number) => silenceOf({ ...source, last_new_at: null }, readRhythm(null), at(hours))
  expect([never(167), never(169)]).toEqual([null, 'Nothing new ever came of it in 7 days.'])
  const failing = { ...source, state: 'failing' as const, failing_since: at(0), last_new_at: null }
  expect(silenceOf(failing, readRhythm(null), at(23))).toBeNull()
  expect(silenceOf(failing, readRhythm(null), at(25))).toBe('It has not answered for 25 hours.')
  expect(silenceOf({ ...failing, state: 'paused' }, readRhythm(null), at(25))).toBeNull()
})

test('a source that waits, or is not let in, for more than two days is silent', () => {
  const source = { created_at: at(0), failing_since: null, last_success_at: null, last_new_at: null }
  const judge = (state: 'waiting' | 'not_eligible' | 'ok', heard: Date | null, now: Date) =>
    silenceOf({ ...source, state, last_success_at: heard }, readRhythm(null), now)
  expect(judge('waiting', null, at(47))).toBeNull()
  expect(judge('waiting', null, at(49))).toBe('It has waited for its turn for 2 days.')
  expect(judge('not_eligible', at(24), at(71))).toBeNull()
  expect(judge('not_eligible', at(24), at(96))).toBe('Its service has not let it ask for 3 days.')
  expect(judge('ok', null, at(96))).toBeNull()
})

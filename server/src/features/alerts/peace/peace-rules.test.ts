import { expect, test } from 'vitest'
import {
  holdOf,
  initialPeace,
  mayBeSent,
  movedDigestAt,
  type PeaceMoment,
  type PeaceTimes,
} from './peace-rules.ts'

const berlin = 'Europe/Berlin'
const quiet: PeaceTimes = {
  ...{ ...initialPeace, paused_until: null },
  ...{ time_zone: berlin, quiet_from: '22:00:00', quiet_to: '07:00:00', most_an_hour: 3, most_at_once: 2 },
}
const held = (peace: PeaceTimes, now: string, isUrgent = false) =>
  mayBeSent(peace, new Date(now), isUrgent)?.until.toISOString() ?? null
const hold = (peace: PeaceTimes, now: string, more: Partial<PeaceMoment> = {}) => {
  const found = holdOf(peace, {
    ...{ now: new Date(now), isUrgent: false, mode: 'now', sentLastHour: [], sameSearchLastMinute: 1 },
    ...{ burstUntil: null, hourUntil: null, ...more },
  })
  return found && [found.kind, found.until.toISOString()]
}

test('quiet hours go over midnight, in the member’s own zone', () => {
  expect(held(quiet, '2026-01-10T20:59:59Z')).toBeNull()
  expect(held(quiet, '2026-01-10T21:00:00Z')).toBe('2026-01-11T06:00:00.000Z')
  expect(held(quiet, '2026-01-10T23:00:00Z')).toBe('2026-01-11T06:00:00.000Z')
  expect(held(quiet, '2026-01-11T05:59:59Z')).toBe('2026-01-11T06:00:00.000Z')
  expect(held(quiet, '2026-01-11T06:00:00Z')).toBeNull()
})

test('quiet hours within a day, at midnight itself, and none', () => {
  const noon = { ...quiet, quiet_from: '12:00', quiet_to: '13:30' }
  expect(held(noon, '2026-07-01T10:30:00Z')).toBe('2026-07-01T11:30:00.000Z')
  expect(held(noon, '2026-07-01T11:30:00Z')).toBeNull()
  const fromMidnight = { ...quiet, quiet_from: '00:00', quiet_to: '06:00' }
  expect(held(fromMidnight, '2026-07-01T21:59:59Z')).toBeNull()
  expect(held(fromMidnight, '2026-07-01T22:00:00Z')).toBe('2026-07-02T04:00:00.000Z')
  const toMidnight = { ...quiet, quiet_from: '21:00', quiet_to: '00:00' }
  expect(held(toMidnight, '2026-07-01T21:59:59Z')).toBe('2026-07-01T22:00:00.000Z')
  expect(held(toMidnight, '2026-07-01T22:00:00Z')).toBeNull()
  expect(held({ ...quiet, quiet_from: null, quiet_to: null }, '2026-07-01T01:00:00Z')).toBeNull()
  expect(held({ ...quiet, quiet_from: '07:00:00' }, '2026-07-01T01:00:00Z')).toBeNull()
  expect(mayBeSent(undefined, new Date('2026-07-01T01:00:00Z'), false)).toBeNull()
})

test('the night in which clocks go forward is an hour shorter, and a time that is left out comes all the same', () => {
  // At 02:00 it is 03:00.
  expect(held(quiet, '2026-03-28T21:00:00Z')).toBe('2026-03-29T05:00:00.000Z')
  const leftOut = { ...quiet, quiet_to: '02:30' }
  expect(held(leftOut, '2026-03-29T00:59:00Z')).toBe('2026-03-29T01:30:00.000Z')
  expect(held(leftOut, '2026-03-29T01:30:00Z')).toBeNull()
  const begins = { ...quiet, quiet_from: '02:30', quiet_to: '08:00' }
  expect(held(begins, '2026-03-29T01:29:00Z')).toBeNull()
  expect(held(begins, '2026-03-29T01:30:00Z')).toBe('2026-03-29T06:00:00.000Z')
})

test('the night in which clocks go back is an hour longer: what is shown twice begins the first time and ends the second', () => {
  // At 03:00 it is 02:00.
  expect(held(quiet, '2026-10-24T20:00:00Z')).toBe('2026-10-25T06:00:00.000Z')
  const ends = { ...quiet, quiet_to: '02:30' }
  expect(held(ends, '2026-10-25T00:45:00Z')).toBe('2026-10-25T01:30:00.000Z')
  const begins = { ...quiet, quiet_from: '02:30' }
  expect(held(begins, '2026-10-25T00:29:00Z')).toBeNull()
  expect(held(begins, '2026-10-25T00:30:00Z')).toBe('2026-10-25T06:00:00.000Z')
  expect(held(begins, '2026-10-25T01:05:00Z')).toBe('2026-10-25T06:00:00.000Z')
})

test('for a member who flies the hours of the new zone hold', () => {
  const now = '2026-06-01T21:00:00Z'
  expect(held(quiet, now)).toBe('2026-06-02T05:00:00.000Z')
  expect(held({ ...quiet, time_zone: 'America/New_York' }, now)).toBeNull()
  // The same Monday evening is Tuesday morning there, and it is another day yet further east.
  expect(held({ ...quiet, time_zone: 'Asia/Kathmandu' }, now)).toBe('2026-06-02T01:15:00.000Z')
  expect(held({ ...quiet, time_zone: 'Pacific/Kiritimati' }, now)).toBeNull()
  expect(held({ ...quiet, time_zone: 'Nowhere/Else' }, '2026-06-01T22:00:00Z')).toBe(
    '2026-06-02T07:00:00.000Z',
  )
})

test('what is urgent comes in quiet hours, but not in a pause', () => {
  expect(held(quiet, '2026-01-10T23:00:00Z', true)).toBeNull()
  const paused = { ...quiet, paused_until: new Date('2026-01-11T12:00:00Z') }
  expect(held(paused, '2026-01-10T23:00:00Z', true)).toBe('2026-01-11T12:00:00.000Z')
  expect(held(paused, '2026-01-11T12:00:00Z')).toBeNull()
  // Beside it stands until when.
  expect(mayBeSent(paused, new Date('2026-01-10T23:00:00Z'), false)?.reason).toBe('Paused for a while.')
  expect(hold(quiet, '2026-01-10T23:00:00Z')).toEqual(['list', '2026-01-11T06:00:00.000Z'])
  expect(hold(quiet, '2026-01-10T23:00:00Z', { isUrgent: true, sameSearchLastMinute: 9 })).toBeNull()
})

test('digests come at their time of day, daily or on their weekday, whatever clocks do', () => {
  const morning = { ...quiet, digest_at: '08:30:00', digest_weekday: 7 }
  expect(hold(morning, '2026-03-28T07:29:00Z', { mode: 'daily' })).toEqual([
    'digest',
    '2026-03-28T07:30:00.000Z',
  ])
  expect(hold(morning, '2026-03-28T07:30:00Z', { mode: 'daily' })).toEqual([
    'digest',
    '2026-03-29T06:30:00.000Z',
  ])
  // A Sunday, the day on which clocks go forward.
  expect(hold(morning, '2026-03-26T12:00:00Z', { mode: 'weekly' })).toEqual([
    'digest',
    '2026-03-29T06:30:00.000Z',
  ])
  expect(hold(morning, '2026-03-29T06:30:00Z', { mode: 'weekly' })).toEqual([
    'digest',
    '2026-04-05T06:30:00.000Z',
  ])
  // A Monday where the member is, and Sunday in UTC.
  const monday = { ...morning, time_zone: 'Pacific/Auckland', digest_weekday: 1, digest_at: '07:00' }
  expect(hold(monday, '2026-06-07T12:00:00Z', { mode: 'weekly' })).toEqual([
    'digest',
    '2026-06-07T19:00:00.000Z',
  ])
  expect(hold(morning, '2026-03-28T07:00:00Z', { mode: 'daily', isUrgent: true })).toBeNull()
  const paused = { ...morning, paused_until: new Date('2026-03-28T12:00:00Z') }
  expect(hold(paused, '2026-03-28T07:00:00Z', { mode: 'daily' })).toEqual([
    'digest',
    '2026-03-29T06:30:00.000Z',
  ])
})

test('more than so many messages within an hour become one list, which comes once the hour has room', () => {
  const now = '2026-07-01T12:00:00Z'
  const minutesAgo = (...all: number[]) => all.map((minutes) => Date.parse(now) - minutes * 60_000)
  expect(hold(quiet, now, { sentLastHour: minutesAgo(50, 10) })).toBeNull()
  const full = { sentLastHour: minutesAgo(50, 10, 0) }
  expect(hold(quiet, now, full)).toEqual(['list', '2026-07-01T12:10:00.000Z'])
  expect(hold(quiet, now, { sentLastHour: minutesAgo(55, 50, 10, 0) })).toEqual([
    'list',
    '2026-07-01T12:10:00.000Z',
  ])
  expect(hold(quiet, now, { ...full, isUrgent: true })).toBeNull()
  // A burst is no way around it, and the list of one takes its place among the others.
  expect(hold(quiet, now, { ...full, sameSearchLastMinute: 9 })).toEqual(['list', '2026-07-01T12:10:00.000Z'])
  const burstUntil = new Date('2026-07-01T12:00:12Z')
  expect(hold(quiet, now, { sentLastHour: minutesAgo(50, 10), burstUntil })).toEqual([
    'list',
    '2026-07-01T12:10:00.000Z',
  ])
  // Times move a little when what was queued is sent, and the list that there is stays the one.
  const hourUntil = new Date('2026-07-01T12:09:59Z')
  expect(hold(quiet, now, { ...full, hourUntil })).toEqual(['list', '2026-07-01T12:09:59.000Z'])
})

test('a burst of one search becomes one list, which others of the same burst join', () => {
  const now = '2026-07-01T12:00:00Z'
  expect(hold(quiet, now, { sameSearchLastMinute: 2 })).toBeNull()
  expect(hold(quiet, now, { sameSearchLastMinute: 3 })).toEqual(['list', '2026-07-01T12:00:30.000Z'])
  const burstUntil = new Date('2026-07-01T12:00:12Z')
  expect(hold(quiet, now, { sameSearchLastMinute: 30, burstUntil })).toEqual([
    'list',
    '2026-07-01T12:00:12.000Z',
  ])
})

test('who flies east over the time of a digest gets it on arrival, not a week later', () => {
  const weekly = { ...quiet, digest_at: '08:00', digest_weekday: 1 }
  const tokyo = { ...weekly, time_zone: 'Asia/Tokyo' }
  // Monday, 07:00 in Berlin and 15:00 in Tokyo, in summer.
  const landed = new Date('2026-06-01T05:00:00Z')
  const moved = (to: PeaceTimes, mode: 'daily' | 'weekly', now = landed) =>
    movedDigestAt(weekly, to, mode, now).toISOString()
  expect(moved(tokyo, 'weekly')).toBe('2026-05-31T23:00:00.000Z')
  expect(moved(tokyo, 'daily')).toBe('2026-05-31T23:00:00.000Z')
  // To the west, and where the time has not come in either zone, it is that of the new zone.
  expect(moved({ ...weekly, time_zone: 'America/New_York' }, 'weekly')).toBe('2026-06-01T12:00:00.000Z')
  expect(moved(tokyo, 'weekly', new Date('2026-05-30T05:00:00Z'))).toBe('2026-05-31T23:00:00.000Z')
  // Whoever wants another day or time means the next one, and nobody gets one in a pause.
  expect(moved({ ...tokyo, digest_at: '07:00' }, 'weekly')).toBe('2026-06-07T22:00:00.000Z')
  expect(moved({ ...weekly, digest_weekday: 3 }, 'weekly')).toBe('2026-06-03T06:00:00.000Z')
  const paused_until = new Date('2026-06-04T00:00:00Z')
  expect(moved({ ...tokyo, paused_until }, 'weekly')).toBe('2026-06-07T23:00:00.000Z')
})

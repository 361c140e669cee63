import { expect, test, vi } from 'vitest'
import { midnightBefore } from '../../../platform/local-times.ts'
import { Moments } from './judging.ts'

const minuteMs = 60_000

test('each moment of a day knows its midnight, which is looked up for a few of them', () => {
  // The clocks of the first go back that night, those of the second are 45 minutes off.
  const begin = Date.parse('2026-11-01T00:00:30Z')
  for (const zone of ['America/New_York', 'Asia/Kathmandu']) {
    const times = Array.from({ length: 1_800 }, (_, at) => begin + at * minuteMs)
    const reading = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
    const moments = new Moments(new Date(begin))
    const found = times.map((time) => moments.at(time, zone))
    const reads = reading.mock.calls.length
    reading.mockRestore()
    expect(found).toEqual(times.map((now) => ({ now, midnight: midnightBefore(now, zone) })))
    expect(reads).toBeLessThan(times.length)
  }
})

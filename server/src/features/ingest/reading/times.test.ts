import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { dateOrderIn, dateOrderOf, readEnd, readTime } from './times.ts'

describe('times', () => {
  const noon = Date.UTC(2026, 3, 16, 12) * 1000
  test.each([
    ['2026-04-16T12:00:00Z', noon],
    ['2026-04-16T12:00:00.764338+00:00', noon + 764338],
    ['2026-04-16 17:45:00+05:45', noon],
    ['2026-04-16T12:00', noon],
    ['2026-04-16', noon - 12 * 3.6e9],
    ['Thu, 16 Apr 2026 12:00:00 GMT', noon],
    ['Apr 16, 2026 12:00', noon],
    [noon / 1e6, noon],
    [String(noon / 1e3), noon],
    [noon, noon],
    [String(noon * 1000), noon],
    ['2026-02-30T12:00:00Z', null],
    ['2026-13-01', null],
    ['2026-00-15', null],
    ['00/15/2026', null],
    ['1987-01-01', null],
    ['yesterday', null],
    ['12', null],
    ['', null],
  ])('%j', (text, time) => {
    expect(readTime(text)).toBe(time)
  })

  const evening = noon + 12 * 3.6e9
  test.each([
    ['2026-04-16', evening],
    [' 2026-04-16 ', evening],
    ['April 16, 2026', evening],
    ['16 Apr 2026', evening],
    ['Thu, 16 Apr 2026 GMT', evening],
    ['2026-04-16T00:00:00Z', noon - 12 * 3.6e9],
    ['2026-04-16 12:00', noon],
    ['Apr 16, 2026 12:00', noon],
    ['Apr 16, 2026 12:00 PM', noon],
    [noon / 1e6, noon],
    [String(noon), noon],
    ['2026-02-30', null],
    ['Apr 2026 sale', null],
    ['', null],
  ])('an end: %j', (text, time) => {
    expect(readEnd(text)).toBe(time)
  })

  it('reads back every moment', () => {
    const moment = fc.date({ min: new Date('1996-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, (date) => {
        expect(readTime(date.toISOString())).toBe(date.getTime() * 1000)
      }),
    )
  })

  it('reads a time as programs write it like any other, also one that does not exist', () => {
    const two = (most: number) =>
      fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'))
    fc.assert(
      fc.property(
        two(13),
        two(32),
        two(25),
        two(61),
        two(62),
        fc.constantFrom('', '.5', '.123'),
        (...parts) => {
          const [month, day, hour, minute, second, fraction] = parts
          const text = `2024-${month}-${day}T${hour}:${minute}:${second}${fraction}`
          expect(readTime(`${text}Z`)).toBe(readTime(`${text}+00:00`))
        },
      ),
      { numRuns: 3_000 },
    )
  })

  const at = (iso: string) => Date.parse(iso) * 1000
  test.each([
    ['2026-11-25 23:00 PST', '2026-11-26T07:00Z'],
    ['Nov 25, 2026 23:00 PST', '2026-11-26T07:00Z'],
    ['November 25, 2026 at 11:59 PM PT', '2026-11-26T07:59Z'],
    ['July 25, 2026 11:59 PM PT', '2026-07-26T06:59Z'],
    ['2026-11-25T23:00 Europe/Berlin', '2026-11-25T22:00Z'],
    ['2026-11-25 23:00 CEST', '2026-11-25T21:00Z'],
    ['2026-11-25 23:00 (EST)', '2026-11-26T04:00Z'],
    ['2026-11-25 23:00 America/New_York', '2026-11-26T04:00Z'],
    ['2026-11-25 23:00 Etc/GMT+5', '2026-11-26T04:00Z'],
    ['2026-11-25T23:00:00[Europe/Berlin]', '2026-11-25T22:00Z'],
    ['2026-07-25T23:00+02:00[Europe/Berlin]', '2026-07-25T21:00Z'],
    ['25.11.2026, 23:00 Uhr', '2026-11-25T23:00Z'],
    ['25.11.2026 um 23:00 Uhr MEZ', '2026-11-25T22:00Z'],
    ['25 Nov 2026 23:00 IST', '2026-11-25T17:30Z'],
    ['Wed Nov 25 2026 23:00:00 GMT+0100 (Central European Standard Time)', '2026-11-25T22:00Z'],
    ['Wed Nov 25 23:00:00 2026', '2026-11-25T23:00Z'],
    ['Wed Nov 25 23:00:00 UTC 2026', '2026-11-25T23:00Z'],
    ['Ends Wed, Nov 25, 2026 11 PM', '2026-11-25T23:00Z'],
    ['25.11.2026 23:59', '2026-11-25T23:59Z'],
    ['25.11.2026', '2026-11-26T00:00Z'],
    ['05.11.2026', '2026-11-06T00:00Z'],
    ['11/25/2026 11:59 PM', '2026-11-25T23:59Z'],
    ['25/11/2026', '2026-11-26T00:00Z'],
    ['2026/11/25', '2026-11-26T00:00Z'],
    ['25-Nov-2026', '2026-11-26T00:00Z'],
    ['Nov 2026', '2026-12-01T00:00Z'],
    ['12/01/2026 12:30 AM', '2026-12-01T00:30Z', 'month first'],
    ['12/01/2026', '2026-01-13T00:00Z', 'day first'],
  ] as const)('an end: %s is %s', (text, iso, order?) => {
    expect(readEnd(text, order)).toBe(at(iso))
    // When something was seen is read as an end is, but that a day begins when it was.
    const isDay = !/\d\d?:\d\d|\d [AP]M/.test(text)
    const days = /^\w{3} \d{4}$/.test(text) ? null : at(iso) - (isDay ? 24 * 3.6e9 : 0)
    expect(readTime(text, order)).toBe(days)
  })

  test.each([
    '2026-11-25 23:00 +99:99',
    '2026-11-25T23:00+15:00',
    '2026-11-25 23:00 XYZ',
    '2026-11-25 23:00 Mars/Olympus',
    '2026-11-25 23:00 (local time)',
    '2026-11-25 13:00 PM',
    '2026-11-25 23:61',
    '11/05/2026',
    '25/25/2026',
    'Feb 30, 2026',
    'Nov 25',
    'in 3 days, 2026',
  ])('no end: %s', (text) => {
    expect(readEnd(text)).toBeNull()
  })

  test('a month is no moment', () => {
    expect(readTime('Nov 2026')).toBeNull()
  })

  test('spaces without end are no time, and said so at once', () => {
    const spaced = (date: string) => `${date} 23:00${' '.repeat(1_500)}x`
    const begin = performance.now()
    expect(readTime(spaced('2026-11-25'))).toBeNull()
    expect(readEnd(spaced('25/11/2026'))).toBeNull()
    expect(dateOrderOf([spaced('25/11/2026')], 'month first')).toBe('month first')
    expect(performance.now() - begin).toBeLessThan(1_000)
  })

  test('a column tells which number is the month, else its marketplace', () => {
    expect(dateOrderOf(['11/05/2026', '25/05/2026', null], 'month first')).toBe('day first')
    expect(dateOrderOf(['11/05/2026', '05/25/2026 10:00'], 'day first')).toBe('month first')
    expect(dateOrderOf(['25/05/2026', '05/25/2026'], 'day first')).toBeUndefined()
    expect(dateOrderOf(['11/05/2026', 5], 'day first')).toBe('day first')
    expect(['en-US', 'de-DE', 'ja-JP'].map(dateOrderIn)).toEqual(['month first', 'day first', undefined])
  })
})

import { dealSortSchema } from '@dealdeck/contract/deals'
import { foldText } from '@dealdeck/query/folding'
import { expect, test } from 'vitest'
import { containsPattern, cursorAfter, readCursor, startOfDay, writeCursor } from './rules.ts'

test('folding unifies case and compatibility forms in any script', () => {
  expect(foldText('ÄRMEL ＡＢＣ ПОДУШКА ﬁt')).toBe('ärmel abc подушка fit')
})

test('a pattern takes wildcards literally', () => {
  expect(containsPattern('50%_off\\')).toBe('%50\\%\\_off\\\\%')
})

test('the cursor after a deal is read out of its JSON, whatever its title says', () => {
  const json = JSON.stringify({
    id: 12,
    title: 'A "price":7,"id":8,\\"first_seen":9',
    price: 4.5,
    discount_percentage: null,
    first_seen: '2026-01-02T03:04:05.678901Z',
    last_updated: '2026-01-03T03:04:05.678901Z',
    discord_timestamp: null,
    product_url: '',
  })
  const keys = { newest: '2026-01-02T03:04:05.678901Z', updated: '2026-01-03T03:04:05.678901Z' } as const
  const others = { price: '4.5', discount: '-1', discord: '-infinity' } as const
  for (const [sort, key] of Object.entries({ ...keys, ...others }))
    expect(cursorAfter(json, dealSortSchema.parse(sort))).toEqual({ sort, key, id: 12 })
})

test('a cursor comes back as it was written, and only for its own sort', () => {
  const cursor = { sort: 'newest' as const, key: '2026-01-02T03:04:05.678901Z', id: 12 }
  expect(readCursor(writeCursor(cursor), 'newest')).toEqual(cursor)
  expect(() => readCursor(writeCursor(cursor), 'price')).toThrow('cursor is not a cursor of this list')
  const beginning = { sort: 'discord' as const, key: '-infinity', id: 3 }
  expect(readCursor(writeCursor(beginning), 'discord')).toEqual(beginning)
})

test.each([
  ['UTC', '2026-03-10T20:00:00Z', '2026-03-10T00:00:00.000Z'],
  ['Asia/Kathmandu', '2026-03-10T20:00:00Z', '2026-03-10T18:15:00.000Z'],
  ['America/New_York', '2026-03-10T03:30:00Z', '2026-03-09T04:00:00.000Z'],
  // Clocks went forward at 02:00 that day, back at 02:00 on the other.
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00.000Z'],
  ['America/New_York', '2026-11-01T20:00:00Z', '2026-11-01T04:00:00.000Z'],
  // Midnight itself doesn't exist there on that day: it begins at one.
  ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00.000Z'],
  // There the clocks went from one back to midnight: the day began with the first of both.
  ['America/Havana', '2025-11-02T12:00:00Z', '2025-11-02T04:00:00.000Z'],
])('the day in %s at %s began at %s', (zone, now, start) => {
  expect(startOfDay(new Date(now), zone).toISOString()).toBe(start)
})

test('a day ends with its last minute, whichever times and zones were asked for before', () => {
  const at = (time: string, zone: string) => startOfDay(new Date(time), zone).toISOString()
  for (let round = 0; round < 2; round += 1) {
    expect(at('2026-03-10T18:14:59.999Z', 'Asia/Kathmandu')).toBe('2026-03-09T18:15:00.000Z')
    expect(at('2026-03-10T18:14:01Z', 'UTC')).toBe('2026-03-10T00:00:00.000Z')
    expect(at('2026-03-10T18:15:00Z', 'Asia/Kathmandu')).toBe('2026-03-10T18:15:00.000Z')
    expect(at('2026-03-10T18:15:59Z', 'Asia/Kathmandu')).toBe('2026-03-10T18:15:00.000Z')
  }
})

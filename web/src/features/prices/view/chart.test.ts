import type { PricePoint } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import {
  amountRoom,
  chartHeight,
  chartOf,
  chartWidth,
  firstRange,
  nearestRun,
  runAfterKey,
  ticksOf,
} from './chart.ts'
import { runsOf } from './runs.ts'

const day = 24 * 60 * 60_000
const until = Date.parse('2026-05-01T00:00:00Z')
const daysAgo = (days: number) => new Date(until - days * day).toISOString()

function point(seen: number, last: number, values: Partial<PricePoint> = {}): PricePoint {
  return {
    price: 10,
    original_price: null,
    seen_at: daysAgo(seen),
    confirmed_until: daysAgo(last),
    origin: null,
    is_suspect: false,
    is_wrong: false,
    ...values,
  }
}

const chart = (
  points: PricePoint[],
  range: 30 | 90 | 365 | null = 90,
  typical: number | null = null,
  decimals = 2,
) => chartOf({ runs: runsOf(points, until), range, until, typical, decimals })

test('prices are steps from left to right, the dearer the higher, with a gap where nothing is known', () => {
  const { priceLine, now, shown } = chart([point(90, 60), point(60, 45, { price: 20 }), point(9, 0)])
  expect(priceLine).toMatch(/^M0 (\S+)H333.3V(\S+)H522.2M900 \1H1000$/)
  const [cheap, dear] = shown.map(({ y }) => y ?? Number.NaN)
  expect(dear).toBeLessThan(cheap ?? 0)
  expect(now).toEqual({ x: chartWidth, y: cheap })
})

test('a price that is not known any more has no dot for now', () => {
  expect(chart([point(60, 30)]).now).toBeUndefined()
})

test('the list price is a line of its own, named at its end', () => {
  const { listLine, listEnd, priceLine } = chart([point(90, 45, { original_price: 30 }), point(45, 0)])
  expect(listLine).toMatch(/^M0 \S+H500$/)
  expect(listEnd?.x).toBe(500)
  expect(listEnd?.y).toBeLessThan(chartHeight / 2)
  expect(priceLine).toMatch(/H500V\S+H1000$/)
})

test('suspect and wrong prices are drawn apart and break the line; no offer is a stretch of its own', () => {
  const { priceLine, doubted, missing } = chart([
    point(90, 60),
    point(60, 60, { price: 2, is_suspect: true }),
    point(59, 45),
    point(45, 18, { price: null }),
    point(18, 18, { price: 99, is_wrong: true }),
    point(17, 0),
  ])
  expect(doubted.map(({ x, isWrong }) => [x, isWrong])).toEqual([
    [333.3, false],
    [800, true],
  ])
  expect(priceLine.match(/M/g)).toHaveLength(3)
  expect(missing).toEqual([{ seenAt: daysAgo(45), x: 500, width: 311.1 }])
})

test('a price that does not count leaves the others their room, and lies at the edge where it is far higher', () => {
  const wrong = (price: number) => point(45, 45, { price, is_wrong: true })
  const other = point(10, 0, { price: 12 })
  const of = (price: number) => chart([point(90, 60), wrong(price), other])
  const [far, near, low] = [of(9_000), of(20), of(1)]
  expect(far.doubted).toMatchObject([{ y: 0, isBeyond: true }])
  expect(far.priceLine).toBe(chart([point(90, 60), other]).priceLine)
  for (const { doubted } of [near, low]) expect(doubted).toMatchObject([{ isBeyond: false }])
  expect(near.doubted[0]?.y).toBeGreaterThan(0)
  expect(low.doubted[0]?.y).toBeGreaterThan(low.now?.y ?? 0)
  // Where nothing counts there is nothing to leave room to.
  expect(chart([wrong(9_000)]).doubted).toMatchObject([{ isBeyond: false }])
})

test('what lies at the same place of a long time can be told apart', () => {
  const minutes = (count: number) => count / 24 / 60
  const flapping = [60, 40, 20, 0].flatMap((ago) => [
    point(9 + minutes(ago + 10), 9 + minutes(ago + 10), ago < 40 ? { price: null } : { is_wrong: true }),
    point(9 + minutes(ago), 9 + minutes(ago)),
  ])
  const { missing, doubted } = chart([point(1_000, 999), ...flapping], null)
  for (const drawn of [missing, doubted]) {
    expect(new Set(drawn.map(({ x }) => x)).size).toBe(1)
    expect(new Set(drawn.map(({ seenAt }) => seenAt)).size).toBe(2)
  }
})

test('a range begins so many days ago, all of the past with its first price', () => {
  const points = [point(400, 300), point(300, 0, { price: 8 })]
  expect(chart(points, 30).shown.map(({ x, end }) => [x, end])).toEqual([[0, 1000]])
  expect(chart(points, null).shown.map(({ x, end }) => [x, end])).toEqual([
    [0, 250],
    [250, 1000],
  ])
  expect(chart([], 30)).toMatchObject({ shown: [], priceLine: '', now: undefined })
})

test('the band is as wide as what is typical, in the last 90 days only, and has room', () => {
  const { band } = chart([point(300, 0)], 365, 10)
  expect(band).toMatchObject({ x: 753.4, width: chartWidth - 753.4 })
  expect((band?.y ?? -1) >= 0 && (band?.y ?? 0) + (band?.height ?? 0) <= chartHeight).toBe(true)
  expect(chart([point(30, 0)]).band).toBeUndefined()
})

test.each([
  [8, 21, [10, 15, 20]],
  [0, 33, [0, 10, 20, 30]],
  [9.9, 10.1, [9.9, 9.95, 10, 10.05, 10.1]],
  [0, 1, [0, 0.25, 0.5, 0.75, 1]],
])('amounts between %d and %d are round', (low, high, ticks) => {
  expect(ticksOf(low, high, 2)).toEqual(ticks)
})

test.each([
  [0.01, 2],
  [0.1, 2],
  [1.15, 2],
  [1, 0],
  [10, 0],
  [25, 0],
  [230, 0],
])(
  'amounts beside a price of %d are written as what they are, with %d digits behind the point',
  (price, decimals) => {
    const amounts = chart([point(60, 0, { price })], 90, null, decimals).money.map(({ amount }) => amount)
    expect(amounts.map((amount) => Number(amount.toFixed(decimals)))).toEqual(amounts)
    expect(amounts.length).toBeGreaterThanOrEqual(2)
    expect(amounts.length).toBeLessThanOrEqual(5)
  },
)

test('a pointer finds the price drawn there, or else the nearest', () => {
  const { shown } = chart([point(90, 45), point(45, 42, { price: 8 }), point(9, 0)])
  expect([0, 499, 500, 600, 850, 1000].map((x) => nearestRun(shown, x, 5))).toEqual([0, 0, 1, 1, 2, 2])
  expect(nearestRun([], 10, 5)).toBe(-1)
})

test('a pointer at the ring of a price that does not count finds that one, and the price around it beside the ring', () => {
  const { shown } = chart([point(90, 0), point(45, 45, { price: 99, is_wrong: true })])
  expect([494, 496, 504, 506].map((x) => nearestRun(shown, x, 5))).toEqual([0, 1, 1, 0])
})

test('the arrows go from change to change and stop at the ends; other keys mean nothing', () => {
  expect(runAfterKey('ArrowLeft', -1, 3)).toBe(2)
  expect(runAfterKey('ArrowLeft', 2, 3)).toBe(1)
  expect(runAfterKey('ArrowLeft', 0, 3)).toBe(0)
  expect(runAfterKey('ArrowRight', 2, 3)).toBe(2)
  expect([runAfterKey('Home', 2, 3), runAfterKey('End', 0, 3)]).toEqual([0, 2])
  expect([runAfterKey('Tab', 1, 3), runAfterKey('End', -1, 0)]).toEqual([undefined, undefined])
})

test('a chart begins with a range of which something is known, and without a price it has no amounts', () => {
  const begins = (...points: PricePoint[]) => firstRange(runsOf(points, until), until)
  expect(begins(point(200, 80))).toBe(90)
  expect(begins(point(200, 100))).toBe(365)
  expect(begins(point(500, 400))).toBeNull()
  expect(begins()).toBe(90)
  expect(chart([point(200, 100)]).money).toEqual([])
  expect(chart([point(60, 40), point(40, 0, { price: null })], 30).money).toEqual([])
})

test.each([
  ['the same', 12, 400],
  ['a little above', 12.2, 400],
  ['the same, at the top', 12, 10],
])('the names of the typical and the list price never overlap: %s', (_, listPrice, highest) => {
  const { names } = chart(
    [point(90, 60, { price: highest }), point(60, 0, { price: 11, original_price: listPrice })],
    90,
    12,
  )
  const [typical, list] = [names.typical ?? Number.NaN, names.list ?? Number.NaN]
  expect(Math.abs(typical - list)).toBeGreaterThanOrEqual(22)
  expect(Math.min(typical, list)).toBeGreaterThanOrEqual(22)
  expect(Math.max(typical, list)).toBeLessThanOrEqual(chartHeight)
})

test('a name stays with its line where there is room, or the list price ended long ago', () => {
  const far = chart([point(60, 0, { price: 11, original_price: 30 })], 90, 12)
  expect(far.names.list).toBe(far.listEnd?.y)
  const early = chart([point(90, 70, { price: 11, original_price: 12 }), point(50, 0, { price: 11 })], 90, 12)
  expect(early.names.list).toBe(early.listEnd?.y)
})

test('amounts of six digits have the room they need, short ones as much as ever', () => {
  expect(amountRoom(['$5.00', '$10.00'])).toBe(4)
  expect(amountRoom([])).toBe(4)
  // 0.75 rem tall, a digit is some 0.42 rem wide.
  expect(amountRoom(['$100,000.00', '$99,000.00'])).toBeGreaterThan(11 * 0.42 + 0.5)
})

import { expect, test } from 'vitest'
import { judged, minutes, now, priceSeen as seen } from '../../../../testing/price-histories.ts'
import { day } from './thresholds.ts'

type Points = Parameters<typeof judged>[0]
const figures = (points: Points, listPrice: number | null = null) =>
  judged(points, now, listPrice).verdict.figures
const daysAgo = (days: number) => new Date(now - Math.round(days * day)).toISOString()

test('coverage is the known share of each window', () => {
  const { coverage_30, coverage_90, coverage_365, watched_since } = figures([
    seen(20, 73, 65),
    seen(20, 15, 0),
  ])
  expect(coverage_30).toBe(15 / 30)
  expect(coverage_90).toBe((10 + 15) / 90)
  expect(coverage_365).toBe(25 / 365)
  expect(watched_since).toBe(daysAgo(73))
})

test('time without an offer is neither covered nor missing', () => {
  expect(figures([seen(20, 30, 20), seen(null, 20, 10), seen(20, 10, 0)]).coverage_30).toBe(1)
  expect(figures([seen(null, 20, 10), seen(20, 10, 0)]).coverage_30).toBe(0.5)
  expect(figures([seen(20, 60, 50), seen(null, 50, 0)]).coverage_30).toBe(0)
})

test('the usual price held longest, the typical one is the middle by time', () => {
  const points = [seen(10, 90, 60), seen(14, 60, 35), seen(15, 35, 15), seen(14.5, 15, 0)]
  expect(figures(points)).toMatchObject({ usual: 10, typical: 14 })
})

test('how often a price was written down does not matter, how long it held does', () => {
  const changing = Array.from({ length: 20 }, (_, at) => seen(at % 2 === 0 ? 12 : 13, 5 - at / 4))
  expect(figures([seen(20, 60, 5), ...changing]).typical).toBe(20)
})

test('a low has its window, its latest date and how long it held', () => {
  const points = [
    seen(9, 300, 290),
    seen(20, 290, 80),
    seen(15, 80, 75),
    seen(20, 75, 50),
    seen(15, 50, 45),
    seen(20, 45, 10),
    seen(18, 10, 5),
    seen(20, 5, 0),
  ]
  const { low_30, low_90, low_365, high_90 } = figures(points)
  expect(low_30).toEqual({ price: 18, seen_at: daysAgo(5), days: 5 })
  expect(low_90).toEqual({ price: 15, seen_at: daysAgo(45), days: 10 })
  expect(low_365).toEqual({ price: 9, seen_at: daysAgo(290), days: 10 })
  expect(high_90).toEqual({ price: 20, seen_at: daysAgo(0), days: 75 })
})

test('the low since a lasting rise leaves out what came before, sales after it count', () => {
  const before = [seen(10, 360, 300), seen(8, 300, 295), seen(10, 295, 200)]
  const after = [seen(15, 200, 120), seen(12, 120, 115), seen(15, 115, 0)]
  expect(figures([...before, ...after]).low_since_rise).toEqual({ price: 12, seen_at: daysAgo(115), days: 5 })
})

test('the end of a sale is no lasting rise, nor is a rise of a week', () => {
  const sale = [seen(15, 300, 100), seen(10, 100, 90), seen(15, 90, 0)]
  expect(figures(sale).low_since_rise?.price).toBe(10)
  const week = [seen(10, 300, 100), seen(15, 100, 93), seen(10.5, 93, 0)]
  expect(figures(week).low_since_rise?.price).toBe(10)
})

test('days at or below the price of now', () => {
  const points = [seen(20, 90, 40), seen(15, 40, 34), seen(20, 34, 3), seen(16, 3, 0)]
  expect(figures(points).days_at_or_below).toBe(9)
})

test('the prior price is the lowest of the 30 days before the price of now began', () => {
  const points = [seen(10, 80, 45), seen(20, 45, 20), seen(17, 20, 15), seen(20, 15, 5)]
  expect(figures([...points, seen(14, 5, 0, 25)]).prior_30).toBe(17)
  // Another list price begins no other price.
  expect(figures([...points, seen(14, 5, 3, 25), seen(14, 3, 0, 30)]).prior_30).toBe(17)
  expect(figures([seen(14, 80, 0)]).prior_30).toBeNull()
})

test('volatility: changes of the price in 30 days, and the middle half by time', () => {
  const points = [seen(20, 90, 60), seen(16, 60, 25), seen(16, 25, 10, 30), seen(null, 10, 5), seen(12, 5, 0)]
  // Known are 85 days: a quarter (21.25) ends at 16, as does the half; three quarters (63.75) at 20.
  expect(figures(points)).toMatchObject({ changes_30: 1, spread: (20 - 16) / 16 })
  expect(figures([seen(20, 80, 0)])).toMatchObject({ changes_30: 0, spread: 0 })
})

test('the share of time at which the list price was charged, give or take 2 %', () => {
  const points = [seen(24.5, 100, 80), seen(24.4, 80, 60), seen(20, 60, 0)]
  expect(figures(points, 25).list_ever_charged).toBe(0.2)
  expect(figures(points).list_ever_charged).toBeNull()
})

test('a price seen once far from the rest is no low, until it is seen again', () => {
  const rest = [seen(20, 60, 10), seen(20, 10 - 10 * minutes, 0)]
  const glitch = (until: number) => [seen(20, 60, 10), seen(2, 10, until), seen(20, 9, 0)]
  expect(judged(glitch(9.9)).suspects.size).toBe(0)
  expect(figures(glitch(9.9)).low_90?.price).toBe(2)
  // However often within an hour: poll by poll such sights are stored as one.
  for (const [held, isSuspect] of [
    [5, true],
    [60, true],
    [61, false],
  ] as const)
    expect(
      judged([seen(20, 60, 10), seen(2, 10, 10 - held * minutes), seen(20, 10 - 70 * minutes, 0)]).suspects
        .size === 1,
      `${held} minutes`,
    ).toBe(isSuspect)
  const once = [...rest, seen(2, 10)]
  expect([...judged(once, now, null).suspects]).toEqual([now - 10 * day])
  expect(figures(once).low_90?.price).toBe(20)
  expect(figures([...once, seen(2, 30)]).low_90?.price).toBe(2)
})

test('an error of minutes is one however often it was looked at: with another list price, or with the right price between', () => {
  const at = (count: number) => 10 - count * minutes
  const [before, after] = [seen(20, 60, 10, 25), seen(20, at(50), 0, 25)]
  const withOther = [before, seen(2, at(0), null, 25), seen(2, at(10), null, 30), after]
  const flapping = [before, seen(2, at(0)), seen(20, at(10), null, 25), seen(2, at(20)), after]
  for (const points of [withOther, flapping]) {
    expect(judged(points).suspects.size).toBe(2)
    expect(figures(points).low_90?.price).toBe(20)
  }
  // More than an hour later, or until the next day, it is no error.
  const [later, nextDay] = [seen(2, at(61), null, 30), seen(20, 9.1, 0, 25)]
  for (const points of [
    [before, seen(2, at(0)), seen(20, at(10)), later, seen(20, at(70), 0, 25)],
    [before, seen(2, at(0), null, 25), seen(2, at(10), null, 30), nextDay],
  ])
    expect(judged(points).suspects.size).toBe(0)
})

test('a price seen once is not confirmed by no offer after it, however late that comes', () => {
  for (const hours of [1, 30]) {
    const points = [seen(20, 60, 10), seen(4, 10), seen(null, 10 - hours / 24), seen(20, 8, 0)]
    expect([...judged(points).suspects]).toEqual([now - 10 * day])
    expect(figures(points).low_90?.price).toBe(20)
  }
  // Seen again before the offer went, or at the same price after it, it was one.
  const [before, after] = [seen(4, 10, 9.9), seen(4, 8)]
  const rest = [seen(20, 60, 10), seen(null, 9), seen(20, 7, 0)]
  expect(figures([...rest, before]).low_90?.price).toBe(4)
  expect(figures([...rest, seen(4, 10), after]).low_90?.price).toBe(4)
})

test('a price below a twentieth of its list price is suspect where other prices are as low', () => {
  const points = (price: number, listPrice: number) => [
    seen(1.2, 60, 30),
    seen(1.3, 30, 5),
    seen(price, 5, 5, listPrice),
    seen(1.3, 4.9, 0),
  ]
  expect(judged(points(1.1, 30)).suspects.size).toBe(1)
  expect(judged(points(1.1, 20)).suspects.size).toBe(0)
})

test('a price that moves by cents makes no suspects of small steps', () => {
  const cents = Array.from({ length: 60 }, (_, at) => seen(at % 2 === 0 ? 20 : 19.99, 61 - at))
  expect(judged([...cents, seen(17, 1.1), seen(20, 1, 0)]).suspects.size).toBe(0)
  expect(judged([...cents, seen(15, 1.1), seen(20, 1, 0)]).suspects.size).toBe(1)
})

test('nothing is known of a history without a price', () => {
  expect(figures([seen(null, 20, 0)])).toMatchObject({
    usual: null,
    typical: null,
    low_90: null,
    spread: null,
  })
})

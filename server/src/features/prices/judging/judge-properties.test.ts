import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { histories, judged, now } from '../../../../testing/price-histories.ts'
import type { StoredPoint } from './history.ts'
import { day, thresholds } from './thresholds.ts'

const timeZone = process.env.TZ
afterEach(() => {
  process.env.TZ = timeZone
})

const runs = { numRuns: 500 }

test('nothing changes when a sight is told as confirmations, within the grace', () => {
  fc.assert(
    fc.property(
      histories,
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
      (points, pick, share, hole) => {
        const at = pick % points.length
        const point = points[at]
        const length = point ? (point.confirmedUntil ?? point.seenAt) - point.seenAt : 0
        fc.pre(point !== undefined && length > 1)
        if (!point) return
        // Each point has a time of its own.
        const next = (points[at + 1]?.seenAt ?? Number.POSITIVE_INFINITY) - point.seenAt
        const first = Math.floor(share * (length - 1))
        const second = Math.min(length, next - 1, first + 1 + (hole % thresholds.grace))
        const told = points.toSpliced(
          at,
          1,
          { ...point, confirmedUntil: point.seenAt + first },
          { ...point, seenAt: point.seenAt + second, importId: 2 },
        )
        expect(judged(told)).toEqual(judged(points))
      },
    ),
    runs,
  )
})

test('nothing changes when points come in another order', () => {
  const shuffled = histories.chain((points) =>
    fc.tuple(fc.constant(points), fc.shuffledSubarray(points, { minLength: points.length })),
  )
  fc.assert(
    fc.property(shuffled, ([points, others]) => {
      expect(judged(others, now, 25)).toEqual(judged(points, now, 25))
    }),
    runs,
  )
})

test('nothing changes with the time zone', () => {
  fc.assert(
    fc.property(histories, (points) => {
      const [one, other] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone) => {
        process.env.TZ = zone
        return judged(points)
      })
      expect(one).toEqual(other)
    }),
    { numRuns: 100 },
  )
})

test('every low and high is a price that was seen at its date; shares are shares, days at most those of the window', () => {
  fc.assert(
    fc.property(histories, (points) => {
      const { figures } = judged(points, now, 20).verdict
      const { low_30, low_90, low_365, low_since_rise, high_90 } = figures
      for (const seen of [low_30, low_90, low_365, low_since_rise, high_90]) {
        if (seen === null) continue
        const time = Date.parse(seen.seen_at)
        const isSight = ({ price, seenAt, confirmedUntil }: StoredPoint) =>
          price === seen.price && seenAt <= time && time <= (confirmedUntil ?? seenAt)
        expect(points.some(isSight)).toBe(true)
      }
      const { coverage_30, coverage_90, coverage_365, list_ever_charged } = figures
      for (const share of [coverage_30, coverage_90, coverage_365, list_ever_charged ?? 0]) {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
      }
      expect(figures.days_at_or_below).toBeGreaterThanOrEqual(0)
      expect(figures.days_at_or_below).toBeLessThanOrEqual(90)
    }),
    runs,
  )
})

/** The history with one more sight of two hours instead of what it had then, at a share of the time before its last point. */
function withSight(
  points: readonly StoredPoint[],
  days: number,
  share: number,
  price: number,
): StoredPoint[] {
  const last = points.at(-1)
  if (!last) return []
  const oldest = now - days * day
  const held = day / 12
  const seenAt = Math.floor(oldest + share * (last.seenAt - oldest)) - held
  const sight = { ...last, seenAt, confirmedUntil: seenAt + held, price, importId: 2 }
  const others = points.filter((point) => point.seenAt < seenAt || point.seenAt >= seenAt + held)
  return [...others, sight].sort((a, b) => a.seenAt - b.seenAt)
}

test('a sight that speaks against a claim never brings that claim about', () => {
  let claims = 0
  fc.assert(
    fc.property(histories, fc.double({ min: 0.01, max: 1, noNaN: true }), (points, share) => {
      const last = points.at(-1)
      fc.pre(last !== undefined && last.price !== null && last.seenAt > now - 80 * day)
      const price = last?.price ?? 0
      const listPrice = last?.listPrice ?? 25
      const kinds = (told: StoredPoint[]) => judged(told, now, listPrice).verdict.kind
      expect(kinds(withSight(points, 89, share, price * 0.9))).not.toBe('lowest')
      expect(kinds(withSight(points, 89, share, price * 1.01))).not.toBe('unchanged')
      expect(kinds(withSight(points, 364, share, listPrice))).not.toBe('listnotseen')
      if (['lowest', 'unchanged', 'listnotseen'].includes(kinds(points))) claims += 1
    }),
    runs,
  )
  // Else it shows nothing.
  expect(claims).toBeGreaterThan(20)
})

test('what was seen before all windows makes nothing of them a stronger claim', () => {
  let lows = 0
  fc.assert(
    fc.property(histories, (points) => {
      const last = points.at(-1)
      fc.pre(last !== undefined && last.price !== null)
      const old = { seenAt: now - 800 * day, confirmedUntil: null, price: last?.price ?? 0, listPrice: null }
      const told = [
        { ...old, importId: 1, isWrong: false },
        ...points.filter(({ seenAt }) => seenAt > old.seenAt + 3 * day),
      ]
      const [one, other] = [judged(points), judged(told)]
      fc.pre(told.length > points.length && one.suspects.size === other.suspects.size)
      if (one.dealVerdict?.low_days) lows += 1
      expect([other.verdict.kind, other.dealVerdict?.low_days]).toEqual([
        one.verdict.kind,
        one.dealVerdict?.low_days,
      ])
    }),
    { numRuns: 2000 },
  )
  expect(lows).toBeGreaterThan(20)
})

test('a list price is contradicted with less known only if it is with more', () => {
  let contradicted = 0
  fc.assert(
    fc.property(histories, fc.array(fc.nat({ max: 24 })), (points, forgotten) => {
      const less = points.map((point, at) =>
        forgotten.includes(at) ? { ...point, confirmedUntil: null } : point,
      )
      const [known, knownLess] = [judged(points), judged(less)]
      fc.pre(known.suspects.size === 0)
      if (knownLess.verdict.kind !== 'listnotseen') return
      contradicted += 1
      expect(['listnotseen', 'raised']).toContain(known.verdict.kind)
    }),
    { numRuns: 2000 },
  )
  expect(contradicted).toBeGreaterThan(20)
})

test('until it falls due a verdict keeps its kind and its short form', () => {
  let changes = 0
  fc.assert(
    fc.property(histories, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (points, shares) => {
      const { verdict, dealVerdict, nextDue } = judged(points)
      const listPrice = points.at(-1)?.listPrice ?? null
      expect(nextDue).toBeGreaterThanOrEqual(now + thresholds.leastPause)
      const end = Math.min(nextDue, now + 400 * day)
      if (nextDue === now + thresholds.leastPause) return
      for (const share of [...shares, 1]) {
        const later = judged(points, Math.floor(now + share * (end - now - 1)), listPrice)
        expect([later.verdict.kind, later.verdict.short]).toEqual([verdict.kind, verdict.short])
        expect(later.dealVerdict?.low_days).toBe(dealVerdict?.low_days)
      }
      if (nextDue < now + 400 * day && judged(points, end, listPrice).verdict.short !== verdict.short)
        changes += 1
    }),
    { numRuns: 1000 },
  )
  expect(changes).toBeGreaterThan(20)
})

test('a sparkline is a path of steps in its box, short enough, from left to right', () => {
  fc.assert(
    fc.property(histories, (points) => {
      const path = judged(points).dealVerdict?.sparkline ?? ''
      expect(path).toMatch(/^(M\d+ \d+(H\d+V\d+)*H\d+)*$/)
      expect(path.length).toBeLessThanOrEqual(140)
      const across = [...path.matchAll(/[MH](\d+)/g)].map((match) => Number(match[1]))
      expect(across).toEqual(across.toSorted((a, b) => a - b))
      const up = [...path.matchAll(/(?:M\d+ |V)(\d+)/g)].map((match) => Number(match[1]))
      expect(Math.max(0, ...across)).toBeLessThanOrEqual(90)
      expect(Math.max(0, ...up)).toBeLessThanOrEqual(24)
    }),
    runs,
  )
})

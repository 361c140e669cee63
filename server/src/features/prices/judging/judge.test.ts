import { verdictSchema } from '@dealdeck/contract/prices'
import { expect, test } from 'vitest'
import type { StoredPoint } from './history.ts'
import { judge } from './judge.ts'
import { day } from './thresholds.ts'

const now = Date.UTC(2026, 10, 20)
const options = { formatMoney: (amount: number) => `$${amount.toFixed(2)}`, listPrice: null }

const point = (price: number, from: number, until: number): StoredPoint => ({
  seenAt: now - from * day,
  confirmedUntil: now - until * day,
  price,
  listPrice: null,
  importId: 1,
  isWrong: false,
})

test('a verdict has the shape of the contract, and a deal its part of it', () => {
  const { verdict, dealVerdict, suspects } = judge([point(14, 80, 10), point(10, 10, 0)], now, options)
  expect(verdictSchema.parse(verdict)).toEqual(verdict)
  expect(verdict.text).toBe('Lowest we have seen in 90 days (80 watched). Typical $14.00, so $4.00 less.')
  expect(dealVerdict).toEqual({
    kind: 'lowest',
    short: 'Lowest in 90 days',
    ...{ best: 3.2, under_typical: 28, low_days: 90, drop: 28, dropped_at: '2026-11-10T00:00:00.000Z' },
    sparkline: 'M8 0H78V24H90',
  })
  expect([...suspects]).toEqual([])
})

test('without a point, or with wrong ones only, a deal has no verdict and none falls due', () => {
  for (const points of [[], [{ ...point(14, 80, 0), isWrong: true }]]) {
    const { verdict, dealVerdict, nextDue } = judge(points, now, options)
    expect(verdictSchema.parse(verdict).text).toBe('We have not seen a price of this yet.')
    expect(dealVerdict).toBeNull()
    expect(nextDue()).toBe(Number.POSITIVE_INFINITY)
  }
})

import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { isDue, isLost } from './recovery.ts'

const refusal = new ApiError('INVALID_INPUT', { status: 400, data: { fields: {} } })
const outage = new ApiError('DATABASE_UNAVAILABLE', { status: 503, data: { fields: {} } })
const failed = (error: Error | null, change: object = {}) => ({
  isActive: () => true,
  state: {
    ...{
      status: 'error' as const,
      fetchStatus: 'idle' as const,
      error,
      errorUpdateCount: 1,
      errorUpdatedAt: 0,
    },
    ...change,
  },
})

test('what failed for want of the server is lost, a refusal and what nobody looks at is not', () => {
  expect(isLost(failed(new TypeError('Failed to fetch')))).toBe(true)
  expect(isLost(failed(outage))).toBe(true)
  expect(isLost(failed(refusal))).toBe(false)
  expect(isLost(failed(outage, { status: 'success' }))).toBe(false)
  expect(isLost(failed(outage, { fetchStatus: 'fetching' }))).toBe(false)
  expect(isLost({ ...failed(outage), isActive: () => false })).toBe(false)
})

test('what goes on failing is asked for ever more seldom', () => {
  const waits = (errorUpdateCount: number, ms: number) => isDue(failed(outage, { errorUpdateCount }), ms)
  expect([waits(1, 3_999), waits(1, 4_000)]).toEqual([false, true])
  expect([waits(3, 15_999), waits(3, 16_000)]).toEqual([false, true])
  expect([waits(40, 59_999), waits(40, 60_000)]).toEqual([false, true])
})

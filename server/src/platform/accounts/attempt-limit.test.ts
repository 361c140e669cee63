import { setImmediate as tick } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type Attempt, AttemptLimit } from './attempt-limit.ts'

const allowed = { attempts: 3, seconds: 300 }
const refused = { code: 'TOO_MANY_REQUESTS' }

/** Begins that many at once, and notes those that were let through and those that were refused. */
async function burst(limit: AttemptLimit, count: number) {
  const begun: Attempt[] = []
  let refusals = 0
  for (let at = 0; at < count; at++) {
    limit.begin('key').then(
      (attempt) => begun.push(attempt),
      () => {
        refusals += 1
      },
    )
  }
  await tick()
  return { begun, refusals: () => refusals }
}

test('of a burst as many are let through as may go wrong; when they do, the others are refused', async () => {
  const { begun, refusals } = await burst(new AttemptLimit(allowed), 8)
  expect([begun.length, refusals()]).toEqual([3, 0])
  for (const attempt of [...begun]) attempt.count()
  await tick()
  expect([begun.length, refusals()]).toEqual([3, 5])
})

test('what goes right uses nothing up: all of a burst get through, in turn', async () => {
  const limit = new AttemptLimit(allowed)
  const { begun, refusals } = await burst(limit, 8)
  for (let at = 0; at < 8; at++) {
    begun[at]?.drop()
    await tick()
  }
  expect([begun.length, refusals(), limit.size]).toEqual([8, 0, 0])
})

test('a refusal makes nobody wait longer, and afterwards all begins anew', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const limit = new AttemptLimit(allowed)
    for (let at = 0; at < 3; at++) (await limit.begin('key')).count()
    vi.advanceTimersByTime(299_000)
    for (let at = 0; at < 20; at++)
      await expect(limit.begin('key')).rejects.toMatchObject({ ...refused, retryAfter: 1 })
    vi.advanceTimersByTime(1_000)
    for (let at = 0; at < 3; at++) (await limit.begin('key')).count()
    await expect(limit.begin('key')).rejects.toMatchObject({ ...refused, retryAfter: 300 })
  } finally {
    vi.useRealTimers()
  }
})

test('what went wrong elsewhere counts here, and others are told what is new to them, in few bytes', async () => {
  const told: [key: string, event: string][] = []
  const long = 'ﷺ'.repeat(4_608)
  const limit = new AttemptLimit({ ...allowed, tell: (...news) => told.push(news) })
  const other = new AttemptLimit({ ...allowed, tell: (...news) => limit.hear(...news) })
  ;(await limit.begin(long)).clear()
  for (let at = 0; at < 2; at++) (await other.begin(long)).count()
  ;(await limit.begin(long)).count()
  await expect(limit.begin(long)).rejects.toMatchObject(refused)
  await limit.begin(`${long}.`)
  ;(await other.begin(long)).clear()
  ;(await other.begin(long)).count()
  ;(await limit.begin(long)).clear()
  expect(told.map(([key, event]) => [key.length, event])).toEqual([
    [22, 'counted'],
    [22, 'cleared'],
  ])
})

test('what is over is forgotten once anybody else comes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const limit = new AttemptLimit(allowed)
    for (const name of ['a', 'b', 'c']) (await limit.begin(name)).count()
    const underWay = await limit.begin('c')
    vi.advanceTimersByTime(300_000)
    ;(await limit.begin('d')).count()
    expect(limit.size).toBe(2)
    underWay.drop()
    ;(await limit.begin('e')).count()
    expect(limit.size).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

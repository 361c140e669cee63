import { setImmediate as tick } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AppError } from '../../../platform/errors.ts'
import { FairSemaphore, importRules, type Upload } from './fair-semaphore.ts'

const fast = importRules.pace * 2
const slow = importRules.pace / 2

/** Somebody who hands in at a pace that can be set, until `leave`. */
function sender(turns: FairSemaphore, member: string, pace?: number) {
  const controller = new AbortController()
  const body: { pace: number | undefined } = { pace }
  const { promise: work, resolve: leave } = Promise.withResolvers<void>()
  let state = 'waits'
  const upload: Upload = {
    ...{ member, body, signal: controller.signal },
    end: (error) => controller.abort(error),
  }
  const ended = Promise.withResolvers<void>()
  controller.signal.addEventListener('abort', () => ended.resolve())
  const result = turns
    .run(upload, async () => {
      state = 'reads'
      await Promise.race([work, ended.promise])
      controller.signal.throwIfAborted()
      state = 'done'
    })
    .catch((error: AppError) => {
      state = error.code
    })
  return { body, leave, result, controller, state: () => state }
}

/** The application's own timers, two looks further. */
async function laterOn(): Promise<void> {
  await vi.advanceTimersByTimeAsync(2_100)
  await tick()
}

function turnsInTime(rules = importRules): FairSemaphore {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return new FairSemaphore(rules)
}

test('whoever is slow keeps the turn while nobody else waits for it', async () => {
  const turns = turnsInTime()
  const senders = ['a', 'b', 'c'].map((member) => sender(turns, member, slow))
  await laterOn()
  expect(senders.map(({ state }) => state())).toEqual(['reads', 'reads', 'reads'])
})

test('the slowest loses the turn as soon as another member waits, and nobody else does', async () => {
  const turns = turnsInTime()
  const held = [sender(turns, 'a', slow), sender(turns, 'b', slow / 2), sender(turns, 'c', fast)]
  const waiting = sender(turns, 'd', fast)
  await laterOn()
  expect([...held, waiting].map(({ state }) => state())).toEqual([
    'reads',
    'TOO_MANY_REQUESTS',
    'reads',
    'reads',
  ])
  held[0]?.leave()
  await held[0]?.result
  expect(held[0]?.state()).toBe('done')
})

test('nobody loses a turn to what its own member sends, nor one that would not help', async () => {
  const turns = turnsInTime()
  const held = [sender(turns, 'a', slow), sender(turns, 'a', slow), sender(turns, 'b', slow)]
  const waiting = [sender(turns, 'a'), sender(turns, 'a')]
  await laterOn()
  expect(held.map(({ state }) => state())).toEqual(['reads', 'reads', 'reads'])
  expect(waiting.map(({ state }) => state())).toEqual(['waits', 'waits'])
})

test('a pace that can not be told yet is no reason', async () => {
  const turns = turnsInTime()
  const held = ['a', 'b', 'c'].map((member) => sender(turns, member))
  const waiting = sender(turns, 'd')
  await laterOn()
  expect([...held, waiting].map(({ state }) => state())).toEqual(['reads', 'reads', 'reads', 'waits'])
})

test('whoever waits too long is told to come back, and holds nothing', async () => {
  const turns = new FairSemaphore({ ...importRules, total: 1, waitMs: 5 })
  const held = sender(turns, 'a', fast)
  const waiting = sender(turns, 'b', fast)
  await waiting.result
  expect(waiting.state()).toBe('TOO_MANY_REQUESTS')
  expect(turns.figures).toEqual({ running: 1, waiting: 0 })
  held.leave()
  await held.result
  expect(turns.figures).toEqual({ running: 0, waiting: 0 })
})

test('whoever leaves while the turn is being handed over gives it back, without having begun', async () => {
  const turns = new FairSemaphore({ ...importRules, total: 1 })
  const held = sender(turns, 'a')
  const controller = new AbortController()
  const work = vi.fn<() => Promise<void>>()
  const upload = { member: 'b', body: { pace: fast }, signal: controller.signal, end: () => undefined }
  const waiting = turns.run(upload, work)
  const refused = expect(waiting).rejects.toThrow('has left')
  held.leave()
  await held.result
  // The turn is the other's by now, who doesn't know it yet.
  expect(turns.figures).toEqual({ running: 1, waiting: 0 })
  controller.abort(new Error('has left'))
  await refused
  expect(work).not.toHaveBeenCalled()
  expect(turns.figures).toEqual({ running: 0, waiting: 0 })
})

test('whoever had left before gets no turn', async () => {
  const turns = new FairSemaphore(importRules)
  const work = vi.fn<() => Promise<void>>()
  const signal = AbortSignal.abort(new Error('has left'))
  const upload = { member: 'a', body: { pace: fast }, signal, end: () => undefined }
  await expect(turns.run(upload, work)).rejects.toThrow('has left')
  expect(work).not.toHaveBeenCalled()
  expect(turns.figures).toEqual({ running: 0, waiting: 0 })
})

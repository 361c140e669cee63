import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { beside } from './beside.ts'

test('what goes on beside work ends with it, also with work that fails', async () => {
  let times = 0
  const thing = async () => {
    times += 1
    await sleep(1)
  }
  const untilTwice = async () => {
    while (times < 2) await sleep(1)
    return 'done'
  }
  expect(await beside([thing, thing], untilTwice)).toBe('done')
  const work = () => untilTwice().then(() => Promise.reject(new Error('No')))
  await expect(beside([thing], work)).rejects.toThrow('No')
  const before = times
  await sleep(20)
  expect(times).toBe(before)
})

test('what fails beside work is told once the work is done', async () => {
  const fails = async () => {
    throw new Error('Beside it')
  }
  let isDone = false
  const work = async () => {
    await sleep(5)
    isDone = true
  }
  await expect(beside([fails], work)).rejects.toThrow('Beside it')
  expect(isDone).toBe(true)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { advisoryLocks } from './lock-register.ts'

test('each lock has the number that processes of other versions know it by', () => {
  const keys = Object.entries(advisoryLocks).map(([name, { key }]) => [name, key])
  expect(keys).toEqual([
    ['migrations', 4_207_001],
    ['deals', 4_207_002],
    ['users', 4_207_003],
    ['lists', 4_207_004],
  ])
  expect(new Set(keys.map(([, key]) => key)).size).toBe(keys.length)
})

test('each lock stands with its number in what operators read', () => {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  for (const { key } of Object.values(advisoryLocks)) expect(text).toContain(String(key))
})

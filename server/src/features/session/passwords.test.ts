import { expect, test, vi } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

const load = vi.hoisted(() => ({ now: 0, most: 0 }))

vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>()
  const argon2: typeof crypto.argon2 = (algorithm, parameters, done) => {
    load.now += 1
    load.most = Math.max(load.most, load.now)
    crypto.argon2(algorithm, parameters, (...result) => {
      load.now -= 1
      done(...result)
    })
  }
  return { ...crypto, argon2 }
})

test('however many passwords are to be hashed, two are at once', async () => {
  const hashes = await Promise.all(Array.from({ length: 12 }, (_, at) => hashPassword(`password ${at}`)))
  expect(load).toEqual({ now: 0, most: 2 })
  expect(await verifyPassword('password 3', hashes[3] ?? '')).toBe(true)
  expect(await verifyPassword('password 3', hashes[4] ?? '')).toBe(false)
})

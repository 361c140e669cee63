import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { deviceKeys } from './device-keys.ts'

test('the script that runs before the first paint reads the preferences by their name', () => {
  const script = readFileSync(new URL('../../public/before-paint.js', import.meta.url), 'utf8')
  expect(script.match(/'dealdeck\.[^']*'/g)).toEqual([`'${deviceKeys.preferences}'`])
})

test('no two things are stored under one name', () => {
  const names = Object.values(deviceKeys)
  expect(new Set(names).size).toBe(names.length)
})

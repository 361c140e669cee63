import { expect, test } from 'vitest'
import { defaultPreferences, parsePreferences } from './preferences.ts'

test('keeps what makes sense and replaces what does not', () => {
  expect(
    parsePreferences({
      ...{ theme: 'dark', notifications: false, autoRefresh: 'no', defaultMaxPrice: 5000, layout: 'list' },
    }),
  ).toEqual({
    layout: 'list',
    theme: 'dark',
    notifications: false,
    autoRefresh: true,
    defaultMaxPrice: 30,
    hidesContradicted: false,
  })
  expect(parsePreferences({ hidesContradicted: true }).hidesContradicted).toBe(true)
  expect(parsePreferences({ hidesContradicted: 1 }).hidesContradicted).toBe(false)
})

test.each([null, undefined, 'dark', 7, []])('anything but a record is the default: %j', (stored) => {
  expect(parsePreferences(stored)).toEqual(defaultPreferences)
})

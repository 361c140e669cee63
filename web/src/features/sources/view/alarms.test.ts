import { expect, test } from 'vitest'
import { alarmOf, readPutOff } from './alarms.ts'

const silent = ['Mugs', 'Lamps', 'Rugs', 'Cups'].map((name, id) => ({ id, name, text: `${name} is silent.` }))

test('one source is named with what is wrong, several by name', () => {
  expect(alarmOf([], [])).toBeUndefined()
  expect(alarmOf(silent.slice(0, 1), [])).toEqual({
    ...{ name: 'Mugs', text: 'Mugs is silent.', search: { source: '0' } },
  })
  expect(alarmOf(silent, [])).toEqual({
    ...{ name: '4 sources need you:', text: 'Mugs, Lamps, Rugs and 1 more', search: {} },
  })
})

test('what was put off is not said again that day, and one that falls silent later is', () => {
  const now = new Date(2026, 4, 1, 23)
  const stored = { day: now.toDateString(), ids: [0, 1, 'x'] }
  expect(readPutOff(stored, now)).toEqual([0, 1])
  expect(alarmOf(silent.slice(0, 3), readPutOff(stored, now))?.name).toBe('Rugs')
  expect(readPutOff(stored, new Date(2026, 4, 2))).toEqual([])
  for (const other of [null, 'x', { day: now.toDateString() }]) expect(readPutOff(other, now)).toEqual([])
})

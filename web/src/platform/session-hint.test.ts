import { expect, test } from 'vitest'
import { parseSessionHint } from './session-hint.ts'

const kept = { id: '7', username: 'una', role: 'user', status: 'approved' }

test('reads the record with its id kept as text', () => {
  expect(parseSessionHint(kept)).toEqual({ ...kept, id: 7 })
})

test.each([
  null,
  'una',
  { ...kept, id: 'seven' },
  { ...kept, username: undefined },
  { ...kept, role: 'owner' },
  { ...kept, status: 'unknown' },
])('anything else is nobody: %j', (stored) => {
  expect(parseSessionHint(stored)).toBeNull()
})

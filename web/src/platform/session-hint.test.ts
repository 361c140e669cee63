import { expect, onTestFinished, test, vi } from 'vitest'
import { stubDeviceStorage } from '../../testing/device-storage.ts'
import { accountKeys } from './device-keys.ts'
import { parseSessionHint, writeSessionHint } from './session-hint.ts'

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

test('what is kept for somebody goes with them, also when another takes their place', () => {
  const stored = stubDeviceStorage()
  onTestFinished(() => void vi.unstubAllGlobals())
  const session = { id: 7, username: 'una', role: 'user', status: 'approved' } as const
  const keep = () => {
    for (const key of accountKeys) stored.set(key, '{}')
  }
  const kept = () => accountKeys.filter((key) => stored.has(key))
  writeSessionHint(session)
  keep()
  writeSessionHint({ ...session, role: 'admin' })
  expect(kept()).toEqual(accountKeys)
  writeSessionHint({ ...session, id: 8 })
  expect(kept()).toEqual([])
  keep()
  writeSessionHint(null)
  expect([...stored.keys()]).toEqual([])
})

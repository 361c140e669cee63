import { expect, onTestFinished, test, vi } from 'vitest'
import { stubDeviceStorage } from '../../testing/device-storage.ts'
import { readDeviceEntries, writeDeviceEntries } from './device-entries.ts'

test('what lies on the device belongs to the account that asks first, whoever signs in later', () => {
  const stored = stubDeviceStorage()
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(readDeviceEntries(7)).toBeNull()
  stored.set('dealdeck.link-presets', '["a","b"]')
  expect(readDeviceEntries(8)).toEqual({ presets: ['a', 'b'], filters: null })
  expect(readDeviceEntries(7)).toBeNull()
  writeDeviceEntries({ presets: ['b'], filters: null })
  expect(readDeviceEntries(7)).toBeNull()
  expect(readDeviceEntries(8)).toEqual({ presets: ['b'], filters: null })
  writeDeviceEntries({ presets: null, filters: null })
  expect([...stored.keys()]).toEqual([])
})

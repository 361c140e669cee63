import { expect, onTestFinished, test, vi } from 'vitest'
import { stubDeviceStorage } from '../../testing/device-storage.ts'
import { deviceKeys } from './device-keys.ts'
import { memberValue } from './member-value.ts'
import { writeSessionHint } from './session-hint.ts'

const signIn = (id: number) => writeSessionHint({ id, username: 'una', role: 'user', status: 'approved' })

test('what a member built is there when they come back, also in another tab, and nobody else’s', () => {
  const stored = stubDeviceStorage()
  onTestFinished(() => void vi.unstubAllGlobals())
  const [here, elsewhere] = [memberValue(deviceKeys.imageList), memberValue(deviceKeys.imageList)]
  here.keep('signed out')
  expect(here.kept()).toBeUndefined()
  signIn(7)
  here.keep('B0AAAAAAAA')
  expect([here.kept(), elsewhere.kept()]).toEqual(['B0AAAAAAAA', 'B0AAAAAAAA'])
  elsewhere.keep('B0BBBBBBBB')
  expect(here.kept()).toBe('B0AAAAAAAA')
  signIn(8)
  expect([here.kept(), elsewhere.kept()]).toEqual([undefined, undefined])
  expect([...stored.keys()]).toEqual([deviceKeys.session])
  signIn(7)
  expect(here.kept()).toBe('B0AAAAAAAA')
  here.keep(null)
  expect(here.kept()).toBeUndefined()
})

test('a device that refuses to keep anything keeps it as long as the page lives', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => '{"id":"7","username":"una","role":"user","status":"approved"}',
    setItem: () => {
      throw new Error('full')
    },
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const value = memberValue(deviceKeys.imageList)
  value.keep('B0AAAAAAAA')
  expect(value.kept()).toBe('B0AAAAAAAA')
})

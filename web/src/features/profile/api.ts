import type { Session } from '@dealdeck/contract/session'
import { useMemo } from 'react'
import { type DeviceStore, deviceStore, useDeviceStore } from '../../platform/device-store.ts'
import { type Profile, parseProfile } from './view/profile.ts'

const stores = new Map<number, DeviceStore<unknown>>()

/** Where this device keeps the profile of a user; several who share it have one each. */
export function profileStore(userId: number): DeviceStore<unknown> {
  const known = stores.get(userId) ?? deviceStore(`dealdeck.profile.${userId}`, (stored) => stored)
  stores.set(userId, known)
  return known
}

/** What the signed-in user says of themselves on this device. */
export function useOwnProfile({ id, username }: Session): Profile {
  const stored = useDeviceStore(profileStore(id))
  return useMemo(() => parseProfile(stored, username), [stored, username])
}

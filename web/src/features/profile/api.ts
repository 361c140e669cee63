import type { Session } from '@dealdeck/contract/session'
import { useMemo } from 'react'
import { api } from '../../platform/client.ts'
import { type DeviceStore, deviceStore, useDeviceStore } from '../../platform/device-store.ts'
import { type Profile, parseProfile } from './view/profile.ts'

/** The sessions of the user's own account, page by page. Asked for again while they are looked at: one may be used elsewhere. */
export const sessionsQuery = api.profile.sessions.infiniteOptions({
  input: (cursor: string | undefined) => ({ limit: 20, ...(cursor && { cursor }) }),
  initialPageParam: undefined,
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  staleTime: 0,
  refetchInterval: 30_000,
})

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

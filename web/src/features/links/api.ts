import type { MemberItem, MemberItemInput, MergeResult } from '@dealdeck/contract/me'
import type { Session } from '@dealdeck/contract/session'
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../platform/api-error.ts'
import { readDeviceEntries, writeDeviceEntries } from '../../platform/device-entries.ts'
import { deviceKeys } from '../../platform/device-keys.ts'
import { deviceStore } from '../../platform/device-store.ts'
import { laterClient } from '../../platform/later-client.ts'
import { retryWhileFailedMs } from '../../platform/recovery.ts'
import { useSession } from '../../platform/session.ts'
import { readSessionHint } from '../../platform/session-hint.ts'
import { readStored, writeStored } from '../../platform/storage.ts'
import {
  type DeviceCopy,
  inBodies,
  parseDeviceEntries,
  readCopy,
  readTakenNote,
  sumUp,
  type Taken,
  toItems,
} from './view/kept.ts'

export const itemsKey = ['member-items'] as const

/**
 * The entries in a member's account. Until the server answers they are those that the device saw last; they are asked for
 * again when the window is looked at again, and while the server can't be reached.
 */
export function itemsQuery({ id }: Session) {
  return queryOptions({
    // One account's entries never stand in for another's, should the session change behind this page.
    queryKey: [...itemsKey, id],
    queryFn: async ({ signal }): Promise<MemberItem[]> => {
      const { user_id, items } = await laterClient.me.list(undefined, { signal })
      if (user_id !== id) throw new Error('Another account has signed in on this device')
      keepCopy({ user_id, items })
      return items
    },
    initialData: () => readCopy(readStored(deviceKeys.memberItems), id),
    initialDataUpdatedAt: 0,
    staleTime: 0,
    retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
    retryDelay: 500,
    refetchInterval: ({ state }) => state.fetchFailureCount > 0 && retryWhileFailedMs,
  })
}

/** Keeps on the device what the server said, unless its member has signed out meanwhile. */
function keepCopy(copy: DeviceCopy): void {
  if (readSessionHint()?.id === copy.user_id) writeStored(deviceKeys.memberItems, copy)
}

/** Adding, changing and removing entries of one's own. What the server refuses is not done here either. */
export function useItemChanges() {
  const queries = useQueryClient()
  const { id: userId } = useSession()
  const options = {
    onSettled: () => void queries.invalidateQueries({ queryKey: itemsKey }),
  }
  function show(change: (items: MemberItem[]) => MemberItem[]) {
    const items = queries.setQueryData<MemberItem[]>([...itemsKey, userId], (known) => known && change(known))
    if (items) keepCopy({ user_id: userId, items })
  }
  const put = (item: MemberItem) => show((items) => [...items.filter(({ id }) => id !== item.id), item])
  return {
    add: useMutation({
      mutationFn: (input: MemberItemInput) => laterClient.me.create(input),
      onSuccess: put,
      ...options,
    }),
    /** Refused when the entry was changed since it was read. */
    change: useMutation({
      mutationFn: ({ item, value }: { item: MemberItem; value: MemberItem['value'] }) => {
        const { id, kind, updated_at: expected_updated_at } = item
        // The cast holds where the value is of the item's kind, as the callers' types have it; the server checks it.
        const change = { id, kind, value, expected_updated_at } as Parameters<typeof laterClient.me.update>[0]
        return laterClient.me.update(change)
      },
      onSuccess: put,
      ...options,
    }),
    remove: useMutation({
      mutationFn: ({ id, updated_at: expected_updated_at }: MemberItem) =>
        laterClient.me.remove({ params: { id }, query: { expected_updated_at } }),
      onSuccess: (_, removed) => show((items) => items.filter(({ id }) => id !== removed.id)),
      ...options,
    }),
  }
}

/** What was brought into the account and not acknowledged yet. */
export const takenNote = deviceStore(deviceKeys.takenAlong, readTakenNote)

let running: { userId: number; taken: Promise<Taken> } | undefined

/**
 * Brings what earlier versions left on this device into the account that it belongs to, once: what the server has leaves the
 * device, what it refuses stays. Throws when it can't be asked, or another account has signed in meanwhile; then nothing
 * has left the device, and bringing it again changes nothing.
 */
export function takeAlong(queries: QueryClient, { id }: Session): Promise<Taken> {
  if (running?.userId !== id) {
    const taken = bring(queries, id)
    const own = { userId: id, taken }
    running = own
    const end = () => {
      if (running === own) running = undefined
    }
    taken.then(end, end)
  }
  return running.taken
}

async function bring(queries: QueryClient, userId: number): Promise<Taken> {
  const stored = readDeviceEntries(userId) ?? { presets: null, filters: null }
  const entries = parseDeviceEntries(stored)
  const results: MergeResult['results'] = []
  for (const items of inBodies(toItems(entries))) results.push(...(await merge(userId, items)))
  const taken = sumUp(entries, results)
  const { left, presets, filters } = taken
  // A tab of an earlier version may have added something meanwhile; then it is brought with the rest the next time.
  if (JSON.stringify(readDeviceEntries(userId)) === JSON.stringify(stored)) {
    writeDeviceEntries({
      presets: left.presets.length > 0 ? left.presets : null,
      filters: left.filters.length > 0 ? left.filters : null,
    })
  }
  if (presets + filters > 0 && readSessionHint()?.id === userId)
    takenNote.set({ user_id: userId, presets, filters })
  if (results.length > 0) await queries.invalidateQueries({ queryKey: itemsKey })
  return taken
}

async function merge(user_id: number, items: MemberItemInput[]): Promise<MergeResult['results']> {
  try {
    return (await laterClient.me.merge({ user_id, items })).results
  } catch (error) {
    // Too large even alone.
    if (!(error instanceof ApiError) || error.status !== 413) throw error
    return items.map(() => ({ result: 'refused', message: error.message }))
  }
}

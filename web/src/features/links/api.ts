import type { MemberItem, MemberItemInput, MergeResult } from '@dealdeck/contract/me'
import type { Session } from '@dealdeck/contract/session'
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../platform/api-error.ts'
import { client } from '../../platform/client.ts'
import { deviceStore } from '../../platform/device-store.ts'
import { useSession } from '../../platform/session.ts'
import { memberItemsKey, readSessionHint, takenAlongKey } from '../../platform/session-hint.ts'
import { readStored, writeStored } from '../../platform/storage.ts'
import {
  type DeviceCopy,
  inBodies,
  readCopy,
  readDeviceEntries,
  readTakenNote,
  sumUp,
  type Taken,
  toItems,
} from './view/kept.ts'

export const itemsKey = ['member-items'] as const
const retryWhileFailedMs = 5_000

/**
 * The entries in a member's account. Until the server answers they are those that the device saw last; they are asked for
 * again when the window is looked at again, and while the server can't be reached.
 */
export function itemsQuery({ id }: Session) {
  return queryOptions({
    // One account's entries never stand in for another's, should the session change behind this page.
    queryKey: [...itemsKey, id],
    queryFn: async ({ signal }): Promise<MemberItem[]> => {
      const { user_id, items } = await client.me.list(undefined, { signal })
      if (user_id !== id) throw new Error('Another account has signed in on this device')
      keepCopy({ user_id, items })
      return items
    },
    initialData: () => readCopy(readStored(memberItemsKey), id),
    initialDataUpdatedAt: 0,
    staleTime: 0,
    retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500),
    retryDelay: 500,
    refetchInterval: ({ state }) => state.fetchFailureCount > 0 && retryWhileFailedMs,
  })
}

/** Keeps on the device what the server said, unless its member has signed out meanwhile. */
function keepCopy(copy: DeviceCopy): void {
  if (readSessionHint()?.id === copy.user_id) writeStored(memberItemsKey, copy)
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
      mutationFn: (input: MemberItemInput) => client.me.create(input),
      onSuccess: put,
      ...options,
    }),
    /** Refused when the entry was changed since it was read. */
    change: useMutation({
      mutationFn: ({ item, value }: { item: MemberItem; value: MemberItem['value'] }) => {
        const { id, kind, updated_at: expected_updated_at } = item
        // The cast holds where the value is of the item's kind, as the callers' types have it; the server checks it.
        const change = { id, kind, value, expected_updated_at } as Parameters<typeof client.me.update>[0]
        return client.me.update(change)
      },
      onSuccess: put,
      ...options,
    }),
    remove: useMutation({
      mutationFn: ({ id, updated_at: expected_updated_at }: MemberItem) =>
        client.me.remove({ params: { id }, query: { expected_updated_at } }),
      onSuccess: (_, removed) => show((items) => items.filter(({ id }) => id !== removed.id)),
      ...options,
    }),
  }
}

// Where earlier versions kept presets and filters for whoever used the device.
const devicePresetsKey = 'dealdeck.link-presets'
const deviceFiltersKey = 'dealdeck.custom-filters'
const readDevice = () => [readStored(devicePresetsKey), readStored(deviceFiltersKey)] as const

/** Whether an earlier version has left presets or filters on this device. */
export const hasDeviceEntries = () => readDevice().some((stored) => stored !== null)

/** What was brought into the account and not acknowledged yet. */
export const takenNote = deviceStore(takenAlongKey, readTakenNote)

let running: Promise<Taken> | undefined

/**
 * Brings what earlier versions left on this device into the account, once: what the server has leaves the device, what it
 * refuses stays. Throws when it can't be asked; then nothing has left the device, and bringing it again changes nothing.
 */
export function takeAlong(queries: QueryClient, session: Session): Promise<Taken> {
  running ??= bring(queries, session).finally(() => {
    running = undefined
  })
  return running
}

async function bring(queries: QueryClient, { id }: Session): Promise<Taken> {
  const stored = readDevice()
  const entries = readDeviceEntries(...stored)
  const results: MergeResult['results'] = []
  for (const items of inBodies(toItems(entries))) results.push(...(await merge(items)))
  const taken = sumUp(entries, results)
  const { left, presets, filters } = taken
  // A tab of an earlier version may have added something meanwhile; then it is brought with the rest the next time.
  if (JSON.stringify(readDevice()) === JSON.stringify(stored)) {
    writeStored(devicePresetsKey, left.presets.length > 0 ? left.presets : null)
    writeStored(deviceFiltersKey, left.filters.length > 0 ? left.filters : null)
  }
  if (presets + filters > 0 && readSessionHint()?.id === id) takenNote.set({ user_id: id, presets, filters })
  await queries.invalidateQueries({ queryKey: itemsKey })
  return taken
}

async function merge(items: MemberItemInput[]): Promise<MergeResult['results']> {
  try {
    return (await client.me.merge({ items })).results
  } catch (error) {
    // Too large even alone.
    if (!(error instanceof ApiError) || error.status !== 413) throw error
    return items.map(() => ({ result: 'refused', message: error.message }))
  }
}

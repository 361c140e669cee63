import type { SavedSearch, SearchChange, SearchInput } from '@dealdeck/contract/searches'
import type { Session } from '@dealdeck/contract/session'
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { deviceKeys } from '../../platform/device-keys.ts'
import { deviceZone } from '../../platform/device-zone.ts'
import { laterApi, laterClient } from '../../platform/later-client.ts'
import { useSession } from '../../platform/session.ts'
import { readSessionHint } from '../../platform/session-hint.ts'
import { readStored, writeStored } from '../../platform/storage.ts'
import { type CountedSearch, readCopy, withKnownCount } from './view.ts'

export const searchesKey = ['saved-searches'] as const
const keyOf = (userId: number) => [...searchesKey, userId]

/** What isn't counted in time is asked for again after so many milliseconds. */
const countAgainMs = 10_000

/** A member's searches, their own and the group's. Until the server answers they are those that the device saw last. */
export function searchesQuery({ id }: Session) {
  return queryOptions({
    // One account's searches never stand in for another's, should the session change behind this page.
    queryKey: keyOf(id),
    queryFn: async ({ signal, client }): Promise<CountedSearch[]> => {
      const { user_id, items } = await laterClient.searches.list({ time_zone: deviceZone() }, { signal })
      if (user_id !== id) throw new Error('Another account has signed in on this device')
      const known = client.getQueryData<CountedSearch[]>(keyOf(id))
      const counted = items.map((search) => withKnownCount(search, known))
      keepCopy(id, counted)
      return counted
    },
    initialData: (): CountedSearch[] | undefined => readCopy(readStored(deviceKeys.searches), id),
    initialDataUpdatedAt: 0,
    staleTime: 0,
    refetchInterval: ({ state }) => state.data?.some(({ is_late }) => is_late) && countAgainMs,
  })
}

/** Keeps on the device what the server said, unless its member has signed out meanwhile. */
function keepCopy(user_id: number, items: CountedSearch[]): void {
  if (readSessionHint()?.id === user_id)
    writeStored(deviceKeys.searches, items.length > 0 ? { user_id, items } : null)
}

/** Shows a change of the list at once; what the server says of it counts when it comes. */
function show(
  queries: QueryClient,
  userId: number,
  change: (items: CountedSearch[]) => CountedSearch[],
): void {
  const items = queries.setQueryData<CountedSearch[]>(keyOf(userId), (known) => known && change(known))
  if (items) keepCopy(userId, items)
}

/** Everything that is done with searches. What the server refuses is not done here either. */
export function useSearchChanges() {
  const queries = useQueryClient()
  const { id: userId } = useSession()
  const options = { onSettled: () => void queries.invalidateQueries({ queryKey: searchesKey }) }
  const put = (saved: SavedSearch) =>
    show(queries, userId, (items) => {
      const counted = withKnownCount(saved, items)
      return items.some(({ id }) => id === saved.id)
        ? items.map((item) => (item.id === saved.id ? counted : item))
        : [...items, counted]
    })
  return {
    add: useMutation({
      mutationFn: (input: SearchInput) => laterClient.searches.create(input),
      onSuccess: put,
      ...options,
    }),
    /** Answers the search, or the copy that somebody else's has become. */
    change: useMutation({
      mutationFn: (change: SearchChange & { id: number }) => laterClient.searches.update(change),
      onSuccess: put,
      ...options,
    }),
    remove: useMutation({
      mutationFn: (id: number) => laterClient.searches.remove({ id }),
      onSuccess: (_, removed) => show(queries, userId, (items) => items.filter(({ id }) => id !== removed)),
      ...options,
    }),
    restore: useMutation({
      mutationFn: (id: number) => laterClient.searches.restore({ id }),
      onSuccess: put,
      ...options,
    }),
    /** Says that its reader sees what is new in it; whether that is heard is no matter to who reads. */
    open: useMutation({
      mutationFn: (id: number) => laterClient.searches.open({ id }),
      onMutate: (opened) =>
        show(queries, userId, (items) =>
          items.map((item) => (item.id === opened ? { ...item, new_count: 0, has_more_new: false } : item)),
        ),
      ...options,
    }),
    /** Shown at once; where it fails the order of before comes back. */
    arrange: useMutation({
      mutationFn: (items: readonly SavedSearch[]) =>
        laterClient.searches.arrange({ items: items.map(({ id, is_in_row }) => ({ id, is_in_row })) }),
      onMutate: (items) => show(queries, userId, () => [...items]),
      ...options,
    }),
  }
}

/** Asked anew whenever they are shown: other programs use them meanwhile. */
export const feedsQuery = (id: number) =>
  laterApi.searches.listFeeds.queryOptions({ input: { id }, staleTime: 0 })

/** Making addresses of feeds, which are shown once and stored nowhere, and making them worthless. */
export function useFeedChanges(id: number) {
  const queries = useQueryClient()
  const onSettled = () => void queries.invalidateQueries({ queryKey: feedsQuery(id).queryKey })
  return {
    create: useMutation(laterApi.searches.createFeed.mutationOptions({ onSettled, gcTime: 0 })),
    revoke: useMutation(laterApi.searches.removeFeed.mutationOptions({ onSettled })),
  }
}

import type { UserPage, UserRecord } from '@dealdeck/contract/users'
import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query'
import { askAgain } from '../../platform/followed-queries.ts'
import { laterApi, laterClient } from '../../platform/later-client.ts'
import { listInput, type UserFilters } from './view.ts'

type UserPages = InfiniteData<UserPage, string | undefined>

/** Every loaded list of users, whatever its filters. */
const usersKey = ['users', 'pages'] as const
const pageSize = 50
/** Going through more pages than this at every look at the window would be a burden; a new search brings them anew. */
const mostRefetched = 3

/** The users of some filters, newest first, page by page. */
export function usersQuery(filters: UserFilters) {
  return infiniteQueryOptions({
    queryKey: [...usersKey, filters],
    // An infinite list has to say where it begins.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      laterClient.users.list(
        { ...listInput(filters), limit: pageSize, ...(cursor && { cursor }) },
        { signal },
      ),
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 10_000,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= mostRefetched,
  })
}

/** Puts what the server says of a user in place of what was loaded, so that nothing on the screen moves. */
export function replaceUser(queries: QueryClient, user: UserRecord): void {
  queries.setQueriesData<UserPages>({ queryKey: usersKey }, (data) =>
    changePages(data, (page) => ({
      ...page,
      items: page.items.map((other) => (other.id === user.id ? user : other)),
    })),
  )
  afterChange(queries)
}

/** Takes a user who is gone out of every loaded list. */
export function dropUser(queries: QueryClient, id: number): void {
  queries.setQueriesData<UserPages>({ queryKey: usersKey }, (data) => {
    const isListed = data?.pages.some((page) => page.items.some((user) => user.id === id))
    if (!isListed) return data
    return changePages(data, (page) => ({
      ...page,
      items: page.items.filter((user) => user.id !== id),
      total: page.total - 1,
    }))
  })
  afterChange(queries)
}

/** Starts every list again from its first page, where a new user stands. */
export function restartLists(queries: QueryClient): void {
  void queries.resetQueries({ queryKey: usersKey })
  void queries.invalidateQueries({ queryKey: laterApi.admin.stats.key() })
}

/** Fetches the loaded lists again: somebody else has changed something. */
export function refetchLists(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: usersKey })
}

function afterChange(queries: QueryClient): void {
  // Whether a user still belongs to a filter shows when that filter is chosen the next time.
  void queries.invalidateQueries({ queryKey: usersKey, refetchType: 'none' })
  // An answer that is on its way may be of before the change.
  void askAgain(queries, { queryKey: usersKey, fetchStatus: 'fetching' })
  void queries.invalidateQueries({ queryKey: laterApi.admin.stats.key() })
}

function changePages(
  data: UserPages | undefined,
  change: (page: UserPage) => UserPage,
): UserPages | undefined {
  return data && { ...data, pages: data.pages.map(change) }
}

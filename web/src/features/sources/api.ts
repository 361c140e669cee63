import type { Source } from '@dealdeck/contract/sources'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { askAgain } from '../../platform/followed-queries.ts'
import { laterApi } from '../../platform/later-client.ts'
import type { Progress } from './view.ts'

/** All sources; the stream says what changes, and what is missed is seen a minute later. */
export const sourcesQuery = laterApi.sources.list.queryOptions({ refetchInterval: 60_000 })

/** What sources there can be; that changes with the program only. */
export const kindsQuery = laterApi.sources.kinds.queryOptions({ staleTime: Number.POSITIVE_INFINITY })

/** What of sources waits for an administrator. */
export const alarmsQuery = laterApi.sources.alarms.queryOptions({ refetchInterval: 5 * 60_000 })

/** When a source was asked, page by page, the newest first. */
export const runsQuery = (id: number) =>
  laterApi.sources.runs.infiniteOptions({
    input: (cursor: number | undefined) => ({ id, limit: 20, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : Number(next_cursor)),
  })

/** How far the run of a source is, as the stream last said; null where none is under way. */
export const progressQuery = (id: number) =>
  queryOptions({
    queryKey: ['source-progress', id],
    // Nobody can be asked for it: it is put here by what the stream says.
    queryFn: (): Progress | null => null,
    enabled: false,
    initialData: null,
  })

/** Puts what the server says of a source in place of what was loaded, or adds it. */
export function putSource(queries: QueryClient, source: Source): void {
  queries.setQueryData(sourcesQuery.queryKey, (list) => {
    if (list === undefined) return list
    const isKnown = list.items.some(({ id }) => id === source.id)
    return {
      items: isKnown
        ? list.items.map((other) => (other.id === source.id ? source : other))
        : [...list.items, source],
    }
  })
  afterChange(queries)
}

/** Takes out a source that is gone. */
export function dropSource(queries: QueryClient, id: number): void {
  queries.setQueryData(
    sourcesQuery.queryKey,
    (list) => list && { items: list.items.filter((source) => source.id !== id) },
  )
  afterChange(queries)
}

/** Fetches again what tells of sources, as it is from now on. */
export function refetchSources(queries: QueryClient): Promise<unknown> {
  const { list, runs, alarms } = laterApi.sources
  return Promise.all([list, runs, alarms].map((route) => askAgain(queries, { queryKey: route.key() })))
}

function afterChange(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: alarmsQuery.queryKey })
  void queries.invalidateQueries({ queryKey: laterApi.audit.key() })
}

import type { DeliveryState, Destination } from '@dealdeck/contract/deliveries'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { laterApi, laterClient } from '../../platform/later-client.ts'

/** Where messages can be sent: one's own destinations, and for administrators the group's. */
export const destinationsQuery = laterApi.deliveries.listDestinations.queryOptions({
  refetchInterval: 60_000,
})

/** What destinations there can be; that changes with the program only. */
export const kindsQuery = laterApi.deliveries.kinds.queryOptions({ staleTime: Number.POSITIVE_INFINITY })

/** The key with which a browser subscribes to web push; it is there before the press that needs it. */
export const pushKeyQuery = queryOptions({
  queryKey: ['push-key'],
  queryFn: readPushKey,
  staleTime: Number.POSITIVE_INFINITY,
})

export async function readPushKey(): Promise<string> {
  const { public_key } = await laterClient.deliveries.vapid()
  return public_key
}

/** What of the log is looked at; `all`: of all members. */
export type LogFilter = {
  destination?: number
  search?: number
  state?: DeliveryState
  all?: true
}

/** What was sent, or wasn't and why, page by page, the newest first. */
export const logQuery = (filter: LogFilter) =>
  laterApi.deliveries.list.infiniteOptions({
    input: (cursor: number | undefined) => ({
      ...filter,
      limit: 30,
      ...(cursor !== undefined && { cursor }),
    }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : Number(next_cursor)),
    placeholderData: keepPreviousData,
    // Administrators aren't told of what is sent to other members.
    refetchInterval: 60_000,
  })

/** Puts what the server says of a destination in place of what was loaded, or adds it. */
export function putDestination(queries: QueryClient, destination: Destination): void {
  queries.setQueryData(destinationsQuery.queryKey, (list) => {
    if (list === undefined) return list
    const isKnown = list.items.some(({ id }) => id === destination.id)
    return {
      items: isKnown
        ? list.items.map((other) => (other.id === destination.id ? destination : other))
        : [...list.items, destination],
    }
  })
}

/** Takes out a destination that is gone. Its alerts and its part of the log are gone with it. */
export function dropDestination(queries: QueryClient, id: number): void {
  queries.setQueryData(
    destinationsQuery.queryKey,
    (list) => list && { items: list.items.filter((destination) => destination.id !== id) },
  )
  for (const route of [laterApi.alerts, laterApi.deliveries.list])
    void queries.invalidateQueries({ queryKey: route.key() })
}

import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { laterApi, laterClient } from '../../platform/later-client.ts'
import type { Decided, Decision, HeldFilter } from './view.ts'

const pageSize = 50

/** Held rows, page by page, the newest first. */
export function heldQuery(filter: HeldFilter) {
  return laterApi.quarantine.list.infiniteOptions({
    input: (cursor: number | undefined) => ({
      ...filter,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    }),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : Number(next_cursor)),
    placeholderData: keepPreviousData,
  })
}

/** Fetches again whatever a decision changes. */
export async function afterDecision(queries: QueryClient): Promise<void> {
  const keys = [
    laterApi.quarantine.key(),
    laterApi.sources.key(),
    laterApi.audit.key(),
    laterApi.admin.stats.key(),
  ]
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })))
}

/** Rows by id, or all of a group up to the newest that somebody has seen of it. */
type Chosen = { ids: number[] } | { group: Required<HeldFilter> & { newest: number } }

/**
 * Lets rows through or refuses them, all in one. `always`: their sources are trusted for their rules from now on, or what these object to of
 * them is refused at once.
 */
export function decide(how: Decision, chosen: Chosen, always = false): Promise<Decided> {
  return how === 'release'
    ? laterClient.quarantine.release({ ...chosen, trust: always })
    : laterClient.quarantine.refuse({ ...chosen, always })
}

import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { laterApi, laterClient } from '../../platform/later-client.ts'
import { type Decided, type Decision, type HeldFilter, mostAtOnce } from './view.ts'

const pageSize = 50
/** What the server hands out at once at most. */
const largestPage = 200

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

/** Lets rows through or refuses them, all in one. `trusts`: their sources are trusted for their rules from now on. */
export function decide(how: Decision, ids: number[], trusts = false): Promise<Decided> {
  return how === 'release'
    ? laterClient.quarantine.release({ ids, trust: trusts })
    : laterClient.quarantine.refuse({ ids })
}

/**
 * Decides all rows that wait of a source and rule when it begins, 5,000 at a time. `onStep` is told after each step how many it
 * were by now. Stopped, it ends after the step under way; what is decided stays.
 */
export async function decideAll(
  how: Decision,
  filter: HeldFilter,
  options: { trusts: boolean; signal: AbortSignal; onStep: (soFar: Decided) => void },
): Promise<Decided> {
  const soFar = { decided: 0, gone: 0, unchanged: 0 }
  let newest: number | undefined
  while (!options.signal.aborted) {
    const ids = await waitingIds(filter, newest)
    newest ??= ids[0]
    if (ids.length === 0) break
    const { decided, gone, unchanged } = await decide(how, ids, options.trusts)
    soFar.decided += decided
    soFar.gone += gone
    soFar.unchanged += unchanged
    options.onStep({ ...soFar })
    // Nobody can have decided all of them otherwise: it would go on for ever.
    if (decided === 0) break
  }
  return soFar
}

/** Up to 5,000 that wait; those that came after `newest` were not there when somebody decided. */
async function waitingIds(filter: HeldFilter, newest = Number.POSITIVE_INFINITY): Promise<number[]> {
  const ids: number[] = []
  let cursor: number | undefined
  do {
    const page = await laterClient.quarantine.list({
      ...filter,
      limit: largestPage,
      ...(cursor !== undefined && { cursor }),
    })
    ids.push(...page.items.map(({ id }) => id).filter((id) => id <= newest))
    cursor = page.next_cursor === null ? undefined : Number(page.next_cursor)
  } while (cursor !== undefined && ids.length < mostAtOnce)
  return ids.slice(0, mostAtOnce)
}

import type { Query, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** How often what failed on a screen is asked for again, in milliseconds. */
export const retryWhileFailedMs = 4_000
const longestPauseMs = 60_000

/** Whether the server was not reached or failed, as opposed to having refused. */
export function isUnreachable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500
}

type Failed = Pick<Query, 'isActive'> & {
  state: Pick<Query['state'], 'status' | 'error' | 'errorUpdateCount' | 'errorUpdatedAt' | 'fetchStatus'>
}

/** Whether something on the screen failed for want of the server. */
export function isLost({ state, isActive }: Failed): boolean {
  return state.status === 'error' && state.fetchStatus === 'idle' && isUnreachable(state.error) && isActive()
}

/** Whether it is time to ask for it again. What fails although the server answers is asked for ever more seldom. */
export function isDue({ state }: Failed, now: number): boolean {
  const pause = Math.min(longestPauseMs, retryWhileFailedMs * 2 ** (state.errorUpdateCount - 1))
  return now - state.errorUpdatedAt >= pause
}

/** Whether the server can be reached and says by this address that it is well. */
export const answers = (path: '/healthz' | '/readyz'): Promise<boolean> =>
  fetch(path).then(
    ({ ok }) => ok,
    () => false,
  )

/** Loads a part of the program, and the whole page where the server is there but has no such file any more. */
export async function orReload(load: () => Promise<unknown>): Promise<void> {
  try {
    await load()
  } catch {
    if (await answers('/healthz')) window.location.reload()
  }
}

/** Has whatever failed on the screen asked for again as soon as the server is back, so that screens recover by themselves. */
export function recoverQueries(queries: QueryClient): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const lost = () => queries.getQueryCache().findAll({ predicate: (query) => isLost(bound(query)) })

  async function look() {
    // One small question for all, which says whether it is worth asking the others.
    const isBack = await answers('/readyz')
    timer = undefined
    const due = isBack ? lost().filter((query) => isDue(query, Date.now())) : []
    await Promise.all(due.map((query) => query.fetch().catch(() => undefined)))
    schedule()
  }

  function schedule() {
    if (lost().length > 0) timer ??= setTimeout(() => void look(), retryWhileFailedMs)
  }

  queries.getQueryCache().subscribe(({ type }) => {
    if (type === 'updated' || type === 'observerAdded') schedule()
  })
  window.addEventListener('online', () => {
    if (timer === undefined) return
    clearTimeout(timer)
    void look()
  })
}

const bound = (query: Query): Failed => ({ state: query.state, isActive: () => query.isActive() })

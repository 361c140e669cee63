import type { Session } from '@dealdeck/contract/session'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../platform/api-error.ts'
import { client } from '../../platform/client.ts'
import { deviceKeys } from '../../platform/device-keys.ts'
import { settingsQuery } from '../../platform/money.ts'
import { readSessionHint, writeSessionHint } from '../../platform/session-hint.ts'
import { writeStored } from '../../platform/storage.ts'

/** Who is signed in, as the server says; null for nobody. Asked again when the window comes back into view. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ client: queryClient, queryKey, signal }): Promise<Session | null> => {
    try {
      const session = await client.session.current(undefined, { signal })
      const before = queryClient.getQueryData<Session | null>(queryKey)
      if (before && before.id !== session.id) forgetFetched(queryClient)
      writeSessionHint(session)
      return session
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      writeSessionHint(null)
      return null
    }
  },
  staleTime: 60_000,
  // Unreachable is not an answer: goes on asking until there is one. A built-in account's session may end any moment.
  refetchInterval: ({ state }) => (state.status === 'error' || state.data?.is_fallback) && 4_000,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Takes note of a successful sign-in. */
export function sessionBegan(queryClient: QueryClient, session: Session): void {
  settle(queryClient, session)
}

/** Shows the login screen at once and forgets everything that was fetched for the session that ended. */
export function sessionEnded(queryClient: QueryClient): void {
  settle(queryClient, null)
}

function settle(queryClient: QueryClient, session: Session | null): void {
  // An answer that is on its way is about who was signed in before.
  void queryClient.cancelQueries({ queryKey: sessionQuery.queryKey })
  queryClient.setQueryData(sessionQuery.queryKey, session)
  writeSessionHint(session)
  forgetFetched(queryClient)
}

/**
 * Leaves no address behind in which the next person on the device would start, here and in the other tabs, which hear that
 * somebody signed out on purpose; a session that ran out is another matter.
 */
export function leaveAddress(isFirst = true): void {
  if (isFirst) writeStored(deviceKeys.signedOut, Date.now())
  window.history.replaceState(null, '', '/')
}

/**
 * Somebody signed in or out in another tab: believes an end at once, and asks the server about anything else. Of an account
 * that is not signed in any more nothing is shown meanwhile.
 */
export function sessionChangedElsewhere(queryClient: QueryClient): void {
  const hint = readSessionHint()
  const shown = queryClient.getQueryData(sessionQuery.queryKey)
  if (hint === null) sessionEnded(queryClient)
  else if (shown && shown.id !== hint.id) {
    forgetFetched(queryClient)
    void queryClient.resetQueries({ queryKey: sessionQuery.queryKey })
  } else void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
}

function forgetFetched(queryClient: QueryClient): void {
  const kept = [sessionQuery.queryKey[0], settingsQuery.queryKey[0]]
  queryClient.removeQueries({ predicate: (query) => !kept.includes(query.queryKey[0]) })
}

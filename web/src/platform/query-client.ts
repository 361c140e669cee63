import { QueryClient } from '@tanstack/react-query'
import { isUnreachable } from './recovery.ts'

/** A refusal stays a refusal; only a lost connection or a failing server is worth asking again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  // Without a network there is no sense in waiting before saying so.
  return isUnreachable(error) && navigator.onLine && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: isWorthRetrying, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

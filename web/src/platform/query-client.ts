import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** A refusal stays a refusal; only a lost connection or a failing server is worth asking again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status < 500) return false
  return failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: isWorthRetrying, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

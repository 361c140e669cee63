import { preloadedResponse } from './preloaded-responses.ts'

/** The options with which a query begins with what the page brought for `path`, if it did; it counts from then on. */
export function preloadedAnswer<T>(path: string): { initialData?: T; initialDataUpdatedAt?: number } {
  const answer = preloadedResponse(path)
  // The cast holds: the answers are those of the contract's routes, asked by the server itself.
  return answer ? { initialData: answer as T, initialDataUpdatedAt: performance.timeOrigin } : {}
}

import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query'

const elementId = 'preloaded-responses'

let answers: Readonly<Record<string, unknown>> = {}

/**
 * Takes what the server has put into the page: answers to what the screen would ask for first, by their address. They
 * leave the page with this, so that nothing of a session stays in it when that ends.
 */
export function takePreloadedResponses(): void {
  const element = document.getElementById(elementId)
  element?.remove()
  try {
    const parsed: unknown = JSON.parse(element?.textContent ?? '{}')
    answers = Object(parsed)
  } catch {
    // Then the screens ask for themselves, as they do of a page without any.
  }
}

/** The body the server answered `path` with; null when it refused, undefined when it was not asked. */
export function preloadedResponse(path: string): unknown {
  return Object.hasOwn(answers, path) ? answers[path] : undefined
}

const given = new Set<string>()

/** Hands an answer over to those who query it; it counts from the moment the page was asked for. */
export function giveAnswer<T>(queries: QueryClient, queryKey: QueryKey, data: T | undefined): void {
  if (data === undefined) return
  queries.setQueryData(queryKey, data, { updatedAt: performance.timeOrigin })
  given.add(hashKey(queryKey))
}

/** Whether what is known of a query came with the page; true only once, for whoever starts with it. */
export function cameWithPage(queryKey: QueryKey): boolean {
  return given.delete(hashKey(queryKey))
}

import type { Session } from '@dealdeck/contract/session'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubDeviceStorage } from '../../../testing/device-storage.ts'
import { toApiError } from '../../platform/api-error.ts'
import { readSessionHint, writeSessionHint } from '../../platform/session-hint.ts'
import { sessionBegan, sessionChangedElsewhere, sessionQuery } from './api.ts'

const current = vi.fn(async (_input?: undefined, _options?: { signal: AbortSignal }) => ben)
vi.mock('../../platform/client.ts', () => ({
  client: { session: { current: (...given: Parameters<typeof current>) => current(...given) } },
  api: { settings: { current: { queryOptions: () => ({ queryKey: ['settings'] }) } } },
}))

const una: Session = { id: 7, username: 'una', role: 'user', status: 'approved' }
const ben: Session = { ...una, id: 8, username: 'ben' }

let queries: QueryClient
beforeEach(() => {
  stubDeviceStorage()
  queries = new QueryClient()
  queries.setQueryData(sessionQuery.queryKey, una)
  queries.setQueryData(['deals'], 'of una')
  writeSessionHint(una)
})
afterEach(() => void vi.unstubAllGlobals())

test('where another tab signed another account in, nothing of the first is left while the server is asked', () => {
  writeSessionHint(ben)
  sessionChangedElsewhere(queries)
  expect(queries.getQueryData(sessionQuery.queryKey)).toBeUndefined()
  expect(queries.getQueryData(['deals'])).toBeUndefined()
})

test('the same account signed in again elsewhere keeps what is shown', () => {
  sessionChangedElsewhere(queries)
  expect(queries.getQueryData(sessionQuery.queryKey)).toEqual(una)
  expect(queries.getQueryData(['deals'])).toBe('of una')
})

test('where the server names another account, what was fetched for the first is forgotten', async () => {
  expect(await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })).toEqual(ben)
  expect(queries.getQueryData(['deals'])).toBeUndefined()
})

test('who asked before somebody signed in has no say in it', async () => {
  const answer = Promise.withResolvers<Session>()
  current.mockImplementationOnce((_, options) => {
    // As a request does: its answer is nobody's once it is given up.
    options?.signal.addEventListener('abort', () => answer.reject(new DOMException('', 'AbortError')))
    return answer.promise
  })
  queries.setQueryData(sessionQuery.queryKey, null)
  const asked = queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null)
  await vi.waitFor(() => expect(current).toHaveBeenCalled())
  sessionBegan(queries, ben)
  answer.reject(toApiError(401, {}))
  await asked
  expect(queries.getQueryData(sessionQuery.queryKey)).toEqual(ben)
  expect(readSessionHint()?.id).toBe(ben.id)
})

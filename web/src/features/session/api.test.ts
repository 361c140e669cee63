import type { Session } from '@dealdeck/contract/session'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubDeviceStorage } from '../../../testing/device-storage.ts'
import { writeSessionHint } from '../../platform/session-hint.ts'
import { sessionChangedElsewhere, sessionQuery } from './api.ts'

vi.mock('../../platform/client.ts', () => ({
  client: { session: { current: async () => ben } },
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

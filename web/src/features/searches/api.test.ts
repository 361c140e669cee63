import type { SavedSearch } from '@dealdeck/contract/searches'
import type { Session } from '@dealdeck/contract/session'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { searchesQuery } from './api.ts'

const answer = vi.hoisted((): { items: unknown[] } => ({ items: [] }))
vi.mock('../../platform/later-client.ts', () => ({
  laterClient: { searches: { list: async () => ({ user_id: 7, items: answer.items }) } },
  laterApi: {},
}))
vi.mock('../../platform/session.ts', () => ({}))

const una: Session = { id: 7, username: 'una', role: 'user', status: 'approved' }
const lamps: SavedSearch = {
  ...{ id: 1, name: 'Lamps', q: 'lamp', sort: null, is_shared: false, owner: 'una', is_mine: true },
  ...{ is_in_row: true, new_count: 5, has_more_new: false, updated_at: '2026-05-01T00:00:00.000Z' },
}

beforeEach(() => void vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined }))
afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['lamp', true],
  ['lamp is:sample', true],
  ['"is:hidden lamp"', true],
  ['lamp -is:hidden', false],
  ['is:sample,hidden', false],
])('what could not be counted in time of %s is asked for again: %s', async (q, isAsked) => {
  const queries = new QueryClient()
  const options = { ...searchesQuery(una), retry: false }
  const list = async (new_count: number | null) => {
    answer.items = [{ ...lamps, q, new_count }]
    const [found] = await queries.fetchQuery(options)
    const query = queries.getQueryCache().find<SavedSearch[]>(options)
    if (!query || typeof options.refetchInterval !== 'function') throw new Error('no query')
    // Of another type only in its key, which is not read.
    const again = options.refetchInterval(query as never)
    return [found?.new_count, again || false]
  }
  const again = isAsked && 10_000
  expect(await list(null)).toEqual([null, again])
  expect(await list(5)).toEqual([5, false])
  expect(await list(null)).toEqual([isAsked ? 5 : null, again])
  expect(await list(6)).toEqual([6, false])
})

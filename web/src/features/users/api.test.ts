import type { UserPage, UserRecord } from '@dealdeck/contract/users'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { dropUser, replaceUser, usersQuery } from './api.ts'
import { noFilters } from './view.ts'

const list = vi.fn(async (): Promise<UserPage> => page([nora, nils]))
vi.mock('../../platform/later-client.ts', () => ({
  laterClient: { users: { list: () => list() } },
  laterApi: { admin: { stats: { key: () => ['stats'] } } },
}))

const nora: UserRecord = {
  ...{ id: 1, username: 'nora', role: 'user', status: 'approved', is_active: true, live_sessions: 0 },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  last_sign_in_at: null,
}
const nils = { ...nora, id: 2, username: 'nils' }
const page = (items: UserRecord[]): UserPage => ({ items, next_cursor: null, total: items.length })

/** Has a list on the screen that is being asked for; says what it shows once it has been answered `before`, then `now`. */
async function shownAfter(isFirst: boolean, change: (queries: QueryClient) => void, now: UserRecord[]) {
  const queries = new QueryClient()
  const observer = new InfiniteQueryObserver(queries, usersQuery(noFilters))
  const answer = Promise.withResolvers<UserPage>()
  if (!isFirst) {
    const stop = observer.subscribe(() => undefined)
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBeDefined())
    stop()
  }
  list.mockImplementationOnce(() => answer.promise)
  const stop = observer.subscribe(() => undefined)
  if (!isFirst) void observer.refetch()
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetching).toBe(true))
  list.mockImplementation(async () => page(now))
  change(queries)
  answer.resolve(page([nora, nils]))
  await vi.waitFor(() => expect(observer.getCurrentResult().isFetching).toBe(false))
  stop()
  list.mockImplementation(async () => page([nora, nils]))
  return observer.getCurrentResult().data?.pages.flatMap(({ items }) => items)
}

const off = { ...nora, is_active: false, updated_at: '2026-01-02T00:00:00.000Z' }

test.each([true, false])(
  'a list asked for before a change does not take it back; first: %s',
  async (isFirst) => {
    expect(await shownAfter(isFirst, (queries) => replaceUser(queries, off), [off, nils])).toEqual([
      off,
      nils,
    ])
    expect(await shownAfter(isFirst, (queries) => dropUser(queries, 1), [nils])).toEqual([nils])
  },
)

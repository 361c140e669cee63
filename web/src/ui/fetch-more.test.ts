import { setTimeout as sleep } from 'node:timers/promises'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { fetchMore } from './fetch-more.ts'

const queryKey = ['list']

/** A list of three pages, of which the first has come. */
async function listOfPages() {
  const queries = new QueryClient()
  let fetched = 0
  const observer = new InfiniteQueryObserver(queries, {
    queryKey,
    queryFn: async ({ pageParam }) => {
      await sleep(20)
      fetched += 1
      return `page ${pageParam}, fetched as number ${fetched}`
    },
    initialPageParam: 0,
    getNextPageParam: (_last, all) => (all.length < 3 ? all.length : undefined),
  })
  onTestFinished(observer.subscribe(() => undefined))
  await expect.poll(() => observer.getCurrentResult().data?.pages.length).toBe(1)
  return { queries, current: () => observer.getCurrentResult() }
}

test.each([
  ['the page is under way', true],
  ['the page is asked for', false],
])('a list that is fetched anew once %s gets both', async (_, pageFirst) => {
  const { queries, current } = await listOfPages()
  const invalidate = () => queries.invalidateQueries({ queryKey })
  const anew = pageFirst ? undefined : invalidate()
  const more = fetchMore(current())
  await Promise.all([more, anew ?? invalidate()])
  expect(current().data?.pages).toHaveLength(2)
  expect(current().data?.pages[0]).not.toContain('number 1')
})

test('a page that fails, and the end of a list, are not asked for again', async () => {
  let asked = 0
  const list = (result: { hasNextPage: boolean; isError: boolean }) => ({
    data: { pages: ['first'] },
    fetchNextPage: async () => {
      asked += 1
      return { data: { pages: ['first'] }, ...result }
    },
  })
  await fetchMore(list({ hasNextPage: true, isError: true }))
  await fetchMore(list({ hasNextPage: false, isError: false }))
  expect(asked).toBe(2)
})

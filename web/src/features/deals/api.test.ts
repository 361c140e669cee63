import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { type DealPages, listQuery, refreshList } from './api.ts'
import { defaultFilters } from './view/filters.ts'
import { sampleDeals } from './view/samples.ts'

vi.mock('../../platform/client.ts', () => ({
  client: {},
  api: {
    deals: {
      stats: { queryOptions: () => ({ queryKey: ['stats'] }) },
      removeSamples: { mutationOptions: () => ({}) },
    },
  },
}))

const [made] = sampleDeals(0)
const dealsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...made, id: first + index }))

test('a list that is refreshed keeps its whole first page, what follows it and its time until the answer is there', async () => {
  const queries = new QueryClient()
  const filters = defaultFilters({ defaultMax: 30, hidesContradicted: false })
  const { queryKey } = listQuery(filters, 0)
  // Three new deals were put on top.
  const first = { items: dealsFrom(1, 53), next_cursor: 'after the 53rd' }
  const pages = [first, { items: dealsFrom(54, 7), next_cursor: null }]
  queries.setQueryData<DealPages>(queryKey, { pages, pageParams: [{ limit: 50 }] }, { updatedAt: 1_000 })
  await refreshList(queries, filters)
  expect(queries.getQueryData<DealPages>(queryKey)).toEqual({ pages: [first], pageParams: [{ limit: 50 }] })
  expect(queries.getQueryState(queryKey)?.dataUpdatedAt).toBe(1_000)
})

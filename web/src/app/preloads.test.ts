import { contract } from '@dealdeck/contract/api'
import { newestQuestion, preloadsOf } from '@dealdeck/contract/preloads'
import { expect, test, vi } from 'vitest'
import { countQuestion, listQuestion } from '../features/deals/api.ts'
import { defaultFilters } from '../features/deals/view/filters.ts'
import { client } from '../platform/client.ts'
import { defaultPreferences } from '../platform/preferences.ts'

vi.mock('virtual:contract-routes', async () => {
  const [{ minifyContractRouter }, api] = await Promise.all([
    import('@orpc/contract'),
    import('@dealdeck/contract/api'),
  ])
  return { routes: minifyContractRouter(api.contract) }
})

/** The address that a call of the typed client asks by. */
async function asked(call: () => Promise<unknown>): Promise<string> {
  vi.stubGlobal('window', { location: { origin: 'http://dealdeck.test' } })
  const fetched = vi.fn(async (_request: Request) => Response.json(null))
  vi.stubGlobal('fetch', fetched)
  await call().finally(() => vi.unstubAllGlobals())
  const [request] = fetched.mock.calls[0] ?? []
  const { pathname, search } = new URL(request?.url ?? '')
  return pathname + search
}

test('what a page brings along has the addresses that the client asks by, word for word', async () => {
  const preloads = preloadsOf(contract)
  const first = listQuestion(
    defaultFilters({ defaultMax: defaultPreferences.defaultMaxPrice, hidesContradicted: false }),
  )
  expect(preloads).toEqual({
    settings: await asked(() => client.settings.current()),
    session: await asked(() => client.session.current()),
    deals: expect.any(Function),
    count: expect.any(Function),
    stats: await asked(() => client.deals.stats()),
    home: await asked(() => client.home.current()),
    filters: await asked(() => client.filters.list({})),
  })
  const counted = countQuestion(
    defaultFilters({ defaultMax: defaultPreferences.defaultMaxPrice, hidesContradicted: false }),
  )
  expect(preloads.count()).toBe(await asked(() => client.deals.count(counted)))
  expect(preloads.deals()).toBe(await asked(() => client.deals.list(first)))
  expect(preloads.deals(first)).toBe(preloads.deals())
  expect(preloads.deals(newestQuestion)).toBe(await asked(() => client.deals.list(newestQuestion)))
})

test('with other filters too', async () => {
  const question = listQuestion({ sort: 'price', query: 'red & blue, 5%+ new:today', max: null })
  expect(preloadsOf(contract).deals(question)).toBe(await asked(() => client.deals.list(question)))
})

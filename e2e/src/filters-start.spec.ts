import type { FilterRecord } from '@dealdeck/contract/filters'
import { expect, test } from './fixtures.ts'
import { type RunningServer, startServer } from './server.ts'

async function filtersOf({ origin, accounts }: RunningServer): Promise<FilterRecord[]> {
  const signedIn = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(accounts.user),
  })
  const [cookie = ''] = signedIn.headers.getSetCookie()
  return (await fetch(`${origin}/api/amazon_filters`, { headers: { cookie } })).json()
}

test('a new installation starts with the default filters of its marketplace', async () => {
  const server = await startServer({ MARKETPLACE: 'amazon.in' })
  const filters = await filtersOf(server).finally(() => server.stop())
  const codes = (category: string) =>
    filters.filter((one) => one.category === category).map(({ code }) => code)
  expect(codes('brands').length).toBeGreaterThanOrEqual(25)
  expect(codes('sort_by')).toContain('s=price-asc-rank')
  expect(codes('percent_off')).toContain('p_n_pct-off-with-tax:50-')
})

import { placePaths } from '@dealdeck/contract/places'
import { createMemoryHistory, createRouter } from '@tanstack/react-router'
import { expect, test, vi } from 'vitest'
import { places } from './navigation.ts'
import { router } from './router.tsx'

// Made by the build; the screens' own calls are not made here.
vi.mock('virtual:contract-routes', () => ({ routes: {} }))

test('the screens are those the server knows as places', () => {
  const paths = Object.keys(router.routesByPath).filter((path) => path !== '/$')
  expect(paths.sort()).toEqual([...placePaths].sort())
  // Earlier addresses, and what the feed leads to.
  const others = ['/brands', '/import', '/deals/$asin']
  expect([...places.map(({ path }) => path), ...others].sort()).toEqual([...placePaths].sort())
})

test.each([
  ['/brands?q=acme&sort=code&desc=true', '/filters?category=brands&desc=true&q=acme&sort=code'],
  ['/brands?nonsense=1', '/filters?category=brands'],
  ['/import', '/admin-dashboard?tab=import'],
  ['/?tab=brands', '/filters?category=brands'],
  ['/?tab=import-deals', '/admin-dashboard?tab=import'],
])('%s leads to the tab that took its place', async (from, to) => {
  let address = from
  for (let redirects = 0; redirects < 3; redirects++) {
    const history = createMemoryHistory({ initialEntries: [address] })
    const visitor = createRouter({ ...router.options, history })
    await visitor.load()
    // Without a window the router says where it would go instead of going there.
    const result = visitor._serverResult
    if (result?.type === 'redirect') address = result.redirect.headers.get('location') ?? address
  }
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  searchParams.sort()
  expect(`${pathname}?${searchParams}`).toBe(to)
})

test.each(['/tools/', '/Tools'])('the router also takes %s as the server does', (path) => {
  const [, , found] = router.getMatchedRoutes(path)
  expect(found?.fullPath).toBe('/tools')
})

import { placePaths } from '@dealdeck/contract/places'
import { expect, test, vi } from 'vitest'
import { places } from './navigation.ts'
import { router } from './router.tsx'

// Made by the build; the screens' own calls are not made here.
vi.mock('virtual:contract-routes', () => ({ routes: {} }))

test('the screens are those the server knows as places', () => {
  const paths = Object.keys(router.routesByPath).filter((path) => path !== '/$')
  expect(paths.sort()).toEqual([...placePaths].sort())
  expect(places.map(({ path }) => path).sort()).toEqual([...placePaths].sort())
})

test.each(['/tools/', '/Tools'])('the router also takes %s as the server does', (path) => {
  const [, , found] = router.getMatchedRoutes(path)
  expect(found?.fullPath).toBe('/tools')
})

import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { adminSearchSchema } from '../features/admin/view.ts'
import { dealParamsSchema, isOld } from '../features/deals/view/filters.ts'
import { fetchLanguage } from '../features/deals/view/language.ts'
import { filtersSearchSchema } from '../features/filters/view/search.ts'
import type { LinkParams } from '../features/links/view.ts'
import { profileSearchSchema } from '../features/profile/view/search.ts'
import { getPreferences } from '../platform/preferences.ts'
import { BareErrorScreen, ErrorScreen } from './error-screen.tsx'
import { pathOfTab } from './navigation.ts'
import { Root } from './root.tsx'
import { screenComponent } from './screen-component.ts'
import { stringifySearch } from './search-text.ts'

const NotFoundScreen = screenComponent(() => import('./not-found-screen.tsx'), 'NotFoundScreen')

const rootRoute = createRootRoute({
  component: Root,
  errorComponent: BareErrorScreen,
  notFoundComponent: NotFoundScreen,
})

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { tab?: string } =>
    typeof search.tab === 'string' ? { tab: search.tab } : {},
  beforeLoad: ({ search }) => {
    if (search.tab !== undefined) throw redirect({ to: pathOfTab(search.tab), replace: true })
  },
  staticData: { title: 'Home' },
  component: screenComponent(() => import('./home.tsx'), 'Home'),
})

const feedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/amazon-haul',
  validateSearch: dealParamsSchema,
  beforeLoad: async ({ search }) => {
    if (isOld(search)) {
      const { rewritten } = await import('../features/deals/view/old-addresses.ts')
      const now = rewritten(search, getPreferences().defaultMaxPrice)
      throw redirect({ to: '/amazon-haul', search: now, replace: true })
    }
    // Where it can't be had, the server understands the question alone.
    if (search.q !== undefined) await fetchLanguage().catch(() => undefined)
  },
  staticData: { title: 'Deals' },
  component: screenComponent(() => import('./feed.tsx'), 'Feed'),
})

const dealRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deals/$asin',
  component: screenComponent(() => import('./deal.tsx'), 'Deal'),
})

const toolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tools',
  // As it came: the screen makes sense of whatever the address holds, with code the other screens needn't load.
  validateSearch: (search) => search as LinkParams,
  staticData: { title: 'Link Generator' },
  component: screenComponent(() => import('./link-tools.tsx'), 'LinkTools'),
})

const filtersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/filters',
  validateSearch: filtersSearchSchema,
  staticData: { title: 'Filters' },
  component: screenComponent(() => import('../features/filters/filters-screen.tsx'), 'FiltersScreen'),
})

const brandsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/brands',
  beforeLoad: ({ location }) => {
    const search = filtersSearchSchema.parse({ ...location.search, category: 'brands' })
    throw redirect({ to: '/filters', search, replace: true })
  },
})

const imagesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/image-tools',
  // An ASIN of digits only looks like a number.
  validateSearch: ({ asin, size }: Record<string, unknown>): { asin?: string; size?: string } => ({
    ...(typeof asin === 'string' || typeof asin === 'number' ? { asin: String(asin) } : {}),
    ...(typeof size === 'string' ? { size } : {}),
  }),
  staticData: { title: 'Image Tools' },
  component: screenComponent(() => import('../features/images/images-screen.tsx'), 'ImagesScreen'),
})

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/import',
  beforeLoad: () => {
    throw redirect({ to: '/admin-dashboard', search: { tab: 'import' }, replace: true })
  },
})

const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin-dashboard',
  validateSearch: adminSearchSchema,
  staticData: { title: 'Admin' },
  component: screenComponent(() => import('./admin-dashboard.tsx'), 'AdminDashboard'),
})

const profileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/profile',
  validateSearch: profileSearchSchema,
  staticData: { title: 'Profile' },
  component: screenComponent(() => import('../features/profile/profile-screen.tsx'), 'ProfileScreen'),
})

const searchesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/searches',
  staticData: { title: 'Saved searches' },
  component: screenComponent(() => import('./searches.tsx'), 'Searches'),
})

const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/alerts',
  // As it came: the screen makes sense of whatever the address holds.
  validateSearch: (search) => search as { tab?: string; at?: string | number; back?: unknown; for?: string },
  staticData: { title: 'Alerts' },
  component: screenComponent(() => import('./alerts.tsx'), 'Alerts'),
})

const elsewhereRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  staticData: { title: 'Nothing here' },
  component: NotFoundScreen,
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    feedRoute,
    dealRoute,
    toolsRoute,
    filtersRoute,
    brandsRoute,
    imagesRoute,
    importRoute,
    adminRoute,
    profileRoute,
    searchesRoute,
    alertsRoute,
    elsewhereRoute,
  ]),
  scrollRestoration: true,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: ErrorScreen,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** Stands in the window's title; a screen without one titles it by itself. */
    title?: string
  }
}

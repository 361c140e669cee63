import { routes } from 'virtual:contract-routes'
import type { DealCount, DealPage, DealStats } from '@dealdeck/contract/deals'
import type { FilterRecord } from '@dealdeck/contract/filters'
import type { Home } from '@dealdeck/contract/home'
import { newestQuestion, preloadsOf, revisionHeader } from '@dealdeck/contract/preloads'
import type { Session } from '@dealdeck/contract/session'
import type { QueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import {
  countQuery,
  countQuestion,
  type DealPages,
  listQuery,
  listQuestion,
  newestQuery,
  statsQuery,
} from '../features/deals/api.ts'
import { defaultFilters } from '../features/deals/view/filters.ts'
import { pageSize } from '../features/deals/view.ts'
import { filtersQuery } from '../features/filters/api.ts'
import { homeQuery } from '../features/home/api.ts'
import { noteWhenAsked } from '../platform/asked-queries.ts'
import { beginStreamAfter } from '../platform/live-hub.ts'
import { getPreferences } from '../platform/preferences.ts'
import { giveAnswer, preloadedResponse } from '../platform/preloaded-responses.ts'
import { readPlace } from '../platform/scroll-place.ts'
import { SessionProvider } from '../platform/session.ts'
import { LateDialog } from '../ui/late-dialog.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { router } from './router.tsx'

const signOutDialog = { fetch: async () => (await import('./sign-out-dialog.tsx')).SignOutDialog }

/** All that somebody sees who is signed in. */
export function Screens({ session }: { session: Session }) {
  /** 'leaving': the server is asked to end the session, so nothing may go on asking for more. */
  const [signOut, setSignOut] = useState<'no' | 'asked' | 'leaving'>('no')
  return (
    <SessionProvider value={{ session, askToSignOut: () => setSignOut('asked') }}>
      {signOut === 'leaving' ? <LoadingScreen /> : <RouterProvider router={router} />}
      {signOut !== 'no' && (
        <LateDialog
          of={signOutDialog}
          props={{
            onLeaving: (leaving) => setSignOut(leaving ? 'leaving' : 'asked'),
            onClose: () => setSignOut('no'),
          }}
        />
      )}
    </SessionProvider>
  )
}

/** Gives the screens what the page brought for the first of them, and gets that one ready to be drawn at once. */
export async function prepareFirstScreen(queries: QueryClient): Promise<void> {
  const preloads = preloadsOf(routes)
  // The casts hold: the answers are those of the contract's routes, asked by the server itself.
  const answer = <T,>(path: string) => (preloadedResponse(path) ?? undefined) as T | undefined
  const { defaultMaxPrice: defaultMax, hidesContradicted } = getPreferences()
  const filters = defaultFilters({ defaultMax, hidesContradicted })
  const { state, href } = router.latestLocation
  // A reader who comes back to a position further down needs more than the first page, all at once.
  const isBack = readPlace(state.__TSR_key ?? href) !== undefined
  const list = isBack ? undefined : answer<DealPage>(preloads.deals(listQuestion(filters)))
  const revision = answer<string>(revisionHeader)
  // Where the program asks for another list, events of before would announce deals that are in it.
  const asksForList = list === undefined && preloadedResponse(preloads.deals()) !== undefined
  if (revision && !asksForList) beginStreamAfter(revision)
  noteWhenAsked(queries)
  const pages: DealPages | undefined = list && {
    pages: [{ ...list, revision }],
    pageParams: [{ limit: pageSize }],
  }
  giveAnswer(queries, listQuery(filters, 0).queryKey, pages)
  giveAnswer(queries, newestQuery.queryKey, answer<DealPage>(preloads.deals(newestQuestion))?.items)
  const count = answer<DealCount>(preloads.count(countQuestion(filters)))
  giveAnswer(queries, countQuery(filters).queryKey, count)
  giveAnswer(queries, statsQuery.queryKey, answer<DealStats>(preloads.stats))
  giveAnswer(queries, homeQuery.queryKey, answer<Home>(preloads.home))
  giveAnswer(queries, filtersQuery.queryKey, answer<FilterRecord[]>(preloads.filters))
  await router.load()
}

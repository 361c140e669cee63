import { routes } from 'virtual:contract-routes'
import { preloadsOf } from '@dealdeck/contract/preloads'
import type { Session } from '@dealdeck/contract/session'
import type { PublicSettings } from '@dealdeck/contract/settings'
import type { QueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../features/session/api.ts'
import { settingsQuery } from '../platform/money.ts'
import { giveAnswer, preloadedResponse } from '../platform/preloaded-responses.ts'
import { writeSessionHint } from '../platform/session-hint.ts'

/** Believes what the page says of who asked for it. Returns the session, null for nobody, undefined when it says nothing. */
export function takeFirstSession(queries: QueryClient): Session | null | undefined {
  const preloads = preloadsOf(routes)
  // The cast holds: the answers are those of the contract's routes, asked by the server itself.
  const session = preloadedResponse(preloads.session) as Session | null | undefined
  // The cast holds for the same reason.
  const settings = preloadedResponse(preloads.settings) as PublicSettings | undefined
  giveAnswer(queries, settingsQuery.queryKey, settings)
  giveAnswer(queries, sessionQuery.queryKey, session)
  if (session !== undefined) writeSessionHint(session)
  return session
}

import { routes } from 'virtual:contract-routes'
import type { contract } from '@dealdeck/contract/api'
import { revisionHeader } from '@dealdeck/contract/preloads'
import { createORPCClient } from '@orpc/client'
import type { AnyContractRouter, ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { toApiError } from './api-error.ts'
import { reportSessionLost } from './session-signal.ts'

/** What a caller wants to know of an answer beside its body. */
type CallContext = {
  /** Hears the revision that a list of deals is of. */
  onRevision?: (revision: string) => void
}

/** Routes as typed functions; a refusal is thrown as `ApiError`. */
export const clientOf = <Routes extends AnyContractRouter>(
  routes: AnyContractRouter,
): ContractRouterClient<Routes, CallContext> =>
  createORPCClient(
    new OpenAPILink<CallContext>(routes, {
      url: () => window.location.origin,
      fetch: async (request, init, { context }) => {
        const response = await fetch(request, { ...init, credentials: 'same-origin' })
        const revision = response.headers.get(revisionHeader)
        if (revision !== null) context.onRevision?.(revision)
        return response
      },
      customErrorResponseBodyDecoder: (body, response) => {
        const error = toApiError(response.status, body)
        if (error.code === 'UNAUTHENTICATED') reportSessionLost()
        return error
      },
    }),
  )

/** The nouns of the contract that no first screen asks for; `later-client.ts` has them. */
export type LaterNoun =
  | 'admin'
  | 'alerts'
  | 'audit'
  | 'blacklist'
  | 'deliveries'
  | 'images'
  | 'ingest'
  | 'links'
  | 'me'
  | 'prices'
  | 'profile'
  | 'quarantine'
  | 'searches'
  | 'sources'
  | 'users'

/** All other routes of the contract. */
export const client = clientOf<Omit<typeof contract, LaterNoun>>(routes)

/** Query and mutation options for every route, for TanStack Query. */
export const api = createTanstackQueryUtils(client)

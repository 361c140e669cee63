import { routes } from 'virtual:contract-routes'
import type { contract } from '@dealdeck/contract/api'
import { createORPCClient } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { toApiError } from './api-error.ts'
import { reportSessionLost } from './session-signal.ts'

const link = new OpenAPILink(routes, {
  url: () => window.location.origin,
  fetch: (request, init) => fetch(request, { ...init, credentials: 'same-origin' }),
  customErrorResponseBodyDecoder: (body, response) => {
    const error = toApiError(response.status, body)
    if (error.code === 'UNAUTHENTICATED') reportSessionLost()
    return error
  },
})

/** Every route of the contract as a typed function; a refusal is thrown as `ApiError`. */
export const client: ContractRouterClient<typeof contract> = createORPCClient(link)

/** Query and mutation options for every route, for TanStack Query. */
export const api = createTanstackQueryUtils(client)

import { routes } from 'virtual:later-routes'
import type { contract } from '@dealdeck/contract/api'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { clientOf, type LaterNoun } from './client.ts'

/** The routes of the contract that no first screen asks for; they come with the screens that do. */
export const laterClient = clientOf<Pick<typeof contract, LaterNoun>>(routes)

/** Query and mutation options for each of them, for TanStack Query. */
export const laterApi = createTanstackQueryUtils(laterClient)

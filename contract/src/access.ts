import { oc } from '@orpc/contract'

/**
 * Who may call a route. `user` and `admin` mean a session; `admin_or_token` also
 * takes an import token. A test walks every route and proves that each refuses the others.
 */
export type Access = 'open' | 'user' | 'admin' | 'admin_or_token'

export type RouteMeta = { access: Access; summary?: string }

/** Starts every route of the contract; the strictest access is the default, so forgetting it locks out instead of in. */
export const route = oc.$meta<RouteMeta>({ access: 'admin' })

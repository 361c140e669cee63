import type { RouteMeta } from '@dealdeck/contract/access'
import { type AnyContractRouter, isContractProcedure } from '@orpc/contract'
import { OpenAPIHandler } from '@orpc/openapi/fastify'
import { ORPCError, type Router, ValidationError } from '@orpc/server'
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify'
import type { CallContext } from '../deps.ts'
import { AppError, httpStatus } from '../errors.ts'
import { endWithRound, type ReadGates, takeTurn } from '../limits/read-gates.ts'
import { errorBody, invalidInput, noteError, sendError, toAppError } from './http-errors.ts'

/** It is answered from what is known of the caller anyway. */
const whoAmI = '/api/session'

export type ContractRoute = {
  method: HTTPMethods
  path: `/${string}`
  meta: RouteMeta
  /** Whether it looks at what stands behind `?` in its address. */
  readsQuery: boolean
}

/** Every route a contract declares, flat. */
export function contractRoutes(router: AnyContractRouter): ContractRoute[] {
  if (!isContractProcedure(router)) {
    // What is not a procedure is a record of routers; the library's type can't say so.
    return Object.values(router as Record<string, AnyContractRouter>).flatMap(contractRoutes)
  }
  const { route, meta } = router['~orpc']
  if (!route.path || !route.method) throw new Error('Every route of the contract names its method and path')
  const readsQuery = route.method === 'GET' || route.inputStructure === 'detailed'
  // The builder in contract/access.ts gives every procedure this meta.
  return [{ method: route.method, path: route.path, meta: meta as RouteMeta, readsQuery }]
}

/**
 * Mounts the handlers of a contract as ordinary Fastify routes, each with its declared access, answering errors in
 * the one shape. What reads takes a turn of a gate, and so does what comes with a body, until that has been looked at.
 */
export function mountContract<T extends AnyContractRouter>(
  app: FastifyInstance,
  contract: T,
  handlers: Router<T, CallContext>,
  gates: Pick<ReadGates, 'others' | 'bodies'>,
): void {
  const handler = new OpenAPIHandler<CallContext>(handlers, {
    rootInterceptors: [
      // What can be read can be asked about by HEAD: Fastify leaves out the body of what GET answers.
      ({ next, request, ...options }) =>
        next({ ...options, request: request.method === 'HEAD' ? { ...request, method: 'GET' } : request }),
    ],
    interceptors: [
      async ({ next, context: { request, reply } }) => {
        try {
          return await next()
        } catch (thrown) {
          const error = fromContract(thrown)
          noteError(error, request, reply)
          throw new ORPCError(error.code, { status: httpStatus(error.code), data: errorBody(error) })
        }
      },
    ],
    // The body is final when it gets here.
    customErrorResponseBodyEncoder: (error) => error.data,
  })
  for (const { method, path, meta, readsQuery } of contractRoutes(contract)) {
    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      config: { access: meta.access },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const isOfMember = meta.access !== 'open' && path !== whoAmI
        if (isOfMember && method !== 'GET') endWithRound(await takeTurn(gates.bodies, reply))
        if (!readsQuery) refuseQuery(request)
        refuseOtherIds(request)
        const turn = isOfMember && method === 'GET' ? await takeTurn(gates.others, reply) : undefined
        try {
          const { matched } = await handler.handle(request, reply, { context: { request, reply } })
          if (!matched)
            return sendError(new AppError('NOT_FOUND', 'There is nothing at this address.'), request, reply)
          return reply
        } finally {
          turn?.end()
        }
      },
    })
  }
}

/** Throws INVALID_INPUT for what nobody would look at, such as of which group a change is, without a word. */
function refuseQuery({ query }: FastifyRequest): void {
  const [name] = Object.keys(Object(query))
  if (name !== undefined)
    throw invalidInput([{ path: [name], message: 'must be in the body, or be left out of the address' }])
}

/** Throws INVALID_INPUT for a body that names another row than its address: the address would count, without a word. */
function refuseOtherIds({ params, body }: FastifyRequest): void {
  if (typeof body !== 'object' || body === null) return
  const stated = new Map<string, unknown>(Object.entries(body))
  // Fastify knows no type of parameters where a route declares none; they are texts by name.
  for (const [name, value] of Object.entries(params as Record<string, string>)) {
    if (!stated.has(name)) continue
    const other = stated.get(name)
    // Of an object the sender says what becomes of it as a text.
    if (typeof other === 'object' || String(other) !== value)
      throw invalidInput([{ path: [name], message: 'must be that of the address' }])
  }
}

/** What the contract's handler throws, as our own error: its validation keeps the issues as a cause. */
function fromContract(thrown: unknown): AppError {
  if (!(thrown instanceof ORPCError)) return toAppError(thrown)
  if (thrown.code === 'BAD_REQUEST') {
    return thrown.cause instanceof ValidationError
      ? invalidInput(thrown.cause.issues)
      : new AppError('INVALID_INPUT', 'The request could not be understood.')
  }
  return toAppError(thrown.cause ?? thrown)
}

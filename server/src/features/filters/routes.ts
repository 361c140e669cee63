import { handledContract } from '@dealdeck/contract/api'
import { type FilterRecord, filterListInputSchema } from '@dealdeck/contract/filters'
import { implement } from '@orpc/server'
import type { FastifyInstance } from 'fastify'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { type CachedBody, cachedBody, sendBody } from '../../platform/feed-cache.ts'
import { addFilter, listFilters, removeFilter, updateFilter } from './actions.ts'

const contract = implement(handledContract.filters).$context<CallContext>()

export function filterHandlers({ databases }: AppDeps) {
  return {
    create: contract.create.handler(({ input }) => addFilter(databases, input)),
    update: contract.update.handler(({ input: { id, ...change } }) => updateFilter(databases, id, change)),
    remove: contract.remove.handler(({ input }) => removeFilter(databases, input.id)),
  }
}

/** The list: a plain route, since it answers bytes made once per version of the list. */
export function registerFilterRoutes(app: FastifyInstance, { databases }: AppDeps): void {
  const bodies = new WeakMap<readonly FilterRecord[], Map<string, CachedBody>>()
  app.get('/api/amazon_filters', { config: { access: 'user' } }, async (request, reply) => {
    const { category } = filterListInputSchema.parse(request.query)
    const filters = await listFilters(databases)
    const ofThisVersion = bodies.get(filters) ?? new Map<string, CachedBody>()
    bodies.set(filters, ofThisVersion)
    const key = category ?? ''
    const wanted = () => (category ? filters.filter((filter) => filter.category === category) : filters)
    const body = ofThisVersion.get(key) ?? cachedBody(Buffer.from(JSON.stringify(wanted())))
    ofThisVersion.set(key, body)
    return sendBody(request, reply, body)
  })
}

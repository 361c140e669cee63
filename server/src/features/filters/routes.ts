import { handledContract } from '@dealdeck/contract/api'
import {
  type FilterRecord,
  filterExportInputSchema,
  filterImportInputSchema,
  filterListInputSchema,
} from '@dealdeck/contract/filters'
import { implement } from '@orpc/server'
import type { FastifyInstance } from 'fastify'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireSession } from '../../platform/http/access.ts'
import { type CachedBody, cachedBody, sendBody } from '../../platform/http/feed-cache.ts'
import { addFilter, importFilters, listFilters, removeFilter, updateFilter } from './actions.ts'
import { readFilterFile, writeFilterFile } from './rules.ts'

const contract = implement(handledContract.filters).$context<CallContext>()

/** What a file of filters may weigh, in bytes: far more than a full list of ordinary ones. */
const fileLimit = 8 * 1024 * 1024

export function filterHandlers({ databases }: AppDeps) {
  return {
    create: contract.create.handler(({ input, context }) =>
      addFilter(databases, input, requireSession(context.request).user),
    ),
    update: contract.update.handler(({ input: { id, ...change }, context }) =>
      updateFilter(databases, id, change, requireSession(context.request).user),
    ),
    remove: contract.remove.handler(({ input: { params, query }, context }) =>
      removeFilter(databases, params.id, query.expected_updated_at, requireSession(context.request).user),
    ),
  }
}

/** The list, answered from bytes made once per version of it, and the whole set as a file: plain routes. */
export async function registerFilterRoutes(app: FastifyInstance, deps: AppDeps): Promise<void> {
  registerList(app, deps)
  await app.register(async (scope) => registerFiles(scope, deps))
}

function registerFiles(scope: FastifyInstance, { databases }: AppDeps): void {
  // The format is detected by the content.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  scope.get('/api/amazon_filters/export', { config: { access: 'admin' } }, async (request, reply) => {
    const { format } = filterExportInputSchema.parse(request.query)
    const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8'
    const name = `attachment; filename="dealdeck-filters.${format}"`
    reply.header('content-disposition', name).header('cache-control', 'no-store').type(type)
    return writeFilterFile(await listFilters(databases), format)
  })
  const options = { config: { access: 'admin' as const }, bodyLimit: fileLimit }
  scope.post('/api/amazon_filters/import', options, async (request) => {
    const query = filterImportInputSchema.parse(request.query)
    const rows = await readFilterFile(typeof request.body === 'string' ? request.body : '')
    return importFilters(databases, rows, query, requireSession(request).user)
  })
}

function registerList(app: FastifyInstance, { databases }: AppDeps): void {
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

import { handledContract } from '@dealdeck/contract/api'
import { type ImportResult, importQuerySchema } from '@dealdeck/contract/ingest'
import type {} from '@fastify/compress'
import { implement } from '@orpc/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireSession } from '../../platform/access.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError, httpStatus } from '../../platform/errors.ts'
import { toAppError } from '../../platform/http-errors.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { allowSlowBody } from '../../platform/slow-clients.ts'
import { createToken, type IngestDeps, importBody, previewBody, removeToken } from './actions.ts'
import { listImports, listRejects, listTokens } from './queries.ts'
import { incoming } from './reading/incoming.ts'

const contract = implement(handledContract.ingest).$context<CallContext>()
const previewQuerySchema = importQuerySchema.pick({ map: true, availability: true })

export function ingestHandlers({ databases }: AppDeps) {
  return {
    listTokens: contract.listTokens.handler(() => listTokens(databases)),
    createToken: contract.createToken.handler(({ input, context }) =>
      createToken(databases, input.name, requireSession(context.request).user),
    ),
    removeToken: contract.removeToken.handler(({ input, context }) =>
      removeToken(databases, input.id, requireSession(context.request).user),
    ),
    listImports: contract.listImports.handler(({ input }) => listImports(databases, input)),
    listRejects: contract.listRejects.handler(({ input }) => listRejects(databases, input.id)),
  }
}

/** The import and its preview: plain routes, since their bodies are streams of any size. */
export async function registerIngestRoutes(
  app: FastifyInstance,
  deps: AppDeps,
  metrics: Metrics,
): Promise<void> {
  const ingest: IngestDeps = {
    databases: deps.databases,
    marketplace: deps.settings.MARKETPLACE,
    clock: deps.clock,
  }
  await app.register(async (scope) => {
    // The body is told by its content; the parsers of other routes would hold it in memory whole.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    // Only after its sender was let in: the refused ones have no time.
    scope.addHook('onRequest', async (request) => allowSlowBody(request))
    // Also when it is packed, and it may be packed twice.
    const options = {
      config: { access: 'admin_or_token' as const, hasOwnLimit: true },
      decompress: false as const,
    }
    scope.post('/api/products/import', options, async (request) => {
      const query = importQuerySchema.parse(request.query)
      const by =
        request.caller.kind === 'token' ? `token ${request.caller.name}` : requireSession(request).user
      return counted(metrics, () =>
        importBody(ingest, bodyOf(request), { ...query, source: query.file || 'http', by }),
      )
    })
    scope.post('/api/products/import/preview', options, async (request) => {
      const query = previewQuerySchema.parse(request.query)
      return previewBody(ingest, bodyOf(request), query)
    })
  })
}

async function counted(metrics: Metrics, run: () => Promise<ImportResult>): Promise<ImportResult> {
  const began = performance.now()
  metrics.importBegins()
  try {
    const result = await run()
    const { created, updated, unchanged, superseded, rejected_total: rejected, dry_run } = result
    const rows = dry_run ? {} : { created, updated, unchanged, superseded, rejected }
    metrics.importEnds('done', performance.now() - began, rows)
    return result
  } catch (error) {
    const isOurs = httpStatus(toAppError(error).code) >= 500
    metrics.importEnds(isOurs ? 'failed' : 'refused', performance.now() - began, {})
    throw error
  }
}

function bodyOf(request: FastifyRequest): AsyncIterable<Uint8Array> {
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the file itself as the body, not as a form.')
  }
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is or packed with gzip.')
  }
  return incoming(request.raw)
}

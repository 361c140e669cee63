import { handledContract } from '@dealdeck/contract/api'
import { type ImportResult, importQuerySchema, previewQuerySchema } from '@dealdeck/contract/ingest'
import type {} from '@fastify/compress'
import { implement } from '@orpc/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../platform/accounts/sessions.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError, httpStatus } from '../../platform/errors.ts'
import { memberOf, requireSession } from '../../platform/http/access.ts'
import { goneSignal } from '../../platform/http/gone-signal.ts'
import { noteEvent, toAppError } from '../../platform/http/http-errors.ts'
import { finishMs } from '../../platform/http/shutdown.ts'
import { allowSlowBody } from '../../platform/limits/slow-clients.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import type { Metrics } from '../../platform/observing/metrics.ts'
import { createToken, type IngestDeps, importBody, removeToken } from './actions.ts'
import { RunningImports } from './live.ts'
import { listImports, listRejects, listTokens } from './queries.ts'
import type { FairSemaphore } from './reading/fair-semaphore.ts'
import { Incoming } from './reading/incoming.ts'
import { sentBodies } from './reading/limits.ts'
import { previewBody } from './reading/preview.ts'

const contract = implement(handledContract.ingest).$context<CallContext>()
/** At the end of the process imports are ended so long before all connections are, that their answers get there. */
const answerMs = 500
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

/** What imports share with the rest of the application. */
export type IngestParts = {
  metrics: Metrics
  sessions: Sessions
  bus: LiveBus
  turns: { imports: FairSemaphore; previews: FairSemaphore }
}

/** The import and its preview: plain routes, since their bodies are streams of any size. */
export async function registerIngestRoutes(
  app: FastifyInstance,
  deps: AppDeps,
  { metrics, sessions, bus, turns }: IngestParts,
): Promise<void> {
  const ingest: IngestDeps = {
    databases: deps.databases,
    marketplace: deps.settings.MARKETPLACE,
    clock: deps.clock,
  }
  const running = new RunningImports(deps.databases, sessions, bus)
  app.addHook('preClose', async () => {
    setTimeout(() => running.endAll(stopping()), finishMs - answerMs).unref()
  })
  await app.register(async (scope) => {
    // The format is detected by the content; the parsers of other routes would hold it in memory whole.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    // Only after its sender was let in: the refused ones have no time.
    scope.addHook('onRequest', async (request) => allowSlowBody(request))
    // Also when it is packed, and it may be packed twice.
    const options = {
      config: { access: 'admin_or_token' as const, hasOwnLimit: true },
      decompress: false as const,
    }
    scope.post('/api/products/import', options, async (request, reply) => {
      const query = importQuerySchema.parse(request.query)
      const { caller } = request
      const by = caller.kind === 'token' ? `token ${caller.name}` : requireSession(request).user
      const handed = {
        ...query,
        listPath: query.list_path,
        source: query.file || 'http',
        by,
        limits: sentBodies,
      }
      return handIn(request, reply, running, turns.imports, (body, signal) =>
        counted(metrics, () => importBody(ingest, body, { ...handed, signal })),
      )
    })
    scope.post('/api/products/import/preview', options, async (request, reply) => {
      const query = previewQuerySchema.parse(request.query)
      return handIn(request, reply, running, turns.previews, (body, signal) =>
        previewBody(ingest, body, { ...query, listPath: query.list_path, limits: sentBodies, signal }),
      )
    })
  })
}

/** Reads a request's body when it is its turn, until its sender leaves or may not import any more. */
async function handIn<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  running: RunningImports,
  turns: FairSemaphore,
  work: (body: Incoming, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  refuseUnreadable(request)
  const { caller } = request
  if (caller.kind === 'nobody') throw new AppError('UNAUTHENTICATED', 'Please sign in.')
  const one = running.begin(caller)
  const { signal } = one
  signal.addEventListener('abort', () => noteEvent(request, `import ended: ${signal.reason.message}`))
  const leave = () => one.end(new AppError('INVALID_INPUT', 'Its sender has left.'))
  // The connection may have ended while it was looked up who calls.
  const gone = goneSignal(reply)
  if (gone.aborted) leave()
  gone.addEventListener('abort', leave)
  const body = new Incoming(request.raw, { signal })
  const end = (error: AppError) => one.end(error)
  try {
    return await turns.run({ member: memberOf(request), signal, body, end }, () => work(body, signal))
  } finally {
    gone.removeEventListener('abort', leave)
    one.close()
  }
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

function refuseUnreadable(request: FastifyRequest): void {
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the file itself as the body, not as a form.')
  }
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is or packed with gzip.')
  }
}

const stopping = () =>
  new AppError('DATABASE_UNAVAILABLE', 'Dealdeck is being stopped. Please send it again in a moment.', {
    retryAfter: 10,
  })

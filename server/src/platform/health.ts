import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppDeps } from './deps.ts'
import { AppError } from './errors.ts'
import type { Metrics } from './metrics.ts'
import { isMigrated } from './migrations.ts'

/** How long readiness waits for the database before it says no, in milliseconds. */
const readyTimeoutMs = 1_000

/**
 * /healthz: the process is up. /readyz: it is not about to end, the database answers and is migrated. /metrics:
 * Prometheus text, for the token of METRICS_TOKEN; without one, for this machine only.
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  { databases, settings, ending }: AppDeps,
  metrics: Metrics,
): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime)
  })
  app.get('/healthz', { config: { access: 'open' } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { config: { access: 'open' } }, async (_request, reply) => {
    // A balancer that asks stops sending; that is no failure, so the log hears nothing of it.
    if (isClosing || ending?.aborted) return reply.status(503).send({ status: 'stopping' })
    if (await isReady(databases)) return { status: 'ready' }
    throw new AppError('DATABASE_UNAVAILABLE', 'The database can not be reached or is not migrated yet.')
  })
  app.get('/metrics', { config: { access: 'open' } }, async (request, reply) => {
    admit(request, settings.METRICS_TOKEN)
    const text = await metrics.text()
    return reply.type(metrics.contentType).header('cache-control', 'no-store').send(text)
  })
}

async function isReady({ sessionPool }: AppDeps['databases']): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, readyTimeoutMs, false).unref())
  return Promise.race([isMigrated(sessionPool).catch(() => false), late])
}

/** Once there is a token nothing else opens it, lest a proxy on this machine that forwards without a word does. */
function admit(request: FastifyRequest, token: string): void {
  if (token === '') {
    if (isThisMachine(request)) return
    throw new AppError('FORBIDDEN', 'Metrics are served to this machine only.')
  }
  const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // Hashes have one length, and comparing them takes one time.
  const [a, b] = [given, token].map((text) => hash('sha256', text, 'buffer'))
  if (a && b && timingSafeEqual(a, b)) return
  throw new AppError('FORBIDDEN', 'Metrics need the token of METRICS_TOKEN.')
}

/**
 * Whether somebody on this machine asks us directly. A proxy beside us connects from this machine too, whoever asks it,
 * and a page in a browser here reaches us under a name of its own: so nothing may have passed the request on, and the
 * name asked for must be this machine's.
 */
function isThisMachine({ socket, headers }: FastifyRequest): boolean {
  if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')) return false
  if (Object.keys(headers).some((name) => /^(x-forwarded-|x-real-ip$|forwarded$|via$)/.test(name)))
    return false
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(headers.host ?? '')
}

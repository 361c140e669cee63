import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Databases } from './database.ts'
import { AppError } from './errors.ts'
import { isMigrated } from './migrations.ts'

/** How long readiness waits for the database before it says no, in milliseconds. */
const readyTimeoutMs = 1_000

/** /healthz: the process is up. /readyz: the database answers and is migrated. /metrics: Prometheus text, for this machine only. */
export function registerHealthRoutes(app: FastifyInstance, databases: Databases): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    durations.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1000)
  })
  app.get('/healthz', { config: { access: 'open' } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { config: { access: 'open' } }, async () => {
    if (await isReady(databases)) return { status: 'ready' }
    throw new AppError('DATABASE_UNAVAILABLE', 'The database can not be reached or is not migrated yet.')
  })
  app.get('/metrics', { config: { access: 'open' } }, async (request, reply) => {
    if (!isThisMachine(request)) {
      throw new AppError('FORBIDDEN', 'Metrics are served to this machine only.')
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
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

async function isReady({ readPool }: Databases): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, readyTimeoutMs, false).unref())
  return Promise.race([isMigrated(readPool).catch(() => false), late])
}

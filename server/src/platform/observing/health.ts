import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isMigrated } from '../database/migrations.ts'
import type { AppDeps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { isLoopbackName, nameIn } from '../http/hosts.ts'
import { isFull } from '../http/http-errors.ts'
import type { Metrics } from './metrics.ts'

/** Open, and by any name: a probe or a scraper goes to each process by a name that users don't know. */
const forAnybody = { config: { access: 'open', anyHost: true } } as const
/** How long readiness waits for the database before it says no, in milliseconds. */
const readyTimeoutMs = 1_000
/** A machine with too much to do answers late: so shortly after an answer nobody is thrown out for that, in milliseconds. */
const forgivenMs = 3_000
/** How long its answer is cached, in milliseconds. */
const cacheTtlMs = 200

/**
 * /healthz: the process is up and not about to end, so it may be asked; what it can't do without its database it says
 * itself. /readyz: the database answers, is migrated and takes changes as well. /metrics: Prometheus text, for the token of METRICS_TOKEN; without one and without PUBLIC_URL, for this machine only.
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
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime)
    done()
  })
  const ask = readinessOf(databases)
  const isEnding = () => isClosing || ending?.aborted
  // A balancer that asks stops sending; that is no failure, so the log hears nothing of it.
  const stopping = (reply: FastifyReply) => reply.status(503).send({ status: 'stopping' })
  app.get('/healthz', forAnybody, async (_request, reply) =>
    isEnding() ? stopping(reply) : { status: 'ok' },
  )
  app.get('/readyz', forAnybody, async (_request, reply) => {
    if (isEnding()) return stopping(reply)
    const status = await ask()
    if (status === 'ready') return { status }
    // Nor of each probe of an outage: the live bus writes down when it begins and ends.
    const body = { code: 'DATABASE_UNAVAILABLE', message: whyNot[status], status }
    return reply.status(503).header('cache-control', 'no-store').send(body)
  })
  app.get('/metrics', forAnybody, async (request, reply) => {
    admit(request, settings)
    const text = await metrics.text()
    return reply.type(metrics.contentType).header('cache-control', 'no-store').send(text)
  })
}

const whyNot = {
  away: 'The database can not be reached.',
  busy: 'The database has no connection left.',
  not_migrated: 'The database is not migrated yet.',
  read_only: 'The database can only be read.',
  pooled: 'What stands before the database keeps no sessions (PgBouncer: pool_mode = session).',
}

type Readiness = 'ready' | keyof typeof whyNot

/** However many ask, the database is asked a few times a second: probes are open to everybody. */
function readinessOf(databases: AppDeps['databases']): () => Promise<Readiness> {
  let known: { until: number; answer: Promise<Readiness> } | undefined
  const last = { answeredAt: Number.NEGATIVE_INFINITY }
  return () => {
    if (known && known.until > performance.now()) return known.answer
    const asked = { until: Number.POSITIVE_INFINITY, answer: readiness(databases, last) }
    known = asked
    void asked.answer.finally(() => {
      asked.until = performance.now() + cacheTtlMs
    })
    return asked.answer
  }
}

async function readiness(databases: AppDeps['databases'], last: { answeredAt: number }): Promise<Readiness> {
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, readyTimeoutMs, 'late').unref())
  const looked = await Promise.race([look(databases).catch(whatFailed), late])
  const { state } = databases.watch
  // Whoever is asked for the first time under load has been answered too, as the watch keeps asking.
  const answeredAt = Math.max(last.answeredAt, databases.watch.answeredAt)
  const isForgiven = state === 'there' && performance.now() - answeredAt < forgivenMs
  const found = looked === 'late' ? (isForgiven ? 'ready' : 'away') : looked
  if (looked === 'ready') last.answeredAt = performance.now()
  if (found !== 'ready' || state === 'there') return found
  return state
}

async function look({ reservedPool, genericPlanPool }: AppDeps['databases']): Promise<Readiness> {
  if (!(await isMigrated(reservedPool))) return 'not_migrated'
  // Where none is open and free, the next page needs a connection that others may have taken.
  if (genericPlanPool.idleCount === 0 && genericPlanPool.totalCount < genericPlanPool.options.max)
    (await genericPlanPool.connect()).release()
  return 'ready'
}

const whatFailed = (error: unknown): Readiness => (isFull(error) ? 'busy' : 'away')

/** With a token nothing else opens the metrics; without one only whoever is sure to be on this machine. */
function admit(request: FastifyRequest, { METRICS_TOKEN, PUBLIC_URL }: AppDeps['settings']): void {
  if (METRICS_TOKEN === '') {
    if (PUBLIC_URL === '' && isThisMachine(request)) return
    const message =
      PUBLIC_URL === ''
        ? 'Metrics are served to this machine only, or with the token of METRICS_TOKEN.'
        : 'With PUBLIC_URL set, metrics are served only with the token of METRICS_TOKEN.'
    throw new AppError('FORBIDDEN', message)
  }
  const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  // Hashes have one length, and comparing them takes one time.
  const [a, b] = [given, METRICS_TOKEN].map((text) => hash('sha256', text, 'buffer'))
  if (a && b && timingSafeEqual(a, b)) return
  throw new AppError('FORBIDDEN', 'Metrics need the token of METRICS_TOKEN.')
}

/**
 * Whether somebody on this machine asks us directly. A proxy beside us connects from this machine too, whoever asks it,
 * and a page in a browser here reaches us under a name of its own: so nothing may have passed the request on, and the
 * name asked for must be this machine's. A proxy that says nothing of itself still tends to speak HTTP/1.0.
 */
function isThisMachine({ socket, headers, raw }: FastifyRequest): boolean {
  if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') || raw.httpVersion !== '1.1')
    return false
  if (Object.keys(headers).some((name) => /^(x-forwarded-|x-real-ip$|forwarded$|via$)/.test(name)))
    return false
  const name = nameIn(headers.host ?? '')
  return name !== undefined && isLoopbackName(name)
}

import type { Access } from '@dealdeck/contract/access'
import { contract } from '@dealdeck/contract/api'
import { type ErrorCode, errorBodySchema, errorMeaning, errorStatus } from '@dealdeck/contract/errors'
import { eventsPath, feedEventsPath, liveEventSchema } from '@dealdeck/contract/events'
import { feedRequestsAnHour } from '@dealdeck/contract/searches'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { longestWaitMs, MemberPace } from '../limits/member-pace.ts'
import { streamsPerMember } from '../live/event-stream.ts'
import { hostSessionCookie, sessionCookie } from './access.ts'
import { callerAddress, networkOf } from './caller-address.ts'
import { contractRoutes } from './contract-routes.ts'
import { docsPage, type OpenApiDocument, type Operation, type Schema } from './docs-page.ts'
import { type CachedBody, cachedBody, sendBody } from './feed-cache.ts'

/** How often a second a network may ask for these, for as long as it pleases it; and at once, after a rest. */
const [steadyRate, burst] = [50, 100]

const tooOften = () =>
  new AppError(
    'TOO_MANY_REQUESTS',
    'Your network asks for this too often. Please wait a moment and try again.',
    { retryAfter: 2 },
  )

/** The OpenAPI 3.1 document of everything the contract declares, and a readable page made from it. */
export function registerApiDocs(app: FastifyInstance, publicUrl: string): void {
  let document: Promise<OpenApiDocument> | undefined
  const generate = () => {
    document ??= makeDocument(publicUrl.startsWith('https:') ? hostSessionCookie : sessionCookie)
    return document
  }
  // Both are the same for everybody for as long as the process lasts, and open: they are written and packed once.
  const once = (write: (document: OpenApiDocument) => string) => {
    let body: Promise<CachedBody> | undefined
    return () => {
      body ??= generate().then((made) => cachedBody(Buffer.from(write(made))))
      return body
    }
  }
  const [json, page] = [once(JSON.stringify), once(docsPage)]
  // Nobody has to sign in for them, so no member's limits hold, and each is large: thousands a second take a core.
  const pace = new MemberPace(steadyRate, burst)
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    const waitMs = pace.take(networkOf(callerAddress(request)))
    if (waitMs === 0) done()
    else setTimeout(done, waitMs, waitMs < longestWaitMs ? undefined : tooOften())
  }
  const open = { config: { access: 'open' as const }, compress: false as const, onRequest }
  app.get('/api/openapi.json', open, async (request, reply) => sendBody(request, reply, await json()))
  app.get('/api/docs', open, async (request, reply) =>
    sendBody(request, reply, await page(), 'text/html; charset=utf-8'),
  )
}

async function makeDocument(cookie: string): Promise<OpenApiDocument> {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] })
  const document = await generator.generate(contract, {
    info: {
      title: 'Dealdeck',
      version: '1',
      description:
        'Times are ISO 8601 UTC, money is a number in the currency of the marketplace. HEAD answers as GET does, without the body.',
    },
  })
  const errors = {
    description: 'Error',
    content: { 'application/json': { schema: jsonSchema(errorBodySchema) } },
  }
  for (const { method, path, meta } of contractRoutes(contract)) {
    // The generator types a path item loosely; the routes it was made from are these.
    const operation = (document.paths?.[path] as Record<string, Operation> | undefined)?.[
      method.toLowerCase()
    ]
    if (!operation) continue
    operation.responses = { ...operation.responses, default: errors }
    operation.description = accessText[meta.access]
    operation.security = meta.access === 'open' ? [] : [{ cookie: [] }, { bearer: [] }]
    if (path.startsWith('/api/products/import')) {
      operation.requestBody = importBody
      operation.description += importTurns
    }
  }
  const streams = {
    [eventsPath]: { get: eventStream(errors, [lastEventId, lastEventIdInAddress]) },
    [feedEventsPath]: { get: eventStream(errors, [lastEventId]) },
  }
  Object.assign(document.paths ?? {}, { ...streams, ...feed, ...health })
  const codes = Object.entries(errorMeaning).map(([code, meaning]) => {
    // Object.entries forgets which keys there are.
    return { code, status: errorStatus[code as ErrorCode], meaning }
  })
  Object.assign(document, { 'x-errors': codes })
  document.components = {
    ...document.components,
    securitySchemes: {
      cookie: { type: 'apiKey', in: 'cookie', name: cookie },
      bearer: { type: 'http', scheme: 'bearer', description: 'An import token, or what that cookie holds' },
    },
  }
  // A plain copy: the generator's own objects carry fields that are undefined.
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument
}

/** The schema without the validator's own methods, as the document holds it. */
const jsonSchema = (schema: z.ZodType): Schema => JSON.parse(JSON.stringify(z.toJSONSchema(schema)))

const accessText: Record<Access, string> = {
  open: 'Open to everybody.',
  user: 'Needs a signed-in user.',
  admin: 'Needs an administrator.',
  admin_or_token: 'Needs an administrator or an import token.',
}

const rows = { type: 'string', description: 'The rows, also gzip-compressed' }
const importTurns =
  ' Bodies are read by sender in turn. 429 with Retry-After: too many of this one wait, or it came too slowly while others waited.'
const importBody = {
  required: true,
  content: {
    'application/json': { schema: { type: 'array' } },
    'application/x-ndjson': { schema: rows },
    'text/csv': { schema: rows },
  },
}

const lastEventId = { name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }
const lastEventIdInAddress = { name: 'last_event_id', in: 'query', schema: { type: 'string' } }
const eventStream = (errors: object, parameters: object[]) => ({
  summary: 'What changes, as it happens; Last-Event-ID resumes without a gap',
  description: `${accessText.user} ${streamsPerMember} at once a member, at both addresses together; more are answered 429.`,
  security: [{ cookie: [] }, { bearer: [] }],
  parameters,
  responses: {
    200: {
      description:
        'Server-sent events, their names and data as in this schema. `reset`: too much was missed, fetch everything again. `filters` and `me`: fetch the filters, or what of one’s own `changed` names, again. `database`: whether it is away or read-only; a stream at /api/events begins with it. Only `deals` and `reset` have an id; the others are not sent again.',
      content: { 'text/event-stream': { schema: jsonSchema(liveEventSchema) } },
    },
    default: errors,
  },
})

const plain = (summary: string, statuses: Record<number, string>) => ({
  get: {
    summary,
    security: [],
    responses: Object.fromEntries(
      Object.entries(statuses).map(([status, description]) => [status, { description }]),
    ),
  },
})
const ofPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema })
const feedAnswers = plain('A saved search, for programs that read feeds', {
  200: 'The feed',
  304: 'It is what If-None-Match names',
  404: 'Nobody may read it, or not any more',
  429: `Asked more than ${feedRequestsAnHour} times in an hour; Retry-After says when to ask again`,
})
const formats = { type: 'string', enum: ['atom', 'rss', 'json'] }
const feed = {
  '/feeds/{secret}.{format}': {
    get: {
      ...feedAnswers.get,
      parameters: [ofPath('secret', { type: 'string' }), ofPath('format', formats)],
    },
  },
}
const health = {
  '/healthz': plain('The process is up, and not about to end', {
    200: 'So it is',
    503: 'It is about to end',
  }),
  '/readyz': plain('The database is reachable and migrated, and the process is not about to end', {
    200: 'So it is',
    503: 'It is not',
  }),
  '/metrics': plain('Prometheus text, for this machine or the token of METRICS_TOKEN', {
    200: 'Figures',
    403: 'Asked from elsewhere, or without the token',
  }),
}

import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { contract } from '@dealdeck/contract/api'
import { type ErrorCode, errorBodySchema, errorStatus } from '@dealdeck/contract/errors'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTestApp } from '../testing/app.ts'
import { FakeServices, makeDelivery, makeDestination } from '../testing/destinations.ts'
import { makeDeal, makeToken } from '../testing/factories.ts'
import {
  type MalformedRequest,
  malformedRequest,
  plainPaths,
  unreadable,
} from '../testing/malformed-requests.ts'
import { kindThat, makeHeldRow, makeSource, testBox } from '../testing/sources.ts'
import { contractRoutes } from './platform/http/contract-routes.ts'

const idleKind = kindThat(async () => ({ state: 'done' }))
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [idleKind], secrets: testBox },
  deliveries: { kinds: new FakeServices().kinds, send: async () => undefined },
})
const routes = [...contractRoutes(contract), ...plainPaths.map((path) => ({ method: 'GET', path }))].filter(
  ({ method, path }) => `${method} ${path}` !== 'DELETE /api/session',
)

await makeDeal(databases)
await makeHeldRow(databases, await makeSource(databases))
await makeDelivery(databases, { destination: await makeDestination(databases) })
// Whom the requests delete, rename and sign out: they all name the first account and session.
await signIn('user')
const admin = (await signIn('admin')).headers
const callers: Record<string, string>[] = [
  {},
  (await signIn('user')).headers,
  admin,
  admin,
  { authorization: `Bearer ${await makeToken(databases)}` },
  { authorization: 'Bearer dd_nobody' },
  { authorization: 'Basic x', cookie: 'dealdeck_session=%00; dealdeck_session=x' },
]

/** What is wrong with the answer to a request; undefined when it is as it should be. */
async function fault(request: MalformedRequest, caller: Record<string, string>): Promise<string | undefined> {
  const response = await app.inject({
    ...request,
    headers: { ...request.headers, ...caller },
    payloadAsStream: true,
  })
  const body = response.stream()
  if (String(response.headers['content-type']).startsWith('text/event-stream')) {
    body.destroy()
    return undefined
  }
  const content = await buffer(body)
  if (response.statusCode < 400 || request.method === 'HEAD') return undefined
  // A browser that navigates nowhere gets the web app's page, where it is built.
  const isPage = String(response.headers['content-type']).startsWith('text/html')
  if (isPage && response.statusCode === 404 && request.headers.accept === 'text/html') return undefined
  const isPacked = response.headers['content-encoding'] === 'gzip'
  return errorFault(response.statusCode, (isPacked ? gunzipSync(content) : content).toString())
}

/** They name types of a programming language, and no field. */
const librarysWords = /^(Invalid|Too (small|big)|Unrecognized)|expected .+ received/

function errorFault(status: number, content: string): string | undefined {
  if (status >= 500) return `answered ${status}: ${content}`
  const parsed = errorBodySchema.strict().safeParse(parse(content))
  if (!parsed.success) return `answered ${status} in another shape: ${content.slice(0, 300)}`
  const { code, message, fields = {} } = parsed.data
  const said = [message, ...Object.values(fields)].find((one) => librarysWords.test(one))
  if (said !== undefined) return `answered ${status} and says: ${said}`
  // Looking an unknown code up gives undefined, which is no status.
  if (errorStatus[code as ErrorCode] !== status) return `answered ${status} with code ${code}`
  return undefined
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

test('10,000 malformed requests are refused in the one shape or answered', { timeout: 300_000 }, async () => {
  const one = fc.tuple(malformedRequest(routes), fc.constantFrom(...callers))
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 20, maxLength: 20, size: 'max' }), async (requests) => {
      const faults = await Promise.all(requests.map(([request, caller]) => fault(request, caller)))
      const found = faults.flatMap((problem, index) =>
        problem ? [{ problem, request: requests[index] }] : [],
      )
      expect(found).toEqual([])
    }),
    { numRuns: 500, endOnFailure: true, interruptAfterTimeLimit: 240_000, markInterruptAsFailure: true },
  )
})

test('bytes that are no HTTP are refused in the one shape, once, and the application goes on', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening')
  for (const line of unreadable) {
    const socket = connect(address.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.end(line)
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
    // Once also where the answer came before the body broke off: nothing stands behind the error.
    expect([line.slice(0, 30), errorFault(status, body)]).toEqual([line.slice(0, 30), undefined])
  }
  expect((await app.inject('/healthz')).statusCode).toBe(200)
})

test('whoever leaves before the answer has done so alone, and the log hears nothing of it', async () => {
  const { cookie } = (await signIn('admin')).headers
  const { app: ours } = await buildTestApp({ databases })
  const origin = await ours.listen({ host: '127.0.0.1', port: 0 })
  const { host, port } = new URL(origin)
  let left = 0
  ours.server.on('connection', (one) => one.on('close', () => left++))
  const json = 'content-type: application/json\r\ncontent-length: 900\r\n\r\n{"a":'
  const requests = [
    ['DELETE /api/ingest_tokens/999', '\r\n'],
    ...[
      ['POST /api/links/parse', json],
      ['POST /api/products/import', json],
    ],
  ]
  for (let n = 0; n < 60; n++) {
    const [target, rest] = requests[n % 3] ?? []
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${target} HTTP/1.1\r\nhost: ${host}\r\norigin: ${origin}\r\ncookie: ${cookie}\r\n${rest}`)
    await setTimeout(n / 10)
    socket.destroy()
  }
  // An error in the log fails the test; closing waits for whatever is still under way.
  await expect.poll(() => left).toBe(60)
  await ours.close()
})

test('a body that is no JSON is called so', async () => {
  const { headers } = await signIn('user')
  const json = { ...headers, 'content-type': 'application/json' }
  for (const payload of ['{"username":', 'username=a', '{"__proto__":1}']) {
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/api/links',
      headers: json,
      payload,
    })
    expect([statusCode, JSON.parse(body).message]).toEqual([400, 'The body is not valid JSON.'])
  }
})

test('an empty body that is called JSON is no body', async () => {
  const { headers } = await signIn('user')
  const json = { ...headers, 'content-type': 'application/json' }
  const attempt = await app.inject({ method: 'POST', url: '/api/session', headers: json })
  expect([attempt.statusCode, attempt.json().message]).toEqual([400, 'Send a JSON object as the body'])
  expect((await app.inject({ method: 'DELETE', url: '/api/session', headers: json })).statusCode).toBe(204)
})

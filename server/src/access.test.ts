import { subscribe } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import type { Access } from '@dealdeck/contract/access'
import { contract } from '@dealdeck/contract/api'
import { errorBodySchema } from '@dealdeck/contract/errors'
import { eventsPath, feedEventsPath } from '@dealdeck/contract/events'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../testing/app.ts'
import { makeToken } from '../testing/factories.ts'
import { contractRoutes } from './platform/http/contract-routes.ts'

/** Whatever is registered, by whom and how deep inside a plugin ever: heard from the instance's first moment on. */
const registered: RouteOptions[] = []
subscribe('fastify.initialization', (message) => {
  // Fastify publishes the new instance under this name.
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', (route) => {
    registered.push(route)
  })
})

const { app, databases, signIn } = await buildTestApp()
let origin = ''

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = app.server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
})

/** The session of an administrator's account to which this has happened since; the role must not help. */
async function sessionAfter(change: (session: SignedIn) => Promise<unknown>) {
  const session = await signIn('admin')
  await change(session)
  return { cookie: session.headers.cookie }
}
const accountWith = (values: { status?: 'pending' | 'rejected'; is_active?: boolean }) =>
  sessionAfter(({ user }) =>
    databases.durableDb.updateTable('users').set(values).where('id', '=', user.id).execute(),
  )

const callers = {
  nobody: async () => ({}),
  pending: () => accountWith({ status: 'pending' }),
  rejected: () => accountWith({ status: 'rejected' }),
  inactive: () => accountWith({ is_active: false }),
  'with a session that is over': () =>
    sessionAfter(({ user }) =>
      databases.durableDb
        .updateTable('sessions')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('user_id', '=', user.id)
        .execute(),
    ),
  'with a session nobody knows': async () => ({ cookie: 'dealdeck_session=made-up' }),
  'with a token nobody knows': async () => ({ authorization: 'Bearer dd_made-up' }),
  user: async () => ({ cookie: (await signIn('user')).headers.cookie }),
  admin: async () => ({ cookie: (await signIn('admin')).headers.cookie }),
  token: async () => ({ authorization: `Bearer ${await makeToken(databases)}` }),
}
type Caller = keyof typeof callers

type Answers = { nobody: 0 | 401 } & Partial<Record<Exclude<Caller, 'nobody'>, 0 | 403>>
/** What each access answers to whom it knows: 0 lets in. Whoever is not named here is nobody to the application. */
const answers: Record<Access, Answers> = {
  open: { nobody: 0 },
  user: { nobody: 401, user: 0, admin: 0, token: 403 },
  admin: { nobody: 401, user: 403, admin: 0, token: 403 },
  admin_or_token: { nobody: 401, user: 403, admin: 0, token: 0 },
}

const open = (path: string) => ({ method: 'GET' as const, path, access: 'open' as const })
const routes = [
  ...contractRoutes(contract).map(({ method, path, meta }) => ({ method, path, access: meta.access })),
  ...[eventsPath, feedEventsPath].map((path) => ({
    ...{ method: 'GET' as const, path, access: 'user' as const },
  })),
  ...['/healthz', '/readyz', '/metrics', '/api/openapi.json', '/api/docs'].map(open),
  // Its secret says who may read a feed.
  open('/feeds/{file}'),
  // Its signature says which destination is unsubscribed from.
  open('/unsubscribe/{token}'),
  { method: 'POST' as const, path: '/unsubscribe/{token}', access: 'open' as const },
  // The web app's page and files, and the pictures of the sample deals.
  ...['/', '/*', '/sample-images/*'].map(open),
]

/** Sends the barest request of a route and returns the status; whatever the route does with it comes after access. */
async function call(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const ended = new AbortController()
  const response = await fetch(origin + path.replace(/\{\w+\}/g, '1').replace('*', 'favicon.svg'), {
    method,
    headers: { origin, ...headers },
    signal: ended.signal,
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) ended.abort()
  return response
}

describe.each(routes)('$method $path is for: $access', ({ method, path, access }) => {
  test('exists', () => {
    expect(app.hasRoute({ method, url: path.replace(/\{(\w+)\}/g, ':$1') })).toBe(true)
  })

  test.each(Object.keys(callers))('%s', async (name) => {
    // The keys of an object literal are its own names.
    const caller = name as Caller
    const response = await call(method, path, await callers[caller]())
    const expected = answers[access][caller] ?? answers[access].nobody
    if (expected === 0) {
      expect([401, 403]).not.toContain(response.status)
      return
    }
    expect(response.status).toBe(expected)
    expect(errorBodySchema.strict().safeParse(await response.json()).success).toBe(true)
  })
})

test('no route is missing from this table, and each is registered with the access it says', () => {
  const found = registered.flatMap(({ method, url, config }) =>
    [method].flat().map((one) => ({ method: one, url, access: config?.access })),
  )
  const said = routes.flatMap(({ method, path, access }) => {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    // Whatever can be read can be asked about without its body.
    return [method, ...(method === 'GET' ? ['HEAD'] : [])].map((one) => ({ method: one, url, access }))
  })
  const names = (list: { method: unknown; url: string; access: unknown }[]) =>
    list.map(({ method, url, access }) => `${String(method)} ${url} ${String(access)}`).sort()
  expect(names(found)).toEqual(names(said))
})

test('what may not be read may not be asked about by HEAD either', async () => {
  const refused = routes.filter(({ method, access }) => method === 'GET' && access !== 'open')
  for (const { path } of refused) expect((await call('HEAD', path, {})).status).toBe(401)
})

test('HEAD answers what can be read as GET does, without the body', async () => {
  const admin = await callers.admin()
  const shapeOf = async (method: string, path: string) => {
    const answer = await call(method, path, { ...admin, 'accept-encoding': 'identity' })
    const { status, headers } = answer
    const named = ['content-type', 'content-length', 'cache-control', 'etag'].map((name) => headers.get(name))
    return { answer: [status, ...named], body: await answer.text() }
  }
  // A stream's answer to HEAD ends by itself, and what a process says of itself changes with each request.
  const others = [eventsPath, feedEventsPath, '/metrics', '/readyz']
  for (const { method, path } of routes.filter((route) => !others.includes(route.path))) {
    if (method !== 'GET') continue
    const [get, head] = [await shapeOf('GET', path), await shapeOf('HEAD', path)]
    expect([path, ...head.answer]).toEqual([path, ...get.answer])
    expect(head.body).toBe('')
  }
})

test('metrics are for this machine only', async () => {
  expect((await app.inject({ url: '/metrics' })).statusCode).toBe(200)
  for (const headers of [{}, { cookie: (await signIn('admin')).headers.cookie }]) {
    const answer = await app.inject({ url: '/metrics', remoteAddress: '203.0.113.7', headers })
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'FORBIDDEN'])
  }
})

test('only what must be is open to everybody', () => {
  const open = routes
    .filter((route) => route.access === 'open')
    .map(({ method, path }) => `${method} ${path}`)
  expect(open.sort()).toEqual([
    'GET /',
    'GET /*',
    'GET /api/docs',
    'GET /api/openapi.json',
    'GET /api/settings',
    'GET /feeds/{file}',
    'GET /healthz',
    'GET /metrics',
    'GET /readyz',
    'GET /sample-images/*',
    'GET /unsubscribe/{token}',
    'POST /api/session',
    'POST /api/signup',
    'POST /unsubscribe/{token}',
  ])
})

test('a session that has ended is refused', async () => {
  const { headers } = await signIn('user')
  expect((await call('GET', '/api/session', { cookie: headers.cookie })).status).toBe(200)
  expect((await call('DELETE', '/api/session', { cookie: headers.cookie })).status).toBe(204)
  expect((await call('GET', '/api/session', { cookie: headers.cookie })).status).toBe(401)
})

test('a change with a cookie from another site is refused', async () => {
  const { headers } = await signIn('admin')
  const response = await call('DELETE', '/api/session', { ...headers, origin: 'https://elsewhere.example' })
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'FOREIGN_ORIGIN' })
})

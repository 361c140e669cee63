import type { AddressInfo } from 'node:net'
import type { Access } from '@dealdeck/contract/access'
import { contract } from '@dealdeck/contract/api'
import { errorBodySchema } from '@dealdeck/contract/errors'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTestApp } from '../testing/app.ts'
import { makeToken } from '../testing/factories.ts'
import { contractRoutes } from './platform/contract-routes.ts'

const { app, databases, signIn } = await buildTestApp()
let origin = ''

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = app.server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
})

const callers = {
  nobody: async () => ({}),
  user: async () => ({ cookie: (await signIn('user')).headers.cookie }),
  admin: async () => ({ cookie: (await signIn('admin')).headers.cookie }),
  token: async () => ({ authorization: `Bearer ${await makeToken(databases)}` }),
}
type Caller = keyof typeof callers

/** What each access answers to each caller: 0 lets it in. */
const refusals: Record<Access, Record<Caller, 0 | 401 | 403>> = {
  open: { nobody: 0, user: 0, admin: 0, token: 0 },
  user: { nobody: 401, user: 0, admin: 0, token: 403 },
  admin: { nobody: 401, user: 403, admin: 0, token: 403 },
  admin_or_token: { nobody: 401, user: 403, admin: 0, token: 0 },
}

const routes = [
  ...contractRoutes(contract).map(({ method, path, meta }) => ({ method, path, access: meta.access })),
  { method: 'GET' as const, path: '/api/products/events', access: 'user' as const },
  { method: 'GET' as const, path: '/healthz', access: 'open' as const },
  { method: 'GET' as const, path: '/readyz', access: 'open' as const },
  { method: 'GET' as const, path: '/api/openapi.json', access: 'open' as const },
  { method: 'GET' as const, path: '/api/docs', access: 'open' as const },
]

/** Sends the barest request of a route and returns the status; whatever the route does with it comes after access. */
async function call(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  const ended = new AbortController()
  const response = await fetch(origin + path.replace(/\{\w+\}/g, '1'), {
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
    const expected = refusals[access][caller]
    if (expected === 0) {
      expect([401, 403]).not.toContain(response.status)
      return
    }
    expect(response.status).toBe(expected)
    expect(errorBodySchema.strict().safeParse(await response.json()).success).toBe(true)
  })
})

test('the contract declares what the fixed surface opens, and nothing more', () => {
  const open = routes
    .filter((route) => route.access === 'open')
    .map(({ method, path }) => `${method} ${path}`)
  expect(open.sort()).toEqual([
    'GET /api/docs',
    'GET /api/openapi.json',
    'GET /api/settings',
    'GET /healthz',
    'GET /readyz',
    'POST /api/session',
    'POST /api/signup',
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

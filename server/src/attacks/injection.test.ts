import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { contract } from '@dealdeck/contract/api'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { makeUser, testPassword } from '../../testing/factories.ts'
import { contractRoutes } from '../platform/http/contract-routes.ts'
import { createLog } from '../platform/observing/log.ts'

const hostile = '\u001b[2J\u009b31m\u202e\u2028\r\n00:00:00 info All is well'

test.each([true, false])(
  'nothing logged can pass for another line or steer a terminal (terminal: %s)',
  (isTTY) => {
    const stream = new PassThrough()
    // Only `isTTY` and `write` of a terminal's stream are used.
    const log = createLog('info', Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream)
    const error = new Error(hostile)
    log.info({ username: hostile, [hostile]: 1, err: error }, hostile)
    const written = String(stream.read())
    expect(written).not.toMatch(/(?!\n)[\p{Cc}]/u)
    expect(written.split('\n').filter((line) => /^00:00:00/.test(line))).toEqual([])
    if (isTTY) expect(written).not.toMatch(/\p{Bidi_Control}/u)
    else expect(written.trimEnd().split('\n')).toHaveLength(1)
  },
)

test('what a browser or a file calls itself comes back as text and in no header', async () => {
  const { app, databases } = await buildTestApp()
  const { username } = await makeUser(databases, { role: 'admin' })
  const userAgent = 'Mozilla/5.0 <script>alert(1)</script> \u009b31m'
  const payload = { username, password: testPassword }
  const signedIn = await app.inject({
    method: 'POST',
    url: '/api/session',
    payload,
    headers: { 'user-agent': userAgent },
  })
  const headers = {
    host: 'localhost',
    origin: 'http://localhost',
    cookie: String(signedIn.headers['set-cookie']),
  }
  const sessions = await app.inject({ url: '/api/profile/sessions', headers })
  expect([sessions.statusCode, sessions.headers['content-type']]).toEqual([
    200,
    'application/json; charset=utf-8',
  ])
  expect(sessions.body).not.toContain('<script')
  const file = encodeURIComponent('../../etc/passwd\r\nSet-Cookie: a=b\u0000<b>.csv')
  const rows = 'asin,title,price\nB0ABCD1234,Folding lantern,9.99\n'
  const imported = await app.inject({
    method: 'POST',
    url: `/api/products/import?file=${file}`,
    payload: rows,
    headers: { ...headers, 'content-type': 'text/csv' },
  })
  expect([imported.statusCode, imported.headers['set-cookie']]).toEqual([200, undefined])
  const history = (await app.inject({ url: '/api/imports', headers })).json<{ items: { source: string }[] }>()
  expect(history.items[0]?.source).toBe('../../etc/passwdSet-Cookie: a=b<b>.csv')
})

test('requests that two readers could cut differently are refused', async () => {
  const { app } = await buildTestApp()
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  // With a name that is ours and a type that is known: otherwise some would be refused before they are read.
  const start = 'POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
  const requests = [
    `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    `${start}X-Name: a\rSet-Cookie: b\r\n\r\n`,
    'GET /healthz HTTP/1.1\nHost: x\n\n',
  ]
  for (const request of requests) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.end(request)
    const answer = await text(socket)
    expect([request, answer.slice(0, 12), answer.split('HTTP/1.1').length]).toEqual([
      request,
      'HTTP/1.1 400',
      2,
    ])
  }
})

test('nothing sent changes what all objects inherit', async () => {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const spoils = [
    '__proto__',
    'constructor',
    'constructor.prototype',
    'prototype',
    'toString',
    'hasOwnProperty',
  ]
  for (const { method, path } of contractRoutes(contract).filter(
    ({ path: where }) => where !== '/api/session',
  )) {
    const url = path.replace(/\{\w+\}/g, '99999')
    for (const name of spoils) {
      const body = `{"${name}":{"polluted":1,"prototype":{"polluted":1}},"asin":"B0ABCD1234","title":"Lamp","price":1}`
      const query = `${url}?${name}[polluted]=1&${name}.polluted=1&${name}=1&map=price=${name}`
      const type = { ...headers, 'content-type': 'application/json' }
      const answers = [await app.inject({ method, url: query, headers })]
      if (method !== 'GET') {
        answers.push(await app.inject({ method, url, headers: type, payload: body }))
        answers.push(await app.inject({ method, url, headers: type, payload: `[${body}]` }))
        const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
        answers.push(await app.inject({ method, url, headers: form, payload: `${name}[polluted]=1` }))
      }
      expect([method, url, name, answers.every(({ statusCode }) => statusCode < 500)]).toEqual([
        method,
        url,
        name,
        true,
      ])
    }
  }
  const csv = `${spoils.join(',')},asin,title,price\n${spoils.map(() => 'x').join(',')},B0ABCD1235,Lamp,1\n`
  const preview = await app.inject({
    method: 'POST',
    url: '/api/products/import/preview',
    headers,
    payload: csv,
  })
  expect(preview.json().columns).toEqual([...spoils, 'asin', 'title', 'price'])
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('the same parameter twice, or a list of it, is a wrong question', async () => {
  const { app, signIn } = await buildTestApp()
  const { headers } = await signIn('admin')
  const queries = [
    'limit=1&limit=1000',
    'limit[]=1',
    'limit[0]=1',
    'include_hidden=false&include_hidden=true',
    'sort=price&sort=newest',
    'search[$ne]=x',
  ]
  for (const query of queries)
    expect([query, (await app.inject({ url: `/api/products?${query}`, headers })).statusCode]).toEqual([
      query,
      400,
    ])
  // Of two fields of one name in JSON the last counts, for everybody who looks.
  const payload = '{"username":"first","password":"secret1","username":"second"}'
  const answer = await app.inject({
    method: 'POST',
    url: '/api/signup',
    payload,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.json()).toMatchObject({ username: 'second', role: 'user' })
})

test('nobody makes themselves an administrator by fields that are not theirs to set', async () => {
  const { app, databases, signIn } = await buildTestApp({ settings: { SIGNUP_MODE: 'approval' } })
  const payload = {
    username: 'climber',
    password: 'secret1',
    role: 'admin',
    status: 'approved',
    is_active: true,
    id: 1,
  }
  const refused = await app.inject({ method: 'POST', url: '/api/signup', payload })
  expect([refused.statusCode, Object.keys(refused.json().fields)]).toEqual([
    400,
    ['role', 'status', 'is_active', 'id'],
  ])
  const { username, password } = payload
  const answer = await app.inject({ method: 'POST', url: '/api/signup', payload: { username, password } })
  expect(answer.json()).toMatchObject({ role: 'user', status: 'pending' })
  const { headers, user } = await signIn('user')
  const change = { current_password: testPassword, new_password: 'another one', role: 'admin' }
  const changed = await app.inject({ method: 'POST', url: '/api/profile/password', payload: change, headers })
  expect([changed.statusCode, Object.keys(changed.json().fields)]).toEqual([400, ['role']])
  const row = await databases.db
    .selectFrom('users')
    .select('role')
    .where('id', '=', user.id)
    .executeTakeFirst()
  expect(row).toEqual({ role: 'user' })
})

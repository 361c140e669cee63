import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { startDealdeck, temporaryFolder } from '../testing/dealdeck-process.ts'

// Whole processes share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

async function start(env: Record<string, string> = {}) {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const admin = { ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'correct horse' }
  const dealdeck = startDealdeck({ DATA_DIR, ...admin, ...env })
  const address = await dealdeck.address()
  const session = await fetch(`${address}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ username: 'boss', password: 'correct horse' }),
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { dealdeck, address, cookie }
}

/** An import whose first rows have arrived, and its answer to come. */
async function beginImport(address: string, cookie: string) {
  const sender = request(`${address}/api/products/import`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { cookie, origin: address, 'content-type': 'text/csv' },
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sender.once('response', resolve).once('error', reject)
  })
  // Whoever tests that it is cut doesn't want its error.
  answer.catch(() => {})
  sender.write('asin,title,price\nB000000001,Lamp,9.99\n')
  const running = async () =>
    /^dealdeck_imports_running (\d)/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1]
  await expect.poll(running).toBe('1')
  return { sender, answer }
}

const readyz = (address: string) => fetch(`${address}/readyz`).then(({ status }) => status)
const healthz = (address: string) => fetch(`${address}/healthz`).then(({ status }) => status)

test('SIGTERM lets a request under way finish, ends streams in good order, and takes nobody new', async () => {
  const { dealdeck, address, cookie } = await start()
  const stream = await fetch(`${address}/api/products/events`, { headers: { cookie } })
  const streamed = stream.text()
  const { sender, answer } = await beginImport(address, cookie)
  dealdeck.kill('SIGTERM')
  // The stream's end shows that the end has begun; a cut one would throw here.
  expect(await streamed).toMatch(/^retry: 2000\nid: [0-9a-f]{8}-\d+\n\n/)
  await expect.poll(() => readyz(address).catch((error) => error.cause.code)).toBe('ECONNREFUSED')
  sender.end('B000000002,Vase,4.50\n')
  const response = await answer
  expect([response.statusCode, await json(response)]).toMatchObject([200, { created: 2 }])
  expect(await dealdeck.ended()).toBe(0)
  expect(dealdeck.output).not.toMatch(/"level":[56]0/)
})

test('an import that does not come to its end is told so, another request is cut, and the end is in good order', async () => {
  const { dealdeck, address, cookie } = await start()
  const { answer } = await beginImport(address, cookie)
  const headers = { cookie, origin: address, 'content-type': 'application/json', 'content-length': 1_000 }
  const unfinished = request(`${address}/api/links/parse`, { method: 'POST', headers })
  const cut = once(unfinished, 'error')
  unfinished.write('{"url":')
  // Before its connection stands, a server that ends refuses it instead of cutting it.
  const [socket] = await once(unfinished, 'socket')
  if (socket.connecting) await once(socket, 'connect')
  dealdeck.kill('SIGTERM')
  const response = await answer
  expect([response.statusCode, await json(response)]).toMatchObject([503, { code: 'DATABASE_UNAVAILABLE' }])
  expect(await cut).toMatchObject([{ code: 'ECONNRESET' }])
  expect(await dealdeck.ended()).toBe(0)
})

test('with DRAIN_SECONDS it says at /readyz and /healthz that it ends, and still answers everybody, streams too', async () => {
  const { dealdeck, address, cookie } = await start({ DRAIN_SECONDS: '4' })
  const stream = await fetch(`${address}/api/products/events`, { headers: { cookie } })
  const streamed = stream.text()
  expect([await readyz(address), await healthz(address)]).toEqual([200, 200])
  dealdeck.kill('SIGTERM')
  await expect.poll(() => readyz(address)).toBe(503)
  for (const path of ['/readyz', '/healthz'])
    expect(await (await fetch(address + path)).json()).toEqual({ status: 'stopping' })
  expect(await healthz(address)).toBe(503)
  expect((await fetch(`${address}/api/products`, { headers: { cookie } })).status).toBe(200)
  const late = await fetch(`${address}/api/products/events`, { headers: { cookie } })
  expect(late.status).toBe(200)
  expect(await late.text()).toContain('retry: 2000')
  await streamed
  expect(await dealdeck.ended()).toBe(0)
})

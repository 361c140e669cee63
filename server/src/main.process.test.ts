import { readFile, stat } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { serversOn, startDealdeck, temporaryFolder } from '../testing/dealdeck-process.ts'

// Whole processes, several a test, share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

async function signIn(address: string, username: string, password: string): Promise<Response> {
  return fetch(`${address}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ username, password }),
  })
}

/** Adds an account over HTTP; returns when it is acknowledged. */
async function signUp(address: string, username: string): Promise<number> {
  const answer = await fetch(`${address}/api/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ username, password: 'correct horse' }),
  })
  return answer.status
}

test('the first start names the file of accounts that work, the second says nothing of them', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const first = startDealdeck({ DATA_DIR })
  const address = await first.address()
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  expect((await fetch(`${address}/readyz`)).status).toBe(200)

  const file = join(DATA_DIR, 'first-accounts.txt')
  expect(first.output).toContain(`The first accounts and their passwords are in ${file}`)
  const kept = await readFile(file, 'utf8')
  const accounts = [...kept.matchAll(/^(\w+) +([a-z0-9]{16}) +(administrator|user)$/gm)]
  expect(accounts.map(([, username, , role]) => [username, role])).toEqual([
    ['admin', 'administrator'],
    ['admin2', 'administrator'],
    ['user', 'user'],
    ['user2', 'user'],
  ])
  // Output that is no terminal's is somebody's log.
  for (const [, , password = ''] of accounts) expect(first.output + first.errors).not.toContain(password)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const session = await signIn(address, 'admin', accounts[0]?.[2] ?? '')
  expect(await session.json()).toMatchObject({ username: 'admin', role: 'admin', status: 'approved' })
  first.kill('SIGTERM')
  // Had it not ended by itself within five seconds, the code would be 1.
  expect(await first.ended()).toBe(0)

  const second = startDealdeck({ DATA_DIR })
  await second.address()
  expect(second.output).not.toContain('first accounts')
})

test('SIGTERM ends everything, also with open streams, half-open connections and a second signal', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const dealdeck = startDealdeck({ DATA_DIR, ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'correct horse' })
  const address = await dealdeck.address()
  const session = await signIn(address, 'boss', 'correct horse')
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const stream = await fetch(`${address}/api/products/events`, { headers: { cookie } })
  expect(stream.status).toBe(200)
  const halfOpen = connect(Number(new URL(address).port), '127.0.0.1')
  halfOpen.on('error', () => {})
  halfOpen.write('POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  expect(serversOn(DATA_DIR)).toHaveLength(1)

  dealdeck.kill('SIGTERM')
  dealdeck.kill('SIGINT')
  dealdeck.kill('SIGTERM')
  expect(await dealdeck.ended()).toBe(0)
  expect(serversOn(DATA_DIR)).toEqual([])
  await stream.body?.cancel().catch(() => {})
  halfOpen.destroy()
})

test('SIGTERM in the middle of the first start leaves nothing running', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const dealdeck = startDealdeck({ DATA_DIR })
  while (!(await stat(join(DATA_DIR, 'lock.json')).catch(() => null))) await new Promise(setImmediate)
  dealdeck.kill('SIGTERM')
  expect(await dealdeck.ended()).toBe(0)
  expect(dealdeck.errors).toBe('')
  expect(serversOn(DATA_DIR)).toEqual([])
})

test('kill -9 loses no acknowledged row and the next start just works', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const first = startDealdeck({ DATA_DIR })
  const names = ['ann', 'bea', 'cid', 'dan']
  const address = await first.address()
  for (const name of names) expect(await signUp(address, name)).toBe(201)
  first.kill('SIGKILL')
  await first.ended()
  expect(serversOn(DATA_DIR)).toHaveLength(1)

  const second = startDealdeck({ DATA_DIR })
  const again = await second.address()
  // A connection's process looks like a server of its own until it has its name.
  await expect.poll(() => serversOn(DATA_DIR)).toHaveLength(1)
  for (const name of names) expect((await signIn(again, name, 'correct horse')).status).toBe(200)
})

test('a second application on one DATA_DIR refuses in one line and disturbs nobody', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const first = startDealdeck({ DATA_DIR })
  const address = await first.address()
  const second = startDealdeck({ DATA_DIR })
  expect(await second.ended()).toBe(1)
  expect(second.errors).toBe(
    `Another Dealdeck (process ${first.child.pid}) already uses ${DATA_DIR}. Stop it, or set DATA_DIR to another folder.\n`,
  )
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
})

test('a bad setting is one line and starts nothing', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const dealdeck = startDealdeck({ DATA_DIR, SIGNUP_MODE: 'sometimes' })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toBe('Setting SIGNUP_MODE must be open, approval or closed\n')
  expect(await stat(DATA_DIR).catch(() => null)).toBeNull()
})

test('a port in use is one line that names it and starts nothing', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  // A listening TCP server always has an address object.
  const { port } = other.address() as AddressInfo
  const dealdeck = startDealdeck({ DATA_DIR, PORT: String(port) })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(
    new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is already in use\\. .*PORT=\\d+ npm start\n$`),
  )
  expect(await stat(DATA_DIR).catch(() => null)).toBeNull()
  other.close()
})

test('ADMIN_USERNAME and ADMIN_PASSWORD keep that administrator', async () => {
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const PUBLIC_URL = 'https://deals.example'
  const first = startDealdeck({
    ...{ DATA_DIR, PUBLIC_URL, ADMIN_USERNAME: 'Admin', ADMIN_PASSWORD: 'correct horse' },
  })
  expect(await first.address()).toBe(PUBLIC_URL)
  await first.says(/Its proxy \(loopback\) must set X-Forwarded-For/)
  expect(await readFile(join(DATA_DIR, 'first-accounts.txt'), 'utf8')).not.toMatch(/^admin /m)
  first.kill('SIGTERM')
  await first.ended()
  const second = startDealdeck({ DATA_DIR, ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: 'battery staple' })
  const address = await second.address()
  expect((await signIn(address, 'admin', 'correct horse')).status).toBe(401)
  expect(await (await signIn(address, 'admin', 'battery staple')).json()).toMatchObject({ role: 'admin' })
})

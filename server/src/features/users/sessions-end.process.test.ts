import { setTimeout as delay } from 'node:timers/promises'
import type { UserRecord } from '@dealdeck/contract/users'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { startDealdeck } from '../../../testing/dealdeck-process.ts'
import { makeUser, testPassword } from '../../../testing/factories.ts'

// Two whole processes share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

const databases = await testDatabases()

async function signIn(address: string, username: string): Promise<{ cookie: string; origin: string }> {
  const answer = await fetch(`${address}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: testPassword }),
  })
  expect(answer.status).toBe(200)
  return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', origin: address }
}

/** Opens the live stream; tells when the server has ended it. */
async function openStream(address: string, headers: Record<string, string>) {
  const stopped = new AbortController()
  onTestFinished(() => stopped.abort())
  const { status, body } = await fetch(`${address}/api/products/events`, { headers, signal: stopped.signal })
  expect(status).toBe(200)
  const stream = { ended: false }
  const read = async () => {
    for await (const _ of body ?? []);
  }
  void read()
    .catch(() => undefined)
    .finally(() => {
      stream.ended = true
    })
  return stream
}

test('whatever changes or ends an account ends its sessions and streams in both processes within 5 s', async () => {
  const processes = [1, 2].map(() =>
    startDealdeck({ DATABASE_URL: databases.url, DATA_DIR: '/nonexistent', LOG_LEVEL: 'error' }),
  )
  const [first = '', second = ''] = await Promise.all(processes.map((dealdeck) => dealdeck.address()))
  const admin = await makeUser(databases, { role: 'admin' })
  const adminHeaders = await signIn(first, admin.username)
  const change = (id: number, method: 'PATCH' | 'DELETE', payload?: object) =>
    fetch(`${first}/api/users/${id}`, {
      method,
      headers: { ...adminHeaders, ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { body: JSON.stringify(payload) }),
    })
  const ways = [
    { method: 'PATCH', payload: { is_active: false } },
    { method: 'PATCH', payload: { status: 'rejected' } },
    { method: 'PATCH', payload: { role: 'admin' } },
    { method: 'PATCH', payload: { password: 'another secret' } },
    { method: 'DELETE', payload: undefined },
  ] as const
  const bystander = await makeUser(databases)
  const stays = await openStream(second, await signIn(second, bystander.username))
  for (const { method, payload } of ways) {
    const { id, username } = await makeUser(databases)
    const sessions = [await signIn(first, username), await signIn(second, username)]
    // Each process has both sessions in its cache.
    const openings = [first, second].flatMap((address) => sessions.map((headers) => ({ address, headers })))
    const streams = await Promise.all(openings.map(({ address, headers }) => openStream(address, headers)))
    const statuses = () =>
      Promise.all(
        openings.map(
          async ({ address, headers }) => (await fetch(`${address}/api/session`, { headers })).status,
        ),
      )
    expect(await statuses()).toEqual([200, 200, 200, 200])
    const answer = await change(id, method, payload)
    expect([payload, answer.ok]).toEqual([payload, true])
    if (payload) {
      // Its text comes from our own server, whose shape other tests hold.
      const record = (await answer.json()) as UserRecord
      expect(record).toMatchObject({ id, live_sessions: 0 })
    }
    await expect
      .poll(() => streams.map(({ ended }) => ended), { timeout: 15_000, interval: 50 })
      .toEqual([true, true, true, true])
    await expect.poll(statuses, { timeout: 15_000, interval: 100 }).toEqual([401, 401, 401, 401])
  }
  await delay(50)
  expect(stays.ended).toBe(false)
})

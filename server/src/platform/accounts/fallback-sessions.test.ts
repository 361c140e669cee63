import { expect, test } from 'vitest'
import { whenDone } from '../../../testing/cleanup.ts'
import { openDatabases } from '../database/database.ts'
import { Sessions } from './sessions.ts'

const admin = { id: -1, username: 'admin', role: 'admin', status: 'approved' } as const
const toKey = (token: string) => token

/** Sessions of an application whose database can't be reached; `connect` says that it can again. */
function awaySessions() {
  let now = Date.UTC(2026, 0, 1)
  const databases = openDatabases('postgres://nobody@127.0.0.1:1/none', () => undefined)
  whenDone(() => databases.close())
  const callbacks: (() => void)[] = []
  const bus = { on: () => undefined, onConnect: (callback: () => void) => void callbacks.push(callback) }
  const { fallback } = new Sessions(databases, () => new Date(now), bus)
  return {
    fallback,
    connect: () => {
      for (const callback of callbacks) callback()
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('sessions of one outage do not come back with the next, though nobody used them in between', async () => {
  const { fallback, connect } = awaySessions()
  const token = fallback.open(admin, toKey)
  expect(await fallback.find(token)).toEqual(admin)
  connect()
  expect(await fallback.find(token)).toBeUndefined()
})

test('a session that is over is not counted, whether anybody has looked at it or not', () => {
  const { fallback, pass } = awaySessions()
  fallback.open(admin, toKey)
  pass(59 * 60_000)
  fallback.open(admin, toKey)
  expect(fallback.count('admin')).toBe(2)
  pass(60_000)
  expect(fallback.count('admin')).toBe(1)
})

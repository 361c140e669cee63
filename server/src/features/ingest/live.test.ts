import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeToken } from '../../../testing/factories.ts'
import { hashToken, Sessions } from '../../platform/accounts/sessions.ts'
import { systemClock } from '../../platform/clock.ts'
import { LiveBus } from '../../platform/live/live-bus.ts'
import { type Importer, RunningImports } from './live.ts'

const databases = await testDatabases()

/** Imports of a process that hears nothing: its bus isn't connected. */
function imports() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const bus = new LiveBus(databases, pino({ level: 'silent' }))
  const sessions = new Sessions(databases, systemClock, bus)
  return { sessions, running: new RunningImports(databases, sessions, bus) }
}

const look = () => vi.advanceTimersByTimeAsync(3_000)

async function tokenImporter(): Promise<Importer & { kind: 'token' }> {
  const { id, name } = await databases.db
    .selectFrom('ingest_tokens')
    .where('token_hash', '=', hashToken(await makeToken(databases)))
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
  return { kind: 'token', id, name }
}

test('an import ends with its token also when nobody told so, and the others go on', async () => {
  const { running } = imports()
  const [importer, other] = [await tokenImporter(), await tokenImporter()]
  const [one, another] = [running.begin(importer), running.begin(other)]
  await look()
  await sleep(100)
  expect(one.signal.aborted).toBe(false)
  await databases.durableDb.deleteFrom('ingest_tokens').where('id', '=', importer.id).execute()
  await look()
  await expect.poll(() => one.signal.aborted).toBe(true)
  expect(one.signal.reason).toMatchObject({ code: 'UNAUTHENTICATED', message: /token was removed/ })
  expect(another.signal.aborted).toBe(false)
})

test('a question that failed is asked again, for as long as an import is under way', async () => {
  const { sessions, running } = imports()
  const asked = vi.spyOn(sessions, 'stillGood')
  asked.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('still away'))
  const user = { id: 1, username: 'carol', role: 'admin' as const, status: 'approved' as const }
  const session = { key: hashToken('nobody knows it').toString('base64url'), user }
  const one = running.begin({ kind: 'session', session, token: '' })
  await look()
  expect(asked).toHaveBeenCalledTimes(2)
  expect(one.signal.aborted).toBe(false)
  await look()
  await expect.poll(() => one.signal.aborted).toBe(true)
  one.close()
  expect(vi.getTimerCount()).toBe(0)
  await look()
  expect(asked).toHaveBeenCalledTimes(3)
})

import { randomBytes } from 'node:crypto'
import type { Role } from '@dealdeck/contract/session'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import type { DestinationDeps } from '../src/features/deliveries/destinations/destination-deps.ts'
import type { SourceDeps } from '../src/features/sources/running/source-deps.ts'
import { hashToken } from '../src/platform/accounts/sessions.ts'
import { type Clock, systemClock } from '../src/platform/clock.ts'
import type { Databases } from '../src/platform/database/database.ts'
import type { AppDeps } from '../src/platform/deps.ts'
import { sessionCookie } from '../src/platform/http/access.ts'
import { SecretBox } from '../src/platform/secret-box.ts'
import { readSettings } from '../src/platform/settings.ts'
import { whenDone } from './cleanup.ts'
import { testDatabases } from './database.ts'
import { makeUser } from './factories.ts'

export type SignedIn = {
  user: { id: number; username: string }
  token: string
  /** Cookie, host and origin of a browser on our own pages; spread into a request's headers. */
  headers: { host: string; origin: string; cookie: string }
}

export type TestApp = {
  app: FastifyInstance
  databases: Databases
  /** A fresh user of that role with an open session. */
  signIn(role: Role): Promise<SignedIn>
}

/** Nothing that a test seals outlives its database. */
const SECRET_KEY = randomBytes(32).toString('base64')

/** So long a database that is there may be silent beside other tests, in milliseconds. */
export const busyMs = 10_000

/** Errors in the application's log are errors nobody expected: they fail the test like any console error. */
const log = pino({ level: 'error' }, { write: (line: string) => console.error(line) })

/**
 * The whole application on a database of its own, closed when the test or its file is done.
 * `settings` as in the environment: `{ SIGNUP_MODE: 'closed' }`. A sign-in is answered as soon as it is decided, unless
 * `signInFloorMs` says otherwise; undefined is what users get.
 */
export async function buildTestApp(
  options: Partial<
    Pick<AppDeps, 'databases' | 'databaseSilenceMs' | 'clock' | 'log' | 'builtInAccounts' | 'webFolder'>
  > & {
    settings?: Record<string, string>
    sources?: Partial<SourceDeps>
    deliveries?: Partial<DestinationDeps>
    signInFloorMs?: number | undefined
  } = {},
): Promise<TestApp> {
  const databases = options.databases ?? (await testDatabases())
  const settings = readSettings({ SAMPLE_DEALS: 'off', SEARCH_INDEX: 'off', SECRET_KEY, ...options.settings })
  const clock = options.clock ?? systemClock
  const secretBox = new SecretBox(settings)
  // What it shares with tests at its side may well be busy for a second. A database that is handed in may be one to lose.
  const databaseSilenceMs = options.databases ? undefined : busyMs
  const defaults = { log, signInFloorMs: 0, databaseSilenceMs }
  const app = await buildApp({ ...defaults, ...options, settings, databases, clock, secretBox })
  whenDone(() => app.close())
  return { app, databases, signIn: (role) => signIn(databases, clock, role) }
}

async function signIn(databases: Databases, clock: Clock, role: Role): Promise<SignedIn> {
  const user = await makeUser(databases, { role })
  const token = randomBytes(32).toString('base64url')
  const expires_at = new Date(clock().getTime() + 86_400_000)
  await databases.durableDb
    .insertInto('sessions')
    .values({ token_hash: hashToken(token), user_id: user.id, expires_at })
    .execute()
  const headers = { host: 'localhost', origin: 'http://localhost', cookie: `${sessionCookie}=${token}` }
  return { user, token, headers }
}

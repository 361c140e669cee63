import { randomBytes } from 'node:crypto'
import type { ImportResult } from '@dealdeck/contract/ingest'
import type { Role } from '@dealdeck/contract/session'
import { type BrowserContext, test as base, request } from '@playwright/test'
import { refreshVerdicts } from '../../server/src/features/prices/actions.ts'
import { verdictFollower } from '../../server/src/features/prices/jobs.ts'
import { noPauses } from '../../server/src/features/prices/refresh-pauses.ts'
import { hashToken } from '../../server/src/platform/accounts/sessions.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { type Databases, openDatabases } from '../../server/src/platform/database/database.ts'
import { sessionCookie } from '../../server/src/platform/http/access.ts'
import { readSettings } from '../../server/src/platform/settings.ts'
import { type DealRow, removeAllDeals } from './deals.ts'
import { guardNetwork, type Outside } from './network.ts'
import { type RunningServer, startServer } from './server.ts'

type StorageState = Exclude<Awaited<ReturnType<BrowserContext['storageState']>>, string>

type WorkerFixtures = {
  /** Whether the application's connection to its database can be cut; such tests have a worker of their own. */
  isDatabaseLinked: boolean
  /** The application of this worker, on a database of its own. */
  server: RunningServer
  /** That database, to look into it or to open sessions. */
  databases: Databases
}

type TestFixtures = {
  /** Who the test's page is signed in as; null for nobody. `test.use({ role: 'admin' })`. */
  role: Role | null
  /** Console errors the test provokes on purpose; any other fails it. */
  expectedConsoleErrors: RegExp[]
  /** Imports rows over HTTP as an administrator's script would. */
  importDeals: (rows: DealRow[], query?: string) => Promise<ImportResult>
  /** What left for other hosts. Unexpected requests fail the test by themselves. */
  outside: Outside
  /** Another browser context with the same guards, for a second person; `origin` when it isn't the server's own. */
  openContext: (role: Role | null, origin?: string) => Promise<BrowserContext>
  /** No deals, and nobody has anything of their own. */
  cleanFeed: undefined
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  isDatabaseLinked: [false, { option: true, scope: 'worker' }],

  server: [
    async ({ isDatabaseLinked }, use) => {
      const server = await startServer({}, isDatabaseLinked)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],

  databases: [
    async ({ server }, use) => {
      let closing = false
      const databases = openDatabases(server.databaseUrl, (error) => {
        if (!closing) throw error
      })
      await use(databases)
      closing = true
      await databases.close()
    },
    { scope: 'worker' },
  ],

  role: ['user', { option: true }],
  expectedConsoleErrors: [[], { option: true }],

  baseURL: async ({ server }, use) => use(server.origin),
  storageState: async ({ role, databases, server }, use) => use(await signedIn(databases, server, role)),

  cleanFeed: [
    async ({ databases }, use) => {
      await removeAllDeals(databases)
      await databases.durablePool.query('delete from member_items; delete from saved_searches')
      await use(undefined)
    },
    { auto: true },
  ],

  importDeals: async ({ server, databases }, use) => {
    const storageState = await signedIn(databases, server, 'admin')
    const api = await request.newContext({ baseURL: server.origin, storageState })
    await use(async (rows, query = '') => {
      const response = await api.post(`/api/products/import${query}`, {
        headers: { origin: server.origin, 'content-type': 'application/json' },
        data: JSON.stringify(rows),
      })
      expect(response.status(), await response.text()).toBe(200)
      await verdictsFound(databases)
      return response.json()
    })
    await api.dispose()
  },

  outside: [
    async ({ context, server, expectedConsoleErrors }, use) => {
      const guard = await guardContext(context, server.origin, expectedConsoleErrors)
      await use(guard.outside)
      guard.check()
    },
    { auto: true },
  ],

  openContext: async ({ browser, server, databases, expectedConsoleErrors }, use) => {
    const opened: { context: BrowserContext; check: () => void }[] = []
    await use(async (role, origin = server.origin) => {
      const context = await browser.newContext({
        baseURL: origin,
        storageState: await signedIn(databases, server, role),
      })
      opened.push({ context, ...(await guardContext(context, origin, expectedConsoleErrors)) })
      return context
    })
    for (const { context } of opened) await context.close()
    for (const { check } of opened) check()
  },
})

export const expect = test.expect

/** Watches a context for requests to other hosts and errors; `check` fails the test when there were any. */
async function guardContext(context: BrowserContext, origin: string, expected: RegExp[]) {
  const outside = await guardNetwork(context, origin)
  // With a page's last route Playwright lets go of whatever the page is asking for, pictures of the shop too. One stays.
  context.on('page', (page) => void page.route('about:never', (route) => route.fallback()).catch(() => {}))
  const errors: string[] = []
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    const text = `${message.text()} ${message.location().url}`
    if (!expected.some((pattern) => pattern.test(text))) errors.push(text)
  })
  context.on('weberror', (error) => errors.push(String(error.error().stack ?? error.error())))
  return {
    outside,
    check() {
      const nothing = { requestsToOtherHosts: [], consoleErrors: [] }
      expect({ requestsToOtherHosts: outside.unexpected, consoleErrors: errors }).toEqual(nothing)
    },
  }
}

const judging = { clock: systemClock, settings: readSettings({}) }
const neverAborted = new AbortController().signal

/** Until what an import has changed is judged: a page that is opened before hears of its verdicts as changes. */
async function verdictsFound(databases: Databases): Promise<void> {
  const sql = `select from followers f, feed_state s where f.name = $1 and f.position = s.revision
    and not exists (select from price_verdicts where due_at <= now())`
  for (;;) {
    const { rowCount } = await databases.durablePool.query(sql, [verdictFollower])
    if (rowCount === 1) return
    // The server takes its time.
    await refreshVerdicts({ databases, ...judging }, neverAborted, noPauses)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** The cookies of a new session, so that a test may sign out without disturbing the next one. */
async function signedIn(
  databases: Databases,
  server: RunningServer,
  role: Role | null,
): Promise<StorageState> {
  if (!role) return { cookies: [], origins: [] }
  const token = randomBytes(32).toString('base64url')
  const { username } = server.accounts[role]
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at)
     select $1, id, now() + interval '1 day' from users where username = $2`,
    [hashToken(token), username],
  )
  const { hostname: domain } = new URL(server.origin)
  const place = { domain, path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }
  return { cookies: [{ name: sessionCookie, value: token, ...place }], origins: [] }
}

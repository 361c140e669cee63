import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { whenDone } from '../testing/cleanup.ts'
import { testDatabases } from '../testing/database.ts'
import { withDealWrites } from './features/deals/actions.ts'
import { hideUnlisted } from './features/deals/writing/ending.ts'
import { lockUsers } from './features/session/actions.ts'
import { LockTimeoutError } from './platform/database/advisory-locks.ts'
import type { Databases } from './platform/database/database.ts'
import { type AdvisoryLock, advisoryLocks } from './platform/database/lock-register.ts'
import { migrate } from './platform/database/migrations.ts'

type TakenBy<Lock extends AdvisoryLock> = (typeof advisoryLocks)[Lock]['takenBy'][number]
type Take = (databases: Databases) => Promise<unknown>

/** How each file that the register names comes to take its lock. A lock, or a file, that is new there belongs here. */
const takers: { [Lock in AdvisoryLock]: Record<TakenBy<Lock>, Take> } = {
  migrations: { 'server/src/platform/database/migrations.ts': ({ url }) => migrate(url) },
  deals: {
    'server/src/features/deals/actions.ts': (databases) => withDealWrites(databases, async () => undefined),
    'server/src/platform/database/migrations.ts': async ({ url, durablePool }) => {
      await durablePool.query('delete from migrations where name = (select max(name) from migrations)')
      await migrate(url)
    },
  },
  users: {
    'server/src/features/session/actions.ts': ({ durableDb }) => durableDb.transaction().execute(lockUsers),
  },
  lists: {
    'server/src/features/deals/writing/ending.ts': async (databases) => {
      const client = await databases.patientPool.connect()
      const unlisted = { ids: [], hiddenIds: [], overIds: [], visible: 0, newestId: 0, observed: 0 }
      const how = { importId: 1, keepsHistory: false, isConfirmed: false, signal: undefined }
      await hideUnlisted(databases, client, unlisted, how).finally(() => client.release())
    },
  },
}

/** Nobody waits longer for a lock, in milliseconds; whoever is killed in the middle is let go of by the server before. */
const longestMs = 120_000
/** What these tests make of any limit, in milliseconds. */
const shortMs = 150

/** The limits that locks are waited for with, while none takes that long here. */
function shorten(): number[] {
  const limits: number[] = []
  const { query } = pg.Client.prototype
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [text, ...rest] = args
    const limit = typeof text === 'string' ? /^set local lock_timeout = (\d+)$/.exec(text)?.[1] : undefined
    if (limit === undefined) return Reflect.apply(query, this, args)
    limits.push(Number(limit))
    return Reflect.apply(query, this, [`set local lock_timeout = ${shortMs}`, ...rest])
  })
  return limits
}

afterEach(() => void vi.restoreAllMocks())

const databases = await testDatabases()

/** Every place in the register, as the structure check holds it against the code. */
const places = Object.entries(advisoryLocks).flatMap(([lock, { key, takenBy }]) =>
  takenBy.map((file: string) => ({ lock, key, file })),
)

test.each(places)('$file waits for the lock of $lock so long, and names who holds it', async (place) => {
  const { lock, key, file } = place
  // The register's own names, which its entries lose.
  const take = new Map(Object.entries(takers[lock as AdvisoryLock] ?? {})).get(file)
  if (!take) throw new Error(`${file} takes the lock of ${lock}, and no test says how`)
  const holder = new pg.Client({ connectionString: databases.url, application_name: 'left behind' })
  await holder.connect()
  whenDone(() => holder.end())
  const { rows } = await holder.query<{ pid: number }>(
    `select pg_backend_pid() as pid, pg_advisory_lock(${key})`,
  )
  const limits = shorten()
  const error = await take(databases).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(LockTimeoutError)
  expect(String(error)).toContain(`In the way is connection ${rows[0]?.pid} (application left behind, `)
  // None at all is a 0 to PostgreSQL.
  expect(limits.length).toBeGreaterThan(0)
  for (const limit of limits) {
    expect(limit).toBeGreaterThan(0)
    expect(limit).toBeLessThanOrEqual(longestMs)
  }
})

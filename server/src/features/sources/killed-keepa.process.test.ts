import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { DealdeckProcess } from '../../../testing/dealdeck-process.ts'
import {
  type KeepaServer,
  keepaDeal,
  keepaKey,
  keepaMinutes,
  keepaServer,
} from '../../../testing/keepa-server.ts'
import { makeSource, testBox, testSources } from '../../../testing/sources.ts'
import type { Databases } from '../../platform/database/database.ts'
import { JobRunner } from '../../platform/jobs/job-runner.ts'
import { secretPlaces } from '../../platform/secret-box.ts'
import { sourceRuns } from './jobs.ts'
import { keepaKind } from './kinds/keepa/keepa.ts'
import { keyHash } from './running/service-budget.ts'

const rows = 400
const pageTokens = 5
/** Fifteen seconds of silence and two beats, on a machine that may be busy. */
const takenOver = { timeout: 90_000, interval: 250 }

type Moment = {
  /** Keeps the first run where it is to be killed; the source's id. */
  stop(keepa: KeepaServer, databases: Databases, id: number): Promise<void>
  /** Whether it is there. */
  isThere(keepa: KeepaServer, databases: Databases): Promise<boolean>
  /** Lets the next run pass. */
  free(keepa: KeepaServer, databases: Databases): Promise<void>
  /** Pages that Keepa is asked for altogether. */
  pages: number[]
}

/** Statements that wait for this lock of the test's. */
const [isWaiting, endWaiting] = ['select 1', 'select pg_terminate_backend(pid)'].map(
  (what) =>
    `${what} from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
)
const untilWaiting = async ({ customPlanPool }: Databases) =>
  (await customPlanPool.query(isWaiting ?? '')).rows.length > 0
/** PostgreSQL goes on with what a killed process had sent; a server that is told of its end does not. */
const endBackends = ({ customPlanPool }: Databases) => customPlanPool.query(endWaiting ?? '')

/** A lock that the test keeps until it is freed, on a connection that may be idle for that long. */
async function holding({ url }: Databases, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`begin; ${statement}`)
  release = async () => {
    release = undefined
    await client.end()
  }
}
let release: (() => Promise<void>) | undefined
const freed = async (_: KeepaServer, databases: Databases) => {
  await endBackends(databases)
  await release?.()
}

const moments: [string, Moment][] = [
  [
    'a page is asked for and not answered',
    {
      stop: async (keepa) => {
        keepa.holdsPage = 1
      },
      isThere: async ({ asked }) => asked.some(({ question }) => question?.page === 1),
      free: async (keepa) => {
        keepa.holdsPage = null
      },
      pages: [0, 1, 1, 2],
    },
  ],
  [
    'a page is read and not stored',
    {
      stop: (_, databases) => holding(databases, 'lock table deals in share row exclusive mode'),
      isThere: (_, databases) => untilWaiting(databases),
      free: freed,
      pages: [0, 0, 1, 2],
    },
  ],
  [
    'a page is stored and where to go on is not',
    {
      stop: async (_, databases, id) => {
        await databases.durablePool.query(
          `create table stop_here (); create function stop_here() returns trigger language plpgsql as
             'begin if new.id = ${id} then lock table stop_here in share mode; end if; return new; end';
           create trigger stop_here before update of position on sources for each row execute function stop_here()`,
        )
        await holding(databases, 'lock table stop_here in access exclusive mode')
      },
      isThere: (_, databases) => untilWaiting(databases),
      free: freed,
      pages: [0, 0, 1, 2],
    },
  ],
]

test.each(moments)(
  'killed while %s, a run of Keepa is taken up: no token is counted twice and no row lost',
  {
    timeout: 180_000,
  },
  async (_, { stop, isThere, free, pages }) => {
    const [databases, keepa] = [await testDatabases(), await keepaServer()]
    const lastUpdate = keepaMinutes(new Date().toISOString()) - 60
    keepa.deals = Array.from({ length: rows }, (__, at) =>
      keepaDeal(`B0${String(at).padStart(8, '0')}`, { 0: 2_000 }, { lastUpdate: lastUpdate - (at % 300) }),
    )
    const id = await makeSource(databases, { kind: 'keepa' })
    const sealed = await testBox.seal(JSON.stringify({ api_key: keepaKey }), secretPlaces.source(id))
    await databases.durablePool.query(
      `update sources set secrets = $2, secret_names = '{api_key}' where id = $1`,
      [id, sealed],
    )
    await stop(keepa, databases, id)
    const killed = new DealdeckProcess('../testing/source-process.ts', [], {
      ...{ DATABASE_URL: databases.url, KEEPA: keepa.base },
    })
    onTestFinished(async () => {
      killed.kill('SIGKILL')
      await killed.ended()
      await release?.()
    })
    await expect.poll(() => isThere(keepa, databases), takenOver).toBe(true)
    // Another process, which is this one.
    const deps = testSources(databases, async () => ({ state: 'done' }), { kinds: [keepaKind(keepa)] })
    const other = new JobRunner(databases, [sourceRuns(deps)], deps.log)
    onTestFinished(() => other.stop())
    other.start()
    killed.kill('SIGKILL')
    await killed.ended()
    const killedAt = Date.now()
    await free(keepa, databases)

    const runs = async () =>
      (await databases.customPlanPool.query('select state, started_at, cost from source_runs order by id'))
        .rows
    await expect
      .poll(async () => (await runs()).map(({ state }) => state), takenOver)
      .toEqual(['failed', 'done'])
    const [, next] = await runs()
    expect((next.started_at.getTime() - killedAt) / 1_000).toBeLessThan(30)

    expect(keepa.asked.map(({ question }) => question?.page)).toEqual(pages)
    const { rows: stored } = await databases.customPlanPool.query(
      `select (select count(*) from deals) as deals, (select count(*) from price_points) as points,
       tokens, refill_per_minute, reservations from service_budgets where key_hash = $1`,
      [keyHash(`keepa:${keepaKey}`)],
    )
    // What Keepa took, it took once for each page that it was asked for, and we know of every one.
    expect(keepa.tokens.left).toBe(300 - pages.length * pageTokens)
    expect(stored).toEqual([
      { deals: rows, points: rows, tokens: keepa.tokens.left, refill_per_minute: 5, reservations: [] },
    ])
  },
)

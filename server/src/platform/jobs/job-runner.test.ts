import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { whenDone } from '../../../testing/cleanup.ts'
import { testDatabases } from '../../../testing/database.ts'
import { type Databases, openDatabases } from '../database/database.ts'
import { type JobKind, jobKind } from './job-kinds.ts'
import { JobRunner } from './job-runner.ts'
import { queueSchema } from './queue-schema.ts'

const limits = { retries: 3, timeLimitSeconds: 60, concurrency: 1 }

/** A kind whose work are the rows of a table, and which pieces were done, in order. */
async function todos(databases: Databases, work: (id: number, signal: AbortSignal) => unknown = () => {}) {
  await databases.durablePool.query('create table if not exists todo (id int primary key)')
  const done: number[] = []
  const kind = jobKind({
    name: 'todo',
    payload: z.strictObject({ id: z.number() }),
    limits,
    lookEverySeconds: 0,
    due: async () => (await databases.durablePool.query('select id from todo order by id')).rows,
    async run({ id }, signal) {
      await work(id, signal)
      const { rowCount } = await databases.durablePool.query('delete from todo where id = $1', [id])
      if (rowCount === 1) done.push(id)
    },
  })
  const add = (...ids: number[]) =>
    databases.durablePool.query('insert into todo select unnest($1::int[])', [ids])
  return { kind, done, add }
}

/** A runner that looks when the test says so, and what it writes to its log. */
function runner(databases: Databases, ...kinds: JobKind[]) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const jobs = new JobRunner(databases, kinds, log)
  whenDone(() => jobs.stop())
  return Object.assign(jobs, { lines })
}

const waiting = async ({ durablePool }: Databases) =>
  (await durablePool.query(`select data ->> 'id' as id, state::text from ${queueSchema}.job order by 1`)).rows

/** What became of the jobs of all kinds. */
function sum(...runners: JobRunner[]) {
  const all = runners.flatMap(({ figures }) => figures.map(([, of]) => of))
  const add = (name: 'done' | 'failed' | 'running') => all.reduce((total, of) => total + of[name], 0)
  return { done: add('done'), failed: add('failed'), running: add('running') }
}

test('what our own tables say is to be done is done once, whoever looks and however often', async () => {
  const databases = await testDatabases()
  const gate = Promise.withResolvers<void>()
  const { kind, done, add } = await todos(databases, () => gate.promise)
  const [one, two] = [runner(databases, kind), runner(databases, kind)]
  await add(1, 2, 3)
  for (const jobs of [one, two, one, two]) await jobs.look()
  await Promise.all([one.look(), two.look()])
  expect((await waiting(databases)).map(({ id }) => id)).toEqual(['1', '2', '3'])
  gate.resolve()
  await expect.poll(() => done.toSorted()).toEqual([1, 2, 3])
  await expect.poll(() => sum(one, two)).toEqual({ done: 3, failed: 0, running: 0 })
  await one.look()
  expect(one.figures[0]?.[1].due).toBe(0)
})

test('a lost queue is filled again from our own tables', async () => {
  const databases = await testDatabases()
  let isStuck = true
  const { kind, done, add } = await todos(
    databases,
    (_, signal) => isStuck && sleep(60_000, null, { signal }),
  )
  const first = runner(databases, kind)
  await add(1, 2)
  await first.look()
  await expect
    .poll(async () => (await waiting(databases)).map(({ state }) => state))
    .toEqual(['active', 'created'])
  await databases.durablePool.query(`delete from ${queueSchema}.job`)
  await first.stop()
  expect(await waiting(databases)).toEqual([])
  isStuck = false
  await runner(databases, kind).look()
  await expect.poll(() => done).toEqual([1, 2])
})

test('an end gives back what is under way, and another process takes it at once', async () => {
  const databases = await testDatabases()
  let isStuck = true
  const { kind, done, add } = await todos(
    databases,
    (_, signal) => isStuck && sleep(60_000, null, { signal }),
  )
  const [ending, other] = [runner(databases, kind), runner(databases, kind)]
  await add(1)
  await ending.look()
  await expect.poll(() => ending.figures[0]?.[1].running).toBe(1)
  await ending.stop()
  expect(await waiting(databases)).toEqual([{ id: '1', state: 'retry' }])
  isStuck = false
  await other.look()
  await expect.poll(() => done).toEqual([1])
  expect([...ending.lines, ...other.lines]).toEqual([])
})

test('what fails is tried again at the next look, with one line in the log, and hinders no other kind', async () => {
  const databases = await testDatabases()
  let tries = 0
  const { kind, done, add } = await todos(databases, () => {
    tries += 1
    if (tries < 3) throw new Error('Not yet')
  })
  const blind = jobKind({
    ...{ name: 'blind', payload: z.strictObject({}), limits, lookEverySeconds: 0 },
    due: () => Promise.reject(new Error('It can not look')),
    run: () => Promise.resolve(),
  })
  const jobs = runner(databases, blind, kind)
  await add(1)
  for (const count of [1, 2, 3]) {
    await jobs.look()
    await expect.poll(() => tries).toBe(count)
    await expect
      .poll(async () => (await waiting(databases))[0]?.state)
      .toBe(count < 3 ? 'retry' : 'completed')
  }
  expect(done).toEqual([1])
  expect(jobs.figures.at(1)?.[1]).toMatchObject({ done: 1, failed: 2, running: 0 })
  expect(jobs.lines).toEqual(['Work in the background fails', 'Work in the background fails'])
})

test('what takes longer than it may is told to end, and is tried again', async () => {
  const databases = await testDatabases()
  let tries = 0
  const slow = jobKind({
    ...{ name: 'slow', payload: z.strictObject({}), lookEverySeconds: 0, due: async () => [{}] },
    limits: { ...limits, timeLimitSeconds: 1 },
    async run(_, signal) {
      tries += 1
      if (tries === 1) await sleep(60_000, null, { signal }).catch(() => {})
    },
  })
  const jobs = runner(databases, slow)
  await jobs.look()
  await expect.poll(async () => (await waiting(databases))[0]?.state).toBe('retry')
  await jobs.look()
  await expect.poll(() => sum(jobs)).toEqual({ done: 1, failed: 1, running: 0 })
})

test('what goes on past its time limit counts as failed at the limit, with a line, and not again when it ends', async () => {
  const databases = await testDatabases()
  const returning = Promise.withResolvers<void>()
  whenDone(async () => returning.resolve())
  const stuck = jobKind({
    ...{ name: 'stuck', payload: z.strictObject({}), lookEverySeconds: 0, due: async () => [{}] },
    limits: { ...limits, timeLimitSeconds: 1 },
    run: () => returning.promise,
  })
  const jobs = runner(databases, stuck)
  await jobs.look()
  await expect.poll(() => sum(jobs)).toEqual({ done: 0, failed: 1, running: 1 })
  expect(jobs.lines).toEqual(['Work in the background fails'])
  returning.resolve()
  await expect.poll(() => sum(jobs)).toEqual({ done: 0, failed: 1, running: 0 })
  expect(jobs.lines).toHaveLength(1)
})

test('a payload of another shape is refused', async () => {
  const { kind } = await todos(await testDatabases())
  await expect(kind.run({ id: 'one' }, new AbortController().signal)).rejects.toThrow(/id/)
})

test.each(['away', 'read_only'] as const)(
  'while the database is %s nothing is asked and nothing is said, and it goes on by itself',
  async (state) => {
    // One that may lose its connections.
    const databases = openDatabases((await testDatabases()).url, () => {})
    whenDone(() => databases.close())
    const { watch } = databases
    const { kind, done, add } = await todos(databases)
    const jobs = runner(databases, kind)
    jobs.start()
    await add(1)
    await jobs.look()
    await expect.poll(() => done).toEqual([1])
    if (state === 'away') watch.away()
    else watch.answers({ isReadOnly: true })
    const asked = vi.spyOn(databases.reservedPool, 'query')
    await jobs.look()
    expect([asked.mock.calls, jobs.lines]).toEqual([[], []])
    if (state === 'away') await expect.poll(() => databases.reservedPool.totalCount).toBe(0)
    watch.answers({ isReadOnly: false })
    await add(2)
    await jobs.look()
    await expect.poll(() => done).toEqual([1, 2])
    expect(jobs.lines).toEqual([])
  },
)

test.each([
  ['emptied', `truncate ${queueSchema}.queue, ${queueSchema}.job cascade`],
  ['dropped', `drop schema ${queueSchema} cascade`],
])('a queue that is %s under a process at work is made anew by it', async (_, statement) => {
  const databases = await testDatabases()
  const { kind, done, add } = await todos(databases)
  const jobs = runner(databases, kind)
  await add(1)
  await jobs.look()
  await expect.poll(() => done).toEqual([1])
  await databases.durablePool.query(statement)
  await add(2)
  await jobs.look()
  await jobs.look()
  await expect.poll(() => done).toEqual([1, 2])
})

test('a queue of another version is left alone, which is said once', async () => {
  const databases = await testDatabases()
  const { kind, done, add } = await todos(databases)
  await databases.durablePool.query(`update ${queueSchema}.version set version = version + 1`)
  await add(1)
  const jobs = runner(databases, kind)
  await jobs.look()
  await jobs.look()
  expect([done, jobs.lines]).toEqual([[], ['Work in the background fails']])
  await databases.durablePool.query(`update ${queueSchema}.version set version = version - 1`)
  await jobs.look()
  await expect.poll(() => done).toEqual([1])
  expect(jobs.lines.at(-1)).toBe('Work in the background goes on')
  // A newer build may also come while this one is at work.
  await databases.durablePool.query(`update ${queueSchema}.version set version = version + 1`)
  await add(2)
  await jobs.look()
  expect([done, jobs.lines.at(-1)]).toEqual([[1], 'Work in the background fails'])
})

test('two kinds of one name are refused', async () => {
  const databases = await testDatabases()
  const { kind } = await todos(databases)
  expect(() => runner(databases, kind, kind)).toThrow(/one name/)
})

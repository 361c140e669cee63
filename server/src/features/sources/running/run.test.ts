import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { FetchError } from '../../../platform/outgoing/safe-fetch.ts'
import type { RunContext, RunOutcome } from '../kinds/source-kind.ts'
import { listSources } from '../queries.ts'
import { makeDue } from './claims.ts'
import { runSource } from './run.ts'

const databases = await testDatabases()
const { signal } = new AbortController()
const list = { isWhole: true, listsAll: false }

const sourceOf = async (id: number) =>
  databases.db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const handing =
  (rows: object[]) =>
  async (context: RunContext): Promise<RunOutcome> => {
    await context.hand({ body: rows, ...list })
    return { state: 'done' }
  }

test('a run imports what the kind hands over, and says what became of it', async () => {
  const items = nextAsins(3)
  const deps = testSources(databases, async (context) => {
    expect(await context.hand({ body: [...rowsOf(items), { asin: 'none', price: 1 }], ...list })).toEqual({
      ...{ received: 4, created: 3, updated: 0, unchanged: 0, rejected: 1, held: 0 },
    })
    await context.savePosition({ page: 2 })
    return { state: 'done', text: 'Read.', notes: ['A note.'], cost: '3 tokens' }
  })
  const id = await makeSource(databases, { name: 'A list' })
  const run = await runNow(deps, id)
  expect(run).toMatchObject({
    state: 'done',
    received: 4,
    created: 3,
    rejected: 1,
    text: 'Read.',
    cost: '3 tokens',
  })
  expect(run.notes).toContain('A note.')
  const { rows } = await databases.customPlanPool.query(
    'select source, handed_in_by, created from imports where id = $1',
    [run.import_ids[0]],
  )
  expect(rows).toEqual([{ source: 'A list', handed_in_by: 'source A list', created: 3 }])
  expect(await sourceOf(id)).toMatchObject({
    state: 'ok',
    position: { page: 2 },
    running_id: null,
    failures: 0,
  })
  const [source] = await listSources(databases.db, deps)
  expect(source).toMatchObject({
    state: 'ok',
    new_per_day: expect.arrayContaining([3]),
    last_run: { id: run.id },
  })
})

test('failures are said in words, and it is tried again ever more seldom, for ever', async () => {
  const deps = testSources(databases, async () => {
    throw new FetchError('name', 'There is no such host.')
  })
  const id = await makeSource(databases)
  const pauses: number[] = []
  for (let attempt = 0; attempt < 9; attempt++) {
    expect(await runNow(deps, id)).toMatchObject({ state: 'failed', text: 'There is no such host.' })
    const { next_run_at } = await sourceOf(id)
    pauses.push(Math.round(((next_run_at?.getTime() ?? 0) - Date.now()) / 60_000))
  }
  const near = (minutes: number) => [minutes * 0.9 - 1, minutes * 1.1 + 1] as const
  for (const [at, minutes] of [15, 30, 60, 120, 240, 480, 960, 1440, 1440].entries()) {
    const [least, most] = near(minutes)
    expect(pauses[at]).toBeGreaterThanOrEqual(least)
    expect(pauses[at]).toBeLessThanOrEqual(most)
  }
  const [source] = (await listSources(databases.db, deps)).filter((one) => one.id === id)
  expect(source).toMatchObject({ state: 'failing', failing_since: expect.any(String) })
  expect(source?.state_text).toMatch(/^There is no such host\. It is tried again at 20[-\d]+T\d\d:\d\dZ\.$/)
})

test('a source that has worked and fails once waits, and is failing when it does so again, or where only a person can help', async () => {
  let outcome: RunOutcome = { state: 'done' }
  const deps = testSources(databases, async () => outcome)
  const id = await makeSource(databases)
  const ranWith = async (next: RunOutcome) => {
    outcome = next
    await runNow(deps, id)
    return sourceOf(id)
  }
  const trouble: RunOutcome = { state: 'failed', text: 'The server has trouble of its own (500).' }
  await ranWith({ state: 'done' })
  const once = { state: 'waiting', state_text: trouble.text, failures: 1, failing_since: null }
  const first = await ranWith(trouble)
  expect(first).toMatchObject(once)
  expect(await ranWith(trouble)).toMatchObject({ state: 'failing', failing_since: first.last_run_at })
  expect(await ranWith({ state: 'done' })).toMatchObject({ state: 'ok', failures: 0, failing_since: null })
  expect(await ranWith(trouble)).toMatchObject(once)
  await ranWith({ state: 'done' })
  expect(await ranWith({ ...trouble, isPermanent: true })).toMatchObject({ state: 'failing' })
})

test('waiting is no failure, and nobody asks again before the service says so', async () => {
  const notBefore = new Date(Date.now() + 3 * 3_600_000)
  const deps = testSources(databases, async () => ({
    state: 'waiting',
    text: 'Waits for tokens.',
    notBefore,
  }))
  const id = await makeSource(databases)
  await runNow(deps, id)
  expect(await sourceOf(id)).toMatchObject({
    state: 'waiting',
    failures: 0,
    failing_since: null,
    next_run_at: notBefore,
  })
})

test.each<RunOutcome>([
  { state: 'failed', text: 'The key is wrong.', isPermanent: true },
  { state: 'not_eligible', text: 'The account may not ask.' },
])('what only a person can put right is tried once a day: $state', async (outcome) => {
  const id = await makeSource(databases)
  await runNow(
    testSources(databases, async () => outcome),
    id,
  )
  const hours = (((await sourceOf(id)).next_run_at?.getTime() ?? 0) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(21)
})

test('a document that can’t be read is a failure, and so is what nobody has thought of', async () => {
  const id = await makeSource(databases)
  const broken = testSources(databases, async (context) => {
    await context.hand({ body: page(), ...list })
    return { state: 'done' }
  })
  expect(await runNow(broken, id)).toMatchObject({
    state: 'failed',
    text: expect.stringContaining('web page'),
  })
})

async function* page() {
  yield new TextEncoder().encode('<html>')
}

test('two runners, and then four, ask each source once', async () => {
  const items = nextAsins(40)
  let asked = 0
  const deps = testSources(databases, async (context) => {
    asked += 1
    await context.hand({ body: rowsOf(items), ...list })
    return { state: 'done' }
  })
  for (const runners of [2, 4]) {
    asked = 0
    const id = await makeSource(databases)
    const ran = await Promise.all(Array.from({ length: runners }, () => runSource(deps, id, signal)))
    expect([asked, ran.filter((run) => run !== undefined).length]).toEqual([1, 1])
    const { rows } = await databases.customPlanPool.query(
      'select count(*) as runs from source_runs where source_id = $1',
      [id],
    )
    expect(rows).toEqual([{ runs: 1 }])
  }
})

test('a source that is changed under a run is not written by it any more', async () => {
  const deps = testSources(databases, async (context) => {
    await databases.durablePool.query(
      'update sources set running_id = null, running_at = null where id = $1',
      [id],
    )
    await context.savePosition('old')
    return { state: 'done' }
  })
  const id = await makeSource(databases)
  expect(await runSource(deps, id, signal)).toBeUndefined()
  expect(await sourceOf(id)).toMatchObject({ position: null, state: 'new' })
})

test('a source whose runner fell silent is asked by another, and the first one’s run has ended', async () => {
  const id = await makeSource(databases)
  const silent = async (seconds: number) =>
    databases.durablePool.query(
      `with run as (insert into source_runs (source_id, state) values ($1, 'running') returning id)
       update sources set running_id = run.id, running_at = now() - $2 * interval '1 second' from run where sources.id = $1`,
      [id, seconds],
    )
  const deps = testSources(databases, handing(rowsOf(nextAsins(1))))
  await silent(10)
  expect(await runSource(deps, id, signal)).toBeUndefined()
  await silent(16)
  expect(await runSource(deps, id, signal)).toBeDefined()
  await databases.durablePool.query(`update sources set next_run_at = now() where id = $1`, [id])
  // The clock was put back.
  await silent(-86_400)
  expect(await runSource(deps, id, signal)).toBeDefined()
  const { rows } = await databases.customPlanPool.query(
    'select state, text from source_runs where source_id = $1 order by id',
    [id],
  )
  const failed = { state: 'failed', text: expect.stringContaining('ended in the middle') }
  const done = { state: 'done', text: null }
  expect(rows.slice(1)).toEqual([failed, done, failed, done])
})

test('a run that somebody asked for, and that fails, makes the next ones no rarer', async () => {
  const deps = testSources(databases, async () => {
    throw new FetchError('name', 'There is no such host.')
  })
  const id = await makeSource(databases)
  const minutes = async () => ((await sourceOf(id)).next_run_at?.getTime() ?? 0) - Date.now()
  await runNow(deps, id)
  await runNow(deps, id)
  expect((await sourceOf(id)).failures).toBe(2)
  for (let time = 0; time < 3; time++) {
    await makeDue(databases, id)
    await runSource(deps, id, new AbortController().signal)
    expect((await sourceOf(id)).failures).toBe(2)
    expect((await minutes()) / 60_000).toBeLessThan(34)
  }
  // The next one is nobody's.
  await runNow(deps, id)
  expect((await sourceOf(id)).failures).toBe(3)
})

test('a source whose rows are all refused has not worked, nor while it says the same', async () => {
  const asin = nextAsin()
  let body: object[] = []
  let state: 'done' | 'unchanged' = 'done'
  const deps = testSources(databases, async ({ hand }) => {
    if (state === 'done') await hand({ body, isWhole: true, listsAll: false })
    return { state }
  })
  const id = await makeSource(databases)
  body = [{ asin, title: 'Folding lantern' }, ...rowsOf(['none'])]
  const text = expect.stringMatching(
    /^All 2 rows were refused: .*\(1\), .*\(1\)\. Nothing of it becomes a deal\.$/,
  )
  expect(await runNow(deps, id)).toMatchObject({ state: 'failed', text, received: 2, rejected: 2 })
  state = 'unchanged'
  expect(await runNow(deps, id)).toMatchObject({ state: 'failed', text })
  expect(await sourceOf(id)).toMatchObject({ state: 'failing', state_text: text, failures: 2 })
  state = 'done'
  body = [{ asin, title: 'Folding lantern' }, ...rowsOf([asin])]
  expect(await runNow(deps, id)).toMatchObject({ state: 'done', rejected: 1, created: 1 })
  state = 'unchanged'
  expect(await runNow(deps, id)).toMatchObject({ state: 'unchanged' })
  expect(await sourceOf(id)).toMatchObject({ state: 'ok', failures: 0 })
})

test('of a service that lists news, a page without a deal is nothing wrong', async () => {
  const deps = testSources(databases, async ({ hand }) => {
    await hand({ body: rowsOf(['none']), isWhole: false, listsAll: false })
    return { state: 'done' }
  })
  const id = await makeSource(databases)
  expect(await runNow(deps, id)).toMatchObject({ state: 'done', rejected: 1 })
})

test('time in which a source was not heard is counted once, however often it was asked in vain', async () => {
  const outcome: { state: 'waiting' | 'unchanged' } = { state: 'waiting' }
  const deps = testSources(databases, async () => outcome)
  const id = await makeSource(databases)
  await databases.durablePool.query(
    `update sources set last_success_at = now() - interval '26 hours', last_new_at = now() - interval '26 hours',
       rhythm = '{"days": {}, "gap_minutes": 15, "gaps": 10}' where id = $1`,
    [id],
  )
  for (let time = 0; time < 3; time++) await runNow(deps, id)
  const waiting = await sourceOf(id)
  expect(waiting).toMatchObject({ rhythm: { lost_minutes: 0 } })
  // As soon as before, and nobody says that nothing new came.
  expect(Number(waiting.next_run_at) - Date.now()).toBeLessThan(3_600_000)
  expect((await listSources(databases.db, deps)).find((source) => source.id === id)).toMatchObject({
    is_silent: false,
  })
  outcome.state = 'unchanged'
  for (let time = 0; time < 2; time++) await runNow(deps, id)
  // But for the time until it was to be asked twice.
  expect(await sourceOf(id)).toMatchObject({ rhythm: { lost_minutes: expect.closeTo(26 * 60 - 30, 0) } })
})

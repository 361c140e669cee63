import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { kindThat, makeSource, rowsOf, runNow, testBox, testSources } from '../../../testing/sources.ts'
import type { RunContext, RunOutcome } from './kinds/source-kind.ts'

let run: (context: RunContext) => Promise<RunOutcome> = async () => ({ state: 'done' })
const { app, databases, signIn } = await buildTestApp({
  sources: { kinds: [kindThat((context) => run(context))], secrets: testBox },
})
const { headers } = await signIn('admin')
const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}
const sources = '/api/sources'
let counter = 0
const input = (more: object = {}) => ({ kind: 'address', name: `List ${counter++}`, settings: {}, ...more })

test('a source is added, shown, changed and removed, and its secrets never come out', async () => {
  const { status, body } = await call('POST', sources, input({ secrets: { key: 'very secret' } }))
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      ...{ state: 'new', secrets: ['key'], settings: { url: 'https://deals.example/list' }, last_run: null },
      ...{ interval_from: 15, interval_to: 1_440, new_per_day: Array(14).fill(0), is_silent: false },
    }),
  ])
  const { rows } = await databases.customPlanPool.query('select secrets from sources where id = $1', [
    body.id,
  ])
  expect(await testBox.open(rows[0].secrets, `sources.secrets ${body.id}`)).toBe('{"key":"very secret"}')
  const changed = await call('PATCH', `${sources}/${body.id}`, {
    ...{ name: 'Another', interval_from: 30, secrets: { key: '' }, expected_updated_at: body.updated_at },
  })
  expect(changed.body).toMatchObject({ name: 'Another', interval_from: 30, secrets: [] })
  const late = await call('PATCH', `${sources}/${body.id}`, { expected_updated_at: body.updated_at })
  expect([late.status, late.body.code]).toEqual([409, 'CONFLICT'])
  expect((await call('DELETE', `${sources}/${body.id}`)).status).toBe(204)
  expect((await call('GET', `${sources}/${body.id}/runs`)).status).toBe(404)
  const list = await call('GET', sources)
  expect(JSON.stringify(list.body)).not.toContain('secret"')
})

test('what is wrong with settings and secrets is said by field', async () => {
  const wrong = await call('POST', sources, input({ settings: { url: 'nonsense' } }))
  expect([wrong.status, wrong.body.fields]).toEqual([400, { 'settings.url': 'must be an address' }])
  const keyless = await call('POST', sources, input({ settings: { url: 'https://members.example/' } }))
  expect(keyless.body.fields).toEqual({ 'secrets.key': 'is needed for this address' })
  const long = await call(
    'POST',
    sources,
    input({
      settings: { url: 'x'.repeat(4_001), words: Array(501).fill('x'), titles: ['x'.repeat(301)] },
      secrets: { key: 'x'.repeat(4_001) },
    }),
  )
  expect(long.body.fields).toEqual({
    'settings.url': 'must have at most 4,000 characters',
    'settings.words': 'must be a text, a number, true, false, or at most 500 lines',
    'settings.titles.0': 'must have at most 300 characters',
    'secrets.key': 'must have at most 4,000 characters',
  })
  const unknown = await call('POST', sources, input({ secrets: { other: 'x' } }))
  expect(unknown.body.fields).toEqual({ 'secrets.other': 'is not known here' })
  const kindless = await call('POST', sources, input({ kind: 'feed' }))
  expect(kindless.body.fields).toEqual({ kind: 'is not known here' })
  const backwards = await call('POST', sources, input({ interval_from: 60, interval_to: 30 }))
  expect(backwards.body.fields).toEqual({ interval_to: 'must not be less than the shortest one' })
})

test('a name is given once, however it is written', async () => {
  const { body } = await call('POST', sources, input({ name: 'Lanterns' }))
  const again = await call('POST', sources, input({ name: 'lanterns' }))
  expect([again.status, again.body]).toEqual([
    409,
    {
      code: 'CONFLICT',
      message: "There is a source with the name 'lanterns' already.",
      fields: { name: 'is taken' },
    },
  ])
  // Its own name stays.
  expect((await call('PATCH', `${sources}/${body.id}`, { name: 'LANTERNS' })).status).toBe(200)
})

test('a paused source is not asked, and goes on at once when it is let', async () => {
  const { body } = await call('POST', sources, input({ is_paused: true }))
  expect(body).toMatchObject({
    state: 'paused',
    next_run_at: null,
    state_text: 'It is paused: nobody asks it.',
  })
  const refused = await call('POST', `${sources}/${body.id}/run`)
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT'])
  const resumed = await call('PATCH', `${sources}/${body.id}`, { is_paused: false })
  expect(resumed.body.next_run_at).not.toBeNull()
})

test('other settings begin a source anew, another name does not', async () => {
  const id = await makeSource(databases)
  const deps = testSources(databases, async ({ savePosition }) => {
    await savePosition('page 7')
    return { state: 'done' }
  })
  await runNow(deps, id)
  const stored = async () =>
    (
      await databases.customPlanPool.query(
        'select position, next_run_at <= now() as is_due from sources where id = $1',
        [id],
      )
    ).rows
  await call('PATCH', `${sources}/${id}`, { name: 'Only the name' })
  expect(await stored()).toEqual([{ position: 'page 7', is_due: false }])
  await call('PATCH', `${sources}/${id}`, { settings: { url: 'https://deals.example/other' } })
  expect(await stored()).toEqual([{ position: null, is_due: true }])
})

test('what fails with other settings is failing, though the source has worked with those before', async () => {
  const id = await makeSource(databases)
  await runNow(
    testSources(databases, async () => ({ state: 'done' })),
    id,
  )
  await call('PATCH', `${sources}/${id}`, { settings: { url: 'https://deals.example/mistyped' } })
  const text = 'There is nothing at this address (404).'
  await runNow(
    testSources(databases, async () => ({ state: 'failed', text })),
    id,
  )
  const [source] = await databases.db.selectFrom('sources').selectAll().where('id', '=', id).execute()
  expect(source).toMatchObject({ state: 'failing', state_text: text, failing_since: expect.any(Date) })
})

test('runs come in pages, the newest first', async () => {
  const id = await makeSource(databases)
  const deps = testSources(databases, async () => ({ state: 'unchanged' }))
  for (let count = 0; count < 3; count++) await runNow(deps, id)
  const first = (await call('GET', `${sources}/${id}/runs?limit=2`)).body
  expect(first.items).toMatchObject([{ state: 'unchanged' }, { state: 'unchanged' }])
  const rest = (await call('GET', `${sources}/${id}/runs?limit=2&cursor=${first.next_cursor}`)).body
  expect([rest.items.length, rest.next_cursor]).toEqual([1, null])
})

test('trying shows ten rows with stored secrets, and stores nothing', async () => {
  const settings = { url: 'https://members.example/' }
  const { body } = await call('POST', sources, input({ settings, secrets: { key: 'kept' }, is_paused: true }))
  const items = Array.from({ length: 30 }, (_, at) => `B0TRY${String(at).padStart(5, '0')}`)
  run = async (context) => {
    expect([context.isTry, context.secrets]).toEqual([true, { key: 'kept' }])
    await context.hand({ body: rowsOf(items), isWhole: true, listsAll: true })
    await context.savePosition('nowhere')
    return { state: 'done', cost: '1 token', lists: [{ path: '$.a', rows: 30 }] }
  }
  const asked = { kind: 'address', settings, source_id: body.id }
  const tried = await call('POST', `${sources}/try`, asked)
  expect(tried.body).toMatchObject({
    problem: null,
    cost: '1 token',
    lists: [{ rows: 30 }],
    preview: { received: 30 },
  })
  expect(tried.body.preview.rows).toHaveLength(10)
  run = async () => ({ state: 'failed', text: 'The key is wrong.' })
  expect((await call('POST', `${sources}/try`, asked)).body).toMatchObject({
    problem: 'The key is wrong.',
    preview: null,
  })
  const { rows } = await databases.customPlanPool.query(
    `select (select count(*) from deals where asin like 'B0TRY%') as deals, (select count(*) from source_runs where source_id = $1) as runs`,
    [body.id],
  )
  expect(rows).toEqual([{ deals: 0, runs: 0 }])
})

test('secrets are sent to another server only when they are entered again', async () => {
  const { body } = await call('POST', sources, input({ secrets: { key: 'very secret' } }))
  const elsewhere = { url: 'https://elsewhere.example/list' }
  const refused = { 'secrets.key': 'must be entered again, as the address is on another server' }
  const one = `${sources}/${body.id}`
  const change = await call('PATCH', one, { settings: elsewhere })
  expect([change.status, change.body.fields]).toEqual([400, refused])
  let sent: unknown
  run = async (context) => {
    sent = context.secrets.key
    return { state: 'done' }
  }
  const tried = (settings: object, secrets: object = {}) =>
    call('POST', `${sources}/try`, { kind: 'address', settings, secrets, source_id: body.id })
  const answer = await tried(elsewhere)
  expect([answer.status, answer.body.fields, sent]).toEqual([400, refused, undefined])
  expect((await tried({ url: 'https://deals.example/other' })).status).toBe(200)
  expect(sent).toBe('very secret')
  expect((await tried(elsewhere, { key: 'new' })).status).toBe(200)
  expect(sent).toBe('new')
  expect((await call('PATCH', one, { settings: { url: 'https://deals.example/other' } })).status).toBe(200)
  expect((await call('PATCH', one, { settings: elsewhere, secrets: { key: '' } })).body.secrets).toEqual([])
})

test('how often a source is asked counts from now on, for its next run too', async () => {
  const source = await makeSource(databases)
  const minutesAhead = async (change: object) => {
    const { body } = await call('PATCH', `${sources}/${source}`, change)
    return Math.round((Date.parse(body.next_run_at) - Date.now()) / 60_000)
  }
  await databases.durablePool.query(
    `update sources set next_run_at = now() + interval '15 minutes', last_success_at = now(), interval_from = 15, interval_to = 1440,
     state = 'ok' where id = $1`,
    [source],
  )
  expect(await minutesAhead({ interval_from: 120 })).toBe(120)
  expect(await minutesAhead({ interval_from: 5, interval_to: 10 })).toBe(10)
  expect(await minutesAhead({ name: `Paced ${source}` })).toBe(10)
  // What it was told by whom it asks stays.
  await databases.durablePool.query(
    `update sources set next_run_at = now() + interval '90 minutes', failures = 2 where id = $1`,
    [source],
  )
  expect(await minutesAhead({ interval_to: 20 })).toBe(90)
})

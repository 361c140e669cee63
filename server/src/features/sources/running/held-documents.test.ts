import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin, nextAsins } from '../../../../testing/factories.ts'
import { kindThat, makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { readSettings } from '../../../platform/settings.ts'
import { refuseRows } from '../../quarantine/actions.ts'
import { changeSource } from '../actions.ts'
import type { RunContext, RunOutcome } from '../kinds/source-kind.ts'
import { DocumentTexts } from './document-texts.ts'

const databases = await testDatabases()
let body: object[] = []
let outcome: RunOutcome = { state: 'done' }
const run = async (context: RunContext) => {
  if (outcome.state === 'done') await context.hand({ body, isWhole: true, listsAll: false })
  return outcome
}
const deps = testSources(databases, run)
const actor = { id: 1, username: 'somebody' }
const priced = (more: object = {}) => ({ ...rowsOf([nextAsin()])[0], ...more })
const sourceOf = async (id: number) =>
  databases.db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a source whose rows are all of other shops works, and says that nothing comes of it', async () => {
  const id = await makeSource(databases)
  body = [priced({ currency: 'EUR' }), priced({ currency: 'EUR' }), priced({ marketplace: 'amazon.de' })]
  const held =
    'All 3 rows were held: another currency: EUR (2), another marketplace: amazon.de (1). Nothing of it becomes a deal unless somebody lets it through.'
  const text = `${held} 3 rows went into quarantine.`
  expect(await runNow(deps, id)).toMatchObject({ state: 'done', text, received: 3, held: 3, rejected: 0 })
  expect(await sourceOf(id)).toMatchObject({ state: 'ok', state_text: text, failures: 0 })
  // Nor while it says the same.
  outcome = { state: 'unchanged' }
  expect(await runNow(deps, id)).toMatchObject({ state: 'unchanged', text: held })
  expect(await sourceOf(id)).toMatchObject({ state: 'ok', state_text: held })
  outcome = { state: 'done' }
  body = [...body, priced()]
  expect(await runNow(deps, id)).toMatchObject({ created: 1, text: '3 rows went into quarantine.' })
  outcome = { state: 'unchanged' }
  expect(await runNow(deps, id)).toMatchObject({ text: null })
  outcome = { state: 'done' }
})

test.each<[string, [held: number, refusedBefore: number, shops: [string, number][]], string | null]>([
  ['no row', [0, 0, []], null],
  [
    'one row',
    [1, 0, [['another currency: EUR', 1]]],
    'Its only row was held: another currency: EUR (1). Nothing of it becomes a deal unless somebody lets it through.',
  ],
  [
    'all were refused before',
    [0, 2, []],
    'All 2 rows were left out, as they were refused before. Nothing of it becomes a deal.',
  ],
  [
    'some of each',
    [1, 2, [['another currency: EUR', 1]]],
    'Of 5 rows 1 was held: another currency: EUR (1); 2 were left out, as they were refused before; 2 were refused: no price (2). Nothing of it becomes a deal unless somebody lets it through.',
  ],
  ['one waits for its price', [2, 0, [['another currency: EUR', 1]]], null],
])('what is said where %s', (name, [held, refusedBefore, shops], text) => {
  const rejected = name === 'some of each' ? 2 : 0
  const reasons: Record<string, number> = { 'no price': rejected }
  const result = {
    received: held + refusedBefore + rejected,
    rejected_total: rejected,
    rejected_by_reason: rejected > 0 ? reasons : {},
  }
  const counts = { items: 0, known: 0, changed: 0, shown: 0, ended: 0, others: 0 }
  const screened = {
    counts,
    held,
    refusedBefore,
    overtaken: 0,
    unstored: 0,
    fault: undefined,
    isShrunken: false,
  }
  expect(
    new DocumentTexts(readSettings({}).MARKETPLACE).held(result, { ...screened, heldByShop: new Map(shops) }),
  ).toBe(text)
})

test('what waits of a service that lets nobody keep it is not taken for shown', async () => {
  const retention = { history: false, hiddenAfterHours: 24, refreshAfterHours: 1 }
  const fleeting = testSources(databases, run, { kinds: [kindThat(run, retention)] })
  const id = await makeSource(databases)
  const [own, other] = [priced({ currency: 'USD' }), priced({ currency: 'EUR' })]
  body = [own, other]
  expect(await runNow(fleeting, id)).toMatchObject({ created: 1, held: 1 })
  const { rows } = await databases.customPlanPool.query(
    `select (select array_agg(asin) from source_deals where source_id = $1) as shown,
       (select deal ->> 'hide_at' is not null and deal ->> 'keeps_history' = 'false' from quarantine where source_id = $1) as is_fleeting`,
    [id],
  )
  expect(rows).toEqual([{ shown: [own.asin], is_fleeting: true }])
})

test('once other shops are trusted, or no longer, nobody is surprised by how many rows there are', async () => {
  const id = await makeSource(databases)
  body = [...rowsOf(nextAsins(25)), ...Array.from({ length: 60 }, () => priced({ currency: 'EUR' }))]
  for (let count = 0; count < 3; count++) await runNow(deps, id)
  const { rows } = await databases.customPlanPool.query('select id from quarantine where source_id = $1', [
    id,
  ])
  await refuseRows({ databases }, { ids: rows.map((row) => row.id), always: false }, actor)
  await changeSource(deps, id, { trusted_rules: ['currency'] }, actor)
  expect(await runNow(deps, id)).toMatchObject({ created: 60, held: 0 })
  await changeSource(deps, id, { trusted_rules: [] }, actor)
  // As many as at first, which is less than half of the last time.
  expect(await runNow(deps, id)).toMatchObject({ held: 0, unchanged: 25, refused_before: 60 })
  // What has nothing to do with it leaves the sizes as they are.
  await changeSource(deps, id, { trusted_rules: ['title'], name: 'Another name' }, actor)
  expect(await sourceOf(id)).toMatchObject({ baseline: { sizes: [25] } })
})

test('a document that waits as a whole is not to be imported again while it is the same', async () => {
  const confirms: boolean[] = []
  const asked = testSources(databases, async (context) => {
    confirms.push(context.confirms)
    return run(context)
  })
  const id = await makeSource(databases)
  const asins = nextAsins(60)
  const waiting = 'select id from quarantine where source_id = $1'
  body = rowsOf(asins)
  await runNow(asked, id)
  const single = asins.slice(0, 1)
  body = [...rowsOf(single, () => 0.5), ...rowsOf(asins.slice(1))]
  expect(await runNow(asked, id)).toMatchObject({ held: 1 })
  body = rowsOf(asins, () => 15)
  expect(await runNow(asked, id)).toMatchObject({ held: 60 })
  await runNow(asked, id)
  const { rows } = await databases.customPlanPool.query(waiting, [id])
  await refuseRows({ databases }, { ids: rows.map((row) => row.id), always: false }, actor)
  await runNow(asked, id)
  expect(confirms).toEqual([true, true, true, false, true])
})

test('a document that was imported again as it was is compared with none', async () => {
  const id = await makeSource(databases)
  body = rowsOf(nextAsins(25))
  await runNow(deps, id)
  const { baseline } = await sourceOf(id)
  const again = testSources(databases, async (context) => ({ ...(await run(context)), state: 'unchanged' }))
  expect(await runNow(again, id)).toMatchObject({ state: 'unchanged', received: 25 })
  expect(await sourceOf(id)).toMatchObject({ baseline })
})

test('a document that was refused altogether, and is imported again as it was, is read for the first time where it is read better', async () => {
  const id = await makeSource(databases)
  const whole = testSources(databases, async (context) => {
    await context.hand({ body, isWhole: true, listsAll: true })
    return outcome
  })
  const [first = '', ...others] = nextAsins(25)
  body = rowsOf([first, ...others])
  await runNow(whole, id)
  body = others.map((asin) => ({ asin, title: 'Camping lantern' }))
  await runNow(whole, id)
  expect(await sourceOf(id)).toMatchObject({ baseline: { all_refused: expect.any(String) } })
  outcome = { state: 'unchanged' }
  body = rowsOf(others)
  expect(await runNow(whole, id)).toMatchObject({ state: 'done', received: 24, ended: 0 })
  expect(await sourceOf(id)).toMatchObject({
    state: 'ok',
    baseline: { all_refused: null, lists_all: true, sizes: [25, 24] },
  })
  outcome = { state: 'done' }
  expect(await runNow(whole, id)).toMatchObject({ ended: 1 })
})

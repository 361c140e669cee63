import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsins } from '../../../../testing/factories.ts'
import { makeSource, rowsOf, runNow, testSources } from '../../../../testing/sources.ts'
import { refuseRows, releaseRows } from '../../quarantine/actions.ts'
import { trySource } from './trying.ts'

const databases = await testDatabases()
let body: object[] = []
let usually: Map<string, number> | undefined
let notes: string[] = []
const deps = testSources(databases, async (context) => {
  const handed = await context.hand({
    body,
    isWhole: true,
    listsAll: false,
    ...(usually && { usual: usually }),
  })
  if (context.isTry) expect(handed.held).toBe(body.length - handed.rejected - taken)
  return { state: 'done' }
})
/** Rows of the document that become deals, or are left out. */
let taken = 0
const priced = (asin: string, price: number, more: object = {}) => ({
  ...rowsOf([asin], () => price)[0],
  ...more,
})
const inEuros = (asin: string, price: number, more: object = {}) =>
  priced(asin, price, { currency: 'EUR', ...more })

/** What a try says of each row: what becomes of it, the money of what waits, and why. */
async function tried(rows: object[], notHeld: number, source_id?: number) {
  body = rows
  taken = notHeld
  const input = { kind: 'address' as const, settings: {}, secrets: {}, ...(source_id && { source_id }) }
  const result = await trySource(deps, input, new AbortController().signal)
  const { problem, preview } = result
  notes = result.notes
  expect([problem, preview?.received]).toEqual([null, rows.length])
  const said = preview?.rows.map(({ row, fate, deal, reason }) => [
    row,
    fate,
    deal?.price,
    deal?.currency,
    reason,
  ])
  return { said, held: preview?.held_by_reason, rejected: preview?.rejected_by_reason }
}

const counts = 'Its price is in EUR, not in USD. Let through, 20.00 counts as $20.00.'

test('a try says of rows of other shops that they would wait, and what letting through would mean', async () => {
  const [own = '', euros = '', elsewhere = ''] = nextAsins(3)
  const rows = [
    inEuros(euros, 20),
    priced(own, 25, { currency: 'USD' }),
    priced(elsewhere, 20, { marketplace: 'amazon.de' }),
    inEuros(own, 20),
    { asin: own },
  ]
  expect(await tried(rows, 2)).toEqual({
    said: [
      [2, 'deal', 25, undefined, null],
      [1, 'held', 20, 'EUR', counts],
      [
        ...[3, 'held', 20, null],
        'It is of amazon.de, not of amazon.com. Let through, its ASIN and price are taken as amazon.com’s.',
      ],
      [4, 'left_out', undefined, undefined, 'a row of this marketplace has the same item'],
      [5, 'refused', undefined, undefined, 'no title'],
    ],
    held: { 'another currency: EUR': 1, 'another marketplace: amazon.de': 1 },
    rejected: { 'no title': 1 },
  })
  const { rows: waiting } = await databases.customPlanPool.query('select from quarantine')
  expect(waiting).toEqual([])
})

test('of a stored source it says so by what was decided for it', async () => {
  const source = await makeSource(databases, { trusted_rules: ['currency'], refused_rules: ['marketplace'] })
  const [one = '', other = '', both = ''] = nextAsins(3)
  const rows = [
    priced(other, 9, { marketplace: 'amazon.ca' }),
    inEuros(one, 20),
    inEuros(both, 9, { marketplace: 'amazon.de' }),
    priced(one, 9, { marketplace: 'amazon.ca' }),
  ]
  const refused = (shop: string) => `another marketplace: ${shop}, always refused`
  expect((await tried(rows, 2, source)).said).toEqual([
    [2, 'deal', 20, undefined, `${counts} It is let through, as this source is trusted for that.`],
    [4, 'left_out', undefined, undefined, 'a row of this marketplace has the same item'],
    [1, 'refused', undefined, undefined, refused('amazon.ca')],
    [3, 'refused', undefined, undefined, refused('amazon.de')],
  ])
  // A new one knows nothing of that.
  expect((await tried(rows, 0)).held).toMatchObject({ 'another currency: EUR': 2 })
})

test('and by what was decided of the same rows', async () => {
  const source = await makeSource(databases)
  const [passed = '', refused = '', dearer = ''] = nextAsins(3)
  body = [inEuros(passed, 20), inEuros(refused, 20), inEuros(dearer, 30)]
  taken = 0
  await runNow(deps, source)
  const { rows } = await databases.customPlanPool.query<{ id: number; asin: string }>(
    'select id, asin from quarantine where source_id = $1',
    [source],
  )
  const ids = (...asins: string[]) => rows.filter(({ asin }) => asins.includes(asin)).map(({ id }) => id)
  const actor = { id: 1, username: 'somebody' }
  const marketplace = deps.settings.MARKETPLACE
  const quarantine = { databases, marketplace, clock: deps.clock }
  await releaseRows(quarantine, { ids: ids(passed, dearer), trust: false }, actor)
  await refuseRows({ databases }, { ids: ids(refused), always: false }, actor)
  const again = [inEuros(passed, 20), inEuros(refused, 20), inEuros(dearer, 40)]
  expect((await tried(again, 1, source)).said).toMatchObject([
    [1, 'deal', 20, undefined, `${counts} It is let through, as the same was before.`],
    [3, 'held', 40, 'EUR', expect.anything()],
    [2, 'refused', undefined, undefined, 'the same was refused before'],
  ])
})

test('a try holds rows of this shop by what they say themselves, and says that a run compares more', async () => {
  const [low = '', fine = '', usual = ''] = nextAsins(3)
  usually = new Map([[usual, 100]])
  const rows = [
    priced(low, 4, { original_price: 99 }),
    priced(fine, 80, { original_price: 99 }),
    priced(usual, 5),
  ]
  const reasons = [
    '$4.00 is less than 5 % of the list price, $99.00.',
    '$5.00 is less than a ninth of the typical price, $100.00.',
  ]
  const said = [
    [2, 'deal', 80, undefined, null],
    [1, 'held', 4, undefined, reasons[0]],
    [3, 'held', 5, undefined, reasons[1]],
  ]
  const held = { 'price next to nothing of the list price': 1, 'price far below what it was': 1 }
  expect(await tried(rows, 1)).toMatchObject({ said, held })
  expect(notes).toContain('A run also compares rows with what is stored, and may hold more of them.')
  // A run does the same of them.
  const source = await makeSource(databases)
  expect(await runNow(deps, source)).toMatchObject({ held: 2, created: 1 })
  const trusting = await makeSource(databases, {
    trusted_rules: ['list_price'],
    refused_rules: ['price_low'],
  })
  expect(await tried(rows, 2, trusting)).toMatchObject({
    held: {},
    rejected: { 'price far below what it was, always refused': 1 },
  })
  usually = undefined
})

import { Readable } from 'node:stream'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal, nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { addWord, setWordActive } from '../../blacklist/actions.ts'
import { type ImportOptions, importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { dealEnding } from '../jobs.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const { MARKETPLACE: marketplace } = readSettings({})

async function importRows(rows: object[], more: Partial<ImportOptions> = {}): Promise<ImportResult> {
  const stated = rows.map((row) => ({
    ...{ title: 'Folding lantern', price: 9, availability: 'In stock' },
    ...row,
  }))
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify(stated))])
  return importBody({ databases, marketplace, clock: () => new Date() }, body, { ...options, ...more })
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

async function seen(...asins: string[]): Promise<boolean[]> {
  const { rows } = await customPlanPool.query<{ asin: string }>(
    'select asin from deals where is_visible and asin = any($1)',
    [asins],
  )
  const visible = new Set(rows.map(({ asin }) => asin))
  return asins.map((asin) => visible.has(asin))
}

/** The events since a revision, with how many deals of each kind. */
async function eventsSince(revision: number) {
  const { rows } = await customPlanPool.query(
    `select cardinality(added) as added, cardinality(changed) as changed, cardinality(removed) as removed
     from feed_events where revision > $1 order by revision`,
    [revision],
  )
  return rows
}
const revision = async () => (await customPlanPool.query('select revision from feed_state')).rows[0].revision

async function work(): Promise<void> {
  const kind = dealEnding({ databases })
  for (const due of await kind.due()) await kind.run(due, new AbortController().signal)
}

beforeEach(() => durablePool.query('truncate deals, price_points'))

describe('ends', () => {
  test.each(['expires_at', 'ends_at', 'deal_ends_at'])(
    'past its %s a deal is stored and not shown',
    async (column) => {
      const [over, lasting, endless] = [nextAsin(), nextAsin(), nextAsin()]
      const result = await importRows([
        { asin: over, [column]: inHours(-1) },
        { asin: lasting, [column]: inHours(1) },
        { asin: endless },
      ])
      expect(result).toMatchObject({ created: 3, hidden_over: 1, mapping: { ends_at: column } })
      expect(await seen(over, lasting, endless)).toEqual([false, true, true])
    },
  )

  test.each(['valid_until', 'expiration_date'])('on the day of its %s a deal is there', async (column) => {
    const [today, yesterday, local] = [nextAsin(), nextAsin(), nextAsin()]
    const day = (hours: number) => inHours(hours).slice(0, 10)
    await importRows([
      { asin: today, [column]: day(0) },
      { asin: yesterday, [column]: day(-24) },
      { asin: local, [column]: new Date().toUTCString().slice(5, 16) },
    ])
    expect(await seen(today, yesterday, local)).toEqual([true, false, true])
  })

  test('a deal leaves by itself when its end passes, with an event, and a later end brings it back', async () => {
    const asin = nextAsin()
    await importRows([{ asin, ends_at: inHours(1) }])
    await work()
    expect(await seen(asin)).toEqual([true])
    await durablePool.query(`update deals set ends_at = now() - interval '1 second'`)
    let before = await revision()
    await work()
    expect(await seen(asin)).toEqual([false])
    expect(await eventsSince(before)).toEqual([{ added: 0, changed: 0, removed: 1 }])
    before = await revision()
    await work()
    expect(await revision()).toBe(before)
    await importRows([{ asin, ends_at: inHours(2) }])
    expect(await seen(asin)).toEqual([true])
    expect(await eventsSince(before)).toEqual([{ added: 1, changed: 0, removed: 0 }])
  })

  test('seen again after its end, without another, a deal is there again', async () => {
    const asin = nextAsin()
    await importRows([{ asin, ends_at: inHours(-2), scraped_at: inHours(-3) }])
    expect(await seen(asin)).toEqual([false])
    await importRows([{ asin, scraped_at: inHours(-1) }])
    expect(await seen(asin)).toEqual([true])
    // What was seen before that end doesn't hide it again.
    await importRows([{ asin, ends_at: inHours(-2), scraped_at: inHours(-4) }])
    expect(await seen(asin)).toEqual([true])
  })

  test('thousands whose end has passed are all hidden, and a word that goes shows none of them', async () => {
    await durablePool.query(
      `insert into deals (asin, title, title_folded, price, product_url, availability, ends_at)
       select 'B' || lpad(n::text, 9, '0'), 'mote', 'mote', 1, 'x', 'In stock', now() - interval '1 minute' from generate_series(1, 2500) n`,
    )
    await work()
    const { id } = await addWord(databases, 'mote')
    await setWordActive(databases, id, false)
    const { rows } = await customPlanPool.query('select count(*) as n from deals where is_visible')
    expect(rows[0].n).toBe(0)
  })
})

describe('states', () => {
  test.each([
    ['deal_state', 'EXPIRED', 'AVAILABLE'],
    ['status', 'ended', 'active'],
    ['is_expired', true, false],
    ['active', 'no', 'yes'],
  ])('by its %s a deal that is %s is stored and not shown', async (column, over, alive) => {
    const [gone, there] = [nextAsin(), nextAsin()]
    const result = await importRows([
      { asin: gone, [column]: over },
      { asin: there, [column]: alive },
    ])
    expect(result).toMatchObject({ created: 2, hidden_over: 1, mapping: { deal_state: column } })
    expect(await seen(gone, there)).toEqual([false, true])
    await importRows([{ asin: gone, [column]: alive }])
    expect(await seen(gone)).toEqual([true])
  })

  test.each([
    ['before both', -5, 'expired'],
    ['between them', -3, 'expired'],
    ['between them', -3, 'active'],
  ])('over and over again, a deal stays so for what was seen %s', async (_, late, status) => {
    const asin = nextAsin()
    for (const hours of [-4, -2]) await importRows([{ asin, status: 'expired', scraped_at: inHours(hours) }])
    await importRows([{ asin, status, scraped_at: inHours(late) }])
    expect(await seen(asin)).toEqual([false])
    await importRows([{ asin, status: 'active', scraped_at: inHours(-1) }])
    expect(await seen(asin)).toEqual([true])
  })
})

test('a deal that an earlier release stored as over, with a later sight, stays so for what was seen before', async () => {
  const [gone, ended] = [nextAsin(), nextAsin()]
  await importRows([{ asin: gone, status: 'expired', scraped_at: inHours(-4) }])
  await importRows([{ asin: ended, scraped_at: inHours(-4), ends_at: inHours(-3) }])
  await durablePool.query('update deals set ended_at = $1', [inHours(-9)])
  for (const asin of [gone, ended])
    await importRows([{ asin, status: 'active', scraped_at: inHours(-5), ends_at: null }])
  expect(await seen(gone, ended)).toEqual([false, false])
  for (const asin of [gone, ended]) await importRows([{ asin, status: 'active', scraped_at: inHours(-2) }])
  expect(await seen(gone, ended)).toEqual([true, true])
})

describe('a list of everything', () => {
  const list = { missing: 'hide' as const }

  test('hides what it leaves out until it is listed again, and names it before', async () => {
    const asins = Array.from({ length: 5 }, () => nextAsin())
    const rows = asins.map((asin) => ({ asin, title: `Folding lantern ${asin}` }))
    await importRows(rows)
    const missing = { hidden: 2, visible: 5, needs_confirmation: false }
    const trial = await importRows(rows.slice(2), { ...list, dry_run: true })
    expect(trial.missing).toMatchObject(missing)
    expect(trial.missing?.examples.map(({ asin }) => asin).toSorted()).toEqual(asins.slice(0, 2))
    expect(await seen(...asins)).toEqual([true, true, true, true, true])
    const before = await revision()
    expect((await importRows(rows.slice(2), list)).missing).toMatchObject(missing)
    expect(await seen(...asins)).toEqual([false, false, true, true, true])
    expect(await eventsSince(before)).toEqual([{ added: 0, changed: 0, removed: 2 }])
    const { rows: history } = await customPlanPool.query(
      'select missing_hidden from imports order by id desc limit 1',
    )
    expect(history).toEqual([{ missing_hidden: 2 }])
    await importRows(rows.slice(0, 1))
    expect(await seen(...asins)).toEqual([true, false, true, true, true])
  })

  test('above half of all deals nothing is imported unless it is confirmed', async () => {
    const asins = Array.from({ length: 4 }, () => nextAsin())
    await importRows(asins.map((asin) => ({ asin })))
    const fresh = nextAsin()
    const rows = [{ asin: asins[0] }, { asin: fresh }]
    await expect(importRows(rows, list)).rejects.toThrow(
      'This would hide 3 of 4 deals, more than half of all.',
    )
    expect(await seen(...asins, fresh)).toEqual([true, true, true, true, false])
    expect((await importRows(rows, { ...list, dry_run: true })).missing).toMatchObject({
      needs_confirmation: true,
    })
    await importRows(rows, { ...list, confirm: true })
    expect(await seen(...asins, fresh)).toEqual([true, false, false, false, true])
    await expect(importRows([], list)).rejects.toThrow('more than half')
  })

  test('a refused row lists its deal too, and samples and hidden deals are none that could go', async () => {
    const [unread, hidden] = [nextAsin(), nextAsin()]
    await importRows([{ asin: unread }, { asin: hidden, availability: '' }])
    await makeDeal(databases, { asin: 'B0SAMPLE02', is_sample: true })
    const { missing, rejected_total } = await importRows(
      [{ asin: unread, price: 'free' }, { asin: nextAsin() }],
      list,
    )
    expect([missing, rejected_total]).toMatchObject([{ hidden: 0, visible: 1 }, 1])
    expect(await seen(unread)).toEqual([true])
  })

  test('a list that is older than the sight of a deal says nothing of it', async () => {
    const [early, late, listed] = [nextAsin(), nextAsin(), nextAsin()]
    await importRows([
      { asin: early, scraped_at: inHours(-9) },
      { asin: late, scraped_at: inHours(-1) },
      { asin: listed, scraped_at: inHours(-9) },
    ])
    await importRows([{ asin: listed, scraped_at: inHours(-5) }], list)
    expect(await seen(early, late, listed)).toEqual([false, true, true])
    // What was seen before the list doesn't bring it back, what was seen after it does.
    await importRows([{ asin: early, scraped_at: inHours(-6) }])
    expect(await seen(early)).toEqual([false])
    await importRows([{ asin: early, scraped_at: inHours(-4) }])
    expect(await seen(early)).toEqual([true])
  })

  test('what it left out and a source then says is over stays so for what was seen before', async () => {
    const [gone, listed] = [nextAsin(), nextAsin()]
    await importRows([gone, listed].map((asin) => ({ asin, scraped_at: inHours(-9) })))
    await importRows([{ asin: listed, scraped_at: inHours(-6) }], list)
    await importRows([{ asin: gone, status: 'expired', scraped_at: inHours(-2) }])
    await importRows([{ asin: gone, status: 'expired', scraped_at: inHours(-4) }])
    expect(await seen(gone, listed)).toEqual([false, true])
  })

  test('what is hidden for another reason is over too, and not counted', async () => {
    const [word, unavailable, later, listed] = [nextAsin(), nextAsin(), nextAsin(), nextAsin()]
    await importRows([
      { asin: word, title: 'Quagmire lantern', scraped_at: inHours(-9) },
      { asin: unavailable, availability: '', scraped_at: inHours(-9) },
      { asin: later, title: 'Quagmire stand', scraped_at: inHours(-1) },
      { asin: listed, scraped_at: inHours(-9) },
    ])
    const { id } = await addWord(databases, 'quagmire')
    const before = await revision()
    const { missing } = await importRows([{ asin: listed, scraped_at: inHours(-5) }], list)
    expect(missing).toMatchObject({ hidden: 0, visible: 1, needs_confirmation: false, examples: [] })
    expect((await eventsSince(before)).every(({ removed }) => removed === 0)).toBe(true)
    await setWordActive(databases, id, false)
    expect(await seen(word, later, listed)).toEqual([false, true, true])
    // Seen before the list in stock: that was over by then.
    await importRows([{ asin: unavailable, scraped_at: inHours(-6) }])
    expect(await seen(unavailable)).toEqual([false])
    await importRows([{ asin: word, title: 'Quagmire lantern', scraped_at: inHours(-4) }])
    expect(await seen(word)).toEqual([true])
  })

  test('a list on two connections leaves out what neither has', async () => {
    const asins = Array.from({ length: 6_000 }, () => nextAsin())
    const filler = 'x'.repeat(1_500)
    const rows = asins.map((asin) => ({ asin, image_url: `https://pictures.example/${filler}${asin}.jpg` }))
    await importRows(rows)
    const { missing } = await importRows(rows.slice(1_100), list)
    expect(missing).toMatchObject({ hidden: 1_100, visible: 6_000 })
    const { rows: left } = await customPlanPool.query('select count(*) as n from deals where is_visible')
    expect(left[0].n).toBe(4_900)
  })
})

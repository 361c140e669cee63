import type { SavedSearch } from '@dealdeck/contract/searches'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { recordAdded } from '../../../testing/streams.ts'
import type { Databases } from '../../platform/database/database.ts'
import { addWord } from '../blacklist/actions.ts'
import { withDealWrites } from '../deals/actions.ts'
import { readRevision } from '../deals/following/revisions.ts'
import { queryRecorded, recordedIds, recordedState, recording } from '../deals/writing/recording.ts'
import { NewCounts } from './counting/new-counts.ts'
import { RecentDeals } from './counting/recent-deals.ts'

const { app, databases, signIn } = await buildTestApp()
let admin: SignedIn
beforeAll(async () => {
  admin = await signIn('admin')
})

type Row = { asin?: string; title: string; price: number; [more: string]: unknown }
async function hand(rows: Row[]): Promise<string[]> {
  const payload = rows.map((row) => ({ asin: nextAsin(), availability: 'In stock', ...row }))
  const answer = await app.inject({
    ...{ method: 'POST', url: '/api/products/import', headers: admin.headers, payload },
  })
  expect(answer.json()).toMatchObject({ received: rows.length, rejected: [] })
  return payload.map(({ asin }) => asin)
}
async function save(who: SignedIn, q: string, more: object = {}): Promise<number> {
  const payload = { name: q || 'All', q, ...more }
  return (await app.inject({ method: 'POST', url: '/api/searches', headers: who.headers, payload })).json().id
}
async function countIn(who: SignedIn, id: number): Promise<number | null | undefined> {
  const { items } = (await app.inject({ url: '/api/searches', headers: who.headers })).json()
  return items.find((search: SavedSearch) => search.id === id)?.new_count
}
const open = (who: SignedIn, id: number) =>
  app.inject({ method: 'POST', url: `/api/searches/${id}/opened`, headers: who.headers })

test('what came since a search was saved or opened is new in it, also what a source saw long ago', async () => {
  const member = await signIn('user')
  await hand([{ title: 'Quartz watch', price: 20 }])
  const id = await save(member, 'watch price:<30')
  await expect.poll(() => countIn(member, id)).toBe(0)
  await hand([
    { title: 'Diver watch', price: 25, first_seen: '2020-01-01T00:00:00Z' },
    { title: 'Gold watch', price: 300 },
    { title: 'Lamp', price: 5 },
  ])
  await expect.poll(() => countIn(member, id)).toBe(1)
  await hand([{ title: 'Field watch', price: 9 }])
  await expect.poll(() => countIn(member, id)).toBe(2)
  await open(member, id)
  expect(await countIn(member, id)).toBe(0)
  await hand([{ title: 'Pilot watch', price: 9 }])
  await expect.poll(() => countIn(member, id)).toBe(1)
})

test('each member has seen of a shared search what they have opened', async () => {
  const [owner, other] = [await signIn('user'), await signIn('user')]
  const id = await save(owner, 'kettle', { is_shared: true })
  await hand([{ title: 'Copper kettle', price: 20 }])
  await expect.poll(() => countIn(other, id)).toBe(1)
  await open(owner, id)
  expect([await countIn(owner, id), await countIn(other, id)]).toEqual([0, 1])
  // A copy has been seen as far as what it was made of.
  await open(other, id)
  const copy = await app.inject({
    ...{ method: 'PATCH', url: `/api/searches/${id}`, headers: other.headers, payload: { name: 'Mine' } },
  })
  expect(await countIn(other, copy.json().id)).toBe(0)
})

test('a deal counts as long as it is visible and meets the question, and for administrators too', async () => {
  const member = await signIn('user')
  const id = await save(member, 'teapot price:<30')
  const hidden = await save(admin, 'teapot is:hidden')
  const own = await save(admin, 'teapot')
  const [first = '', , third] = await hand([
    { title: 'Teapot one', price: 20 },
    { title: 'Teapot wig', price: 20 },
    { title: 'Teapot three', price: 20 },
  ])
  await expect.poll(() => countIn(member, id)).toBe(3)
  await addWord(databases, 'wig')
  await expect.poll(() => countIn(member, id)).toBe(2)
  await hand([
    { asin: first, title: 'Teapot one', price: 40, observed_at: new Date(Date.now() + 1000).toISOString() },
  ])
  await expect.poll(() => countIn(member, id)).toBe(1)
  expect(await countIn(admin, own)).toBe(2)
  expect(await countIn(admin, hidden)).toBeNull()
  expect(third).toBeDefined()
})

test('whatever the question says, as many are counted as the feed lists', async () => {
  const member = await signIn('user')
  const questions = [
    '',
    'mug OR cup',
    '-mug',
    'price:5..7 off:>=20',
    'brand:acme',
    'new:today',
    '"blue mug" prime:yes',
  ]
  const ids = await Promise.all(questions.map((q) => save(member, q)))
  await hand(
    Array.from({ length: 40 }, (_, at) => ({
      title: `${at % 2 ? 'Blue' : 'Red'} ${at % 3 ? 'mug' : 'cup'} ${at}`,
      ...{
        price: (at % 10) + 1,
        original_price: 10,
        brand: at % 4 ? 'Acme' : null,
        prime_eligible: at % 5 === 0,
      },
    })),
  )
  await expect.poll(() => countIn(member, ids[0] ?? 0)).toBe(40)
  for (const [at, id] of ids.entries()) {
    const query = new URLSearchParams({ q: questions[at] ?? '', limit: '1000' })
    const { items } = (await app.inject({ url: `/api/products?${query}`, headers: member.headers })).json()
    const after = items.filter(({ title }: { title: string }) => /^(Blue|Red) (mug|cup) \d+$/.test(title))
    expect([questions[at], await countIn(member, id)]).toEqual([questions[at], after.length])
  }
})

describe('counting', () => {
  const moment = { now: Date.now(), midnight: 0 }
  const stampless = () => null

  /** Deals with these ids, up to the last one, that came. */
  const publish = (databases: Databases, from: number, to: number) =>
    withDealWrites(databases, async (writes) => {
      const ids = Array.from({ length: to - from }, (_, at) => from + at)
      await writes.client.query(
        `insert into deals (id, asin, title, title_folded, price, product_url, availability)
         overriding system value
         select id, 'B0' || lpad(id::text, 8, '0'), 'Lamp', 'lamp', 5, 'https://example.org', 'In stock'
         from unnest($1::bigint[]) as id`,
        [ids],
      )
      await recordAdded(writes, ...ids)
    })
  /** Sets a column of deals, and records that they changed or are gone. */
  const change = (databases: Databases, set: string, from: number, to: number) =>
    withDealWrites(databases, (writes) =>
      queryRecorded(
        writes,
        `with changed as (
           update deals set ${set} where id >= $1 and id < $2 returning id as deal_id,
             ${recordedState('old', (field) => (field === 'is_visible' ? 'true' : field))}, ${recordedState('new', (field) => field)}
         ), ${recording()} select ${recordedIds}`,
        [from, to],
      ),
    )
  const lamps = [{ question: 'lamp', seenRevision: 0 }]
  /** Time that stands still but for what the test adds to it. */
  function stoppedClock() {
    const clock = { ms: 1_000_000 }
    vi.spyOn(performance, 'now').mockImplementation(() => clock.ms)
    return clock
  }
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  test('says no more than that there are more than 99, or more than it looks at', async () => {
    const databases = await testDatabases()
    await publish(databases, 1, 31)
    const { revision } = await readRevision(databases.customPlanPool)
    await publish(databases, 31, 61)
    const few = new NewCounts(new RecentDeals(databases, stampless, 40))
    const asked = (seenRevision: number) => [{ question: 'lamp', seenRevision }]
    expect(await few.count('a', asked(revision), moment)).toEqual([{ count: 30, hasMore: false }])
    expect(await few.count('a', asked(0), moment)).toEqual([{ count: 40, hasMore: true }])
    await publish(databases, 61, 200)
    const all = new NewCounts(new RecentDeals(databases, stampless))
    expect(await all.count('a', asked(0), moment)).toEqual([{ count: 99, hasMore: true }])
    expect(await all.count('a', asked(1_000), moment)).toEqual([{ count: 0, hasMore: false }])
  })

  test('says that there may be more where the newest are hidden and one that was seen has changed', async () => {
    const databases = await testDatabases()
    stoppedClock()
    await publish(databases, 1, 101)
    const { revision } = await readRevision(databases.customPlanPool)
    await publish(databases, 101, 301)
    const counts = new NewCounts(new RecentDeals(databases, stampless))
    const asked = [{ question: 'lamp', seenRevision: revision }]
    expect(await counts.count('a', asked, moment)).toEqual([{ count: 99, hasMore: true }])
    await change(databases, 'hidden_at = now()', 201, 301)
    await change(databases, 'price = 4', 5, 6)
    // A hundred others are new, which were not looked at.
    expect(await counts.count('a', asked, moment)).toEqual([{ count: 0, hasMore: true }])
  })

  test('stops where a member, or all together, have had their share of it, and goes on later', async () => {
    const databases = await testDatabases()
    const counts = new NewCounts(new RecentDeals(databases, stampless), {
      all: [1, 0.000_1],
      member: [1_000, 1_000],
    })
    const asked = Array.from({ length: 50 }, (_, at) => ({ question: `lamp ${at}`, seenRevision: 0 }))
    const first = await counts.count('a', asked, moment)
    expect(first.filter((count) => count === null).length).toBeGreaterThan(40)
    // What is known is said all the same, and what isn't comes with time.
    const [known] = await counts.count('b', asked.slice(0, 1), moment)
    expect(known).toEqual({ count: 0, hasMore: false })
  })

  test('remembers no more questions than members have', async () => {
    const databases = await testDatabases()
    const counts = new NewCounts(new RecentDeals(databases, stampless))
    for (let at = 0; at < 30; at++) {
      const other = { question: `watch ${at}`, seenRevision: 0 }
      expect(await counts.count('a', [...lamps, other], moment)).toHaveLength(2)
      expect(await counts.count('b', lamps, { ...moment, now: moment.now + at })).toHaveLength(1)
    }
    expect(counts.size).toBe(2)
  })

  test('says later, not an old number, while deals that have come may not be read yet', async () => {
    const databases = await testDatabases()
    const clock = stoppedClock()
    let stamp = await readRevision(databases.customPlanPool)
    const counts = new NewCounts(new RecentDeals(databases, () => stamp))
    const first = counts.count('a', lamps, moment)
    clock.ms += 100
    expect(await first).toEqual([{ count: 0, hasMore: false }])
    await publish(databases, 1, 3)
    // Until this process knows of them, what it has is the present.
    expect(await counts.count('a', lamps, moment)).toEqual([{ count: 0, hasMore: false }])
    stamp = await readRevision(databases.customPlanPool)
    expect(await counts.count('a', lamps, moment)).toEqual([null])
    clock.ms += 1_000
    expect(await counts.count('a', lamps, moment)).toEqual([{ count: 2, hasMore: false }])
  })

  test('says later, not that nothing is new, when all deals are read anew meanwhile', async () => {
    const databases = await testDatabases()
    await publish(databases, 1, 201)
    const clock = stoppedClock()
    const recent = new RecentDeals(databases, stampless)
    const counts = new NewCounts(recent, { all: [1_000, 1_000], member: [1_000, 1_000] })
    // Each look at the clock is so late that others have their turn.
    vi.mocked(performance.now).mockImplementation(() => (clock.ms += 5))
    const turns: (() => void)[] = []
    vi.stubGlobal('setImmediate', (turn: () => void) => turns.push(turn))
    const one = [{ question: 'asin:B000000190', seenRevision: 0 }]
    const counting = counts.count('a', one, moment)
    await expect.poll(() => turns.length).toBe(1)
    vi.unstubAllGlobals()
    clock.ms += 600_000
    await recent.refresh()
    for (const turn of turns) turn()
    expect(await counting).toEqual([null])
    expect(await counts.count('a', one, moment)).toEqual([{ count: 1, hasMore: false }])
  })
})

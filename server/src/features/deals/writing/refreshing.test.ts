import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal } from '../../../../testing/factories.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { findDeal, listDeals } from '../queries.ts'
import { refreshDealJson } from './refreshing.ts'

const databases = await testDatabases()
const { durablePool, customPlanPool } = databases
const shop = { marketplace: { domain: 'amazon.com' }, affiliateTag: '' }
const query = { sort: 'newest' as const, prime_only: false, search: '', limit: 1_000 }
const pageOf = async (more: object = {}, asked = databases) =>
  JSON.parse(await listDeals(asked, { ...query, ...more }, shop))
const forGood = new AbortController().signal

/** As a build with another function left them. */
async function makeOld(condition: string): Promise<void> {
  await durablePool.query(`begin; alter table deals disable trigger deals_keep_json;
    update deals set json_version = 0, deal_json = '{"old":' where ${condition};
    alter table deals enable trigger deals_keep_json; update feed_state set json_version = 0; commit`)
}
const oldOnes = async () => (await customPlanPool.query('select from deals where json_version = 0')).rowCount
const revision = async () => (await customPlanPool.query('select revision from feed_state')).rows[0].revision

test('deals with the JSON of an older version are told as all others, and made anew in pieces', async () => {
  const made: Awaited<ReturnType<typeof makeDeal>>[] = []
  for (let at = 0; at < 1_203; at++) made.push(await makeDeal(databases, { is_sample: at % 7 === 0 }))
  const [first, second] = made
  if (!first || !second) throw new Error('nothing made')
  const pages = (asked = databases) =>
    Promise.all([{}, { search: second.asin }, { sort: 'price' }].map((more) => pageOf(more, asked)))
  const [before, number] = [await pages(), await revision()]
  expect(before[0]?.items).toHaveLength(1_000)
  await makeOld('id % 2 = 0')
  // As of the build that brought the other function, which was started after it.
  const newer = openDatabases(databases.url, () => {})
  onTestFinished(() => newer.close())
  expect(await pages(newer)).toEqual(before)
  const hidden = await findDeal(customPlanPool, { id: second.id }, false, shop)
  expect(hidden).toEqual(before[1]?.items[0])

  // One that is written meanwhile is no concern of it.
  await durablePool.query('update deals set rating = 4.5 where id = $1', [second.id])
  expect(await refreshDealJson(databases, forGood)).toBe(601 - ((second.id + 1) % 2))
  expect(await oldOnes()).toBe(0)
  expect(await revision()).toBe(number)
  const [after] = await pages(newer)
  const changed = (deal: { id: number }) => (deal.id === second.id ? { ...deal, rating: 4.5 } : deal)
  expect(after.items).toEqual(before[0]?.items.map(changed))
})

test('what is broken off is left for the next start; what is done asks for one row', async () => {
  await makeOld('true')
  const broken = new AbortController()
  const running = refreshDealJson(databases, broken.signal)
  await expect.poll(oldOnes).toBeLessThan(1_203)
  broken.abort()
  await expect(running).rejects.toThrow()
  const left = await oldOnes()
  expect(left).toBeGreaterThan(0)
  expect(await refreshDealJson(databases, forGood)).toBe(left)
  expect(await oldOnes()).toBe(0)
  await durablePool.query('update feed_state set json_version = deal_json_version()')
  expect(await refreshDealJson(databases, forGood)).toBe(0)
})

test('an update in the middle is left to its own build', async () => {
  await makeOld('true')
  const running = refreshDealJson(databases, forGood)
  await expect.poll(oldOnes).toBeLessThan(1_203)
  const { rows } = await durablePool.query("select pg_get_functiondef('deal_json_version'::regproc) as text")
  await durablePool.query(rows[0].text.replace(/(select|return)\s+\d+/i, '$1 99'))
  await running
  expect(await oldOnes()).toBeGreaterThan(0)
  expect((await durablePool.query('select json_version from feed_state')).rows).toEqual([{ json_version: 0 }])
  await durablePool.query(rows[0].text)
  await refreshDealJson(databases, forGood)
  expect(await oldOnes()).toBe(0)
})

test('two processes at it at once do it once', async () => {
  await makeOld('true')
  const done = await Promise.all([refreshDealJson(databases, forGood), refreshDealJson(databases, forGood)])
  expect(await oldOnes()).toBe(0)
  expect(Math.max(...done)).toBeGreaterThan(0)
  expect(done[0] + done[1]).toBe(1_203)
})

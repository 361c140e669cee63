import { readFileSync } from 'node:fs'
import { verdictKindSchema } from '@dealdeck/contract/prices'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { beforeEach, expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { refreshVerdicts } from '../../prices/actions.ts'
import { noPauses } from '../../prices/refresh-pauses.ts'
import { loadSampleDeals } from './samples.ts'

const databases = await testDatabases()
const now = new Date()
const file = readFileSync(new URL('../../../../sample-deals/deals.json', import.meta.url), 'utf8')
const shown: { asin: string; shows: string }[] = JSON.parse(file)

function deps(time: Date, domain = 'amazon.com') {
  const MARKETPLACE = marketplaceByDomain(domain)
  if (!MARKETPLACE) throw new Error(`no marketplace ${domain}`)
  return { databases, settings: { MARKETPLACE }, clock: () => time }
}

/** What each card says and what questions are answered with, by ASIN. */
async function kinds() {
  const { rows } = await databases.customPlanPool.query<{ asin: string; said: (string | null)[] }>(
    `select asin, array[d.verdict::json ->> 'kind', d.verdict_kind, v.kind] as said from deals d left join price_verdicts v on v.deal_id = d.id`,
  )
  return new Map(rows.map(({ asin, said }) => [asin, said]))
}

const load = (domain: string) => {
  const { settings, clock } = deps(now, domain)
  return loadSampleDeals(databases, settings, clock)
}

beforeEach(async () => {
  await databases.durablePool.query('truncate deals, price_points, price_verdicts, feed_events')
})

// Of currencies without cents each is rounded in its own way.
test.each(['amazon.com', 'amazon.co.jp'])(
  'each sample says what its file says it shows from the start: %s',
  async (domain) => {
    await load(domain)
    const said = await kinds()
    expect(said.size).toBe(shown.length)
    // A deal that is too new to be judged may carry none: its card says so by having nothing to say.
    const none = [null, null, 'new']
    for (const { asin, shows } of shown)
      expect(shows === 'new' ? [none, [shows, shows, shows]] : [[shows, shows, shows]], asin).toContainEqual(
        said.get(asin),
      )
    expect(new Set(shown.map(({ shows }) => shows))).toEqual(new Set(verdictKindSchema.options))
  },
)

test('the samples need no refresh after they are loaded, and the refresh says the same', async () => {
  await load('amazon.com')
  expect(await refreshVerdicts(deps(now), AbortSignal.timeout(60_000))).toEqual({ judged: 0, changed: 0 })
  await databases.durablePool.query('update price_verdicts set due_at = now()')
  expect(await refreshVerdicts(deps(now), AbortSignal.timeout(60_000), noPauses)).toEqual({
    ...{ judged: shown.length, changed: 0 },
  })
})

test('after thirty days without a sight nothing is claimed of them any more', async () => {
  await load('amazon.com')
  const later = new Date(now.getTime() + 30 * 86_400_000)
  // As if those days had gone by: only what is due by then is found out anew.
  await databases.durablePool.query(
    "update price_verdicts set due_at = now() where due_at < now() + interval '30 days'",
  )
  await refreshVerdicts(deps(later), AbortSignal.timeout(60_000), noPauses)
  const claimed = [...(await kinds())].filter(([, said]) =>
    said.some((kind) => kind !== null && kind !== 'new'),
  )
  expect(claimed).toEqual([])
})

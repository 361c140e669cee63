import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeSource, runNow, testSources } from '../../../testing/sources.ts'
import type { SourceDocument } from '../sources/kinds/source-kind.ts'

// Real files that may lie beside the checkout; they are never part of it.
const folder = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))

const databases = await testDatabases()

/** The lines of a file by when they were read, the oldest first. */
async function pollsOf(name: string, timeOf: (row: Record<string, string>) => string): Promise<object[][]> {
  const polls = new Map<string, object[]>()
  for await (const line of createInterface(createReadStream(folder + name))) {
    const row = JSON.parse(line)
    polls.set(timeOf(row), [...(polls.get(timeOf(row)) ?? []), row])
  }
  return [...polls].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rows]) => rows)
}
const whole = (name: string) => [createReadStream(folder + name)]

describe.runIf(existsSync(folder))('real files, poll by poll', () => {
  test.each<[string, string, () => Promise<SourceDocument['body'][]>, object]>([
    [
      '01_us_deal_radar_2026.ndjson',
      'amazon.com',
      () => pollsOf('01_us_deal_radar_2026.ndjson', ({ scraped_at = '' }) => scraped_at.slice(0, 13)),
      { polls: 38, received: 8394, held: 0 },
    ],
    [
      '02_in_listings_2023.csv',
      'amazon.in',
      async () => whole('02_in_listings_2023.csv'),
      { received: 10930, held: 9, rules: ['list_price'] },
    ],
    [
      '03_marketplaces_in_ca_br_2023.csv',
      'amazon.in',
      async () => whole('03_marketplaces_in_ca_br_2023.csv'),
      // Its rows of Canada and Brazil; those of India are all there.
      { received: 6998, held: 1989, created: 4732, rules: ['marketplace'] },
    ],
    [
      '04_us_keepa_deals_2026.ndjson',
      'amazon.com',
      () => pollsOf('04_us_keepa_deals_2026.ndjson', ({ _snapshot_at = '' }) => _snapshot_at.slice(0, 10)),
      { polls: 12, received: 860, held: 0 },
    ],
    [
      '05_brightdata_products_2024.ndjson',
      'amazon.com',
      async () => whole('05_brightdata_products_2024.ndjson'),
      { received: 403, held: 329, rules: ['currency'] },
    ],
  ])('%s into %s', { timeout: 200_000 }, async (_, domain, polls, expected) => {
    await databases.durablePool.query(
      'truncate deals, price_points, price_verdicts, quarantine restart identity',
    )
    const marketplace = marketplaceByDomain(domain)
    if (!marketplace) throw new Error(`${domain} is no marketplace`)
    let body: SourceDocument['body'] = []
    const deps = testSources(databases, async (context) => {
      await context.hand({ body, isWhole: true, listsAll: false })
      return { state: 'done' }
    })
    Object.assign(deps.settings, { MARKETPLACE: marketplace })
    const source = await makeSource(databases)
    const total = { polls: 0, received: 0, held: 0, created: 0 }
    for (body of await polls()) {
      const run = await runNow(deps, source)
      total.polls += 1
      total.received += run.received
      total.held += run.held
      total.created += run.created
    }
    const { rows } = await databases.customPlanPool.query<{ rule: string }>(
      'select distinct rule from quarantine order by 1',
    )
    expect({ ...total, rules: rows.map(({ rule }) => rule) }).toMatchObject(expected)
  })
})

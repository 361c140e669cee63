import { createReadStream, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { importBody } from './actions.ts'
import { sentBodies } from './reading/limits.ts'

// Real files that may lie beside the checkout; they are never part of it.
const folder = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))

const databases = await testDatabases()

describe.runIf(existsSync(folder))('real files', () => {
  async function importFile(name: string, domain: string) {
    const marketplace = marketplaceByDomain(domain)
    if (!marketplace) throw new Error(`${domain} is no marketplace`)
    const options = { dry_run: false, map: '', availability: '', source: name, limits: sentBodies }
    return importBody(
      { databases, marketplace, clock: () => new Date() },
      createReadStream(folder + name),
      options,
    )
  }

  test.each([
    [
      '01_us_deal_radar_2026.ndjson',
      'amazon.com',
      { received: 8394, created: 2815, superseded: 5579, rejected_total: 0 },
    ],
    [
      '02_in_listings_2023.csv',
      'amazon.in',
      { received: 10930, rejected_by_reason: { 'no price': 93, 'the price is zero or below': 1 } },
    ],
    [
      '03_marketplaces_in_ca_br_2023.csv',
      'amazon.in',
      { received: 6998, created: 4732, rejected_by_reason: { 'another marketplace: amazon.ca': 999 } },
    ],
    [
      '04_us_keepa_deals_2026.ndjson',
      'amazon.com',
      { received: 860, created: 270, superseded: 590, rejected_total: 0 },
    ],
    ['05_brightdata_products_2024.ndjson', 'amazon.in', { received: 403, rejected_total: 232 }],
  ])('%s into %s, and again', async (name, domain, expected) => {
    await databases.durablePool.query('truncate deals, price_points restart identity')
    const first = await importFile(name, domain)
    expect(first).toMatchObject(expected)
    const { created, updated, unchanged, superseded, rejected_total } = first
    expect(created + updated + unchanged + superseded + rejected_total).toBe(first.received)
    const again = await importFile(name, domain)
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: created, superseded, rejected_total })
  })
})

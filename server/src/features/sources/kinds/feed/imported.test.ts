import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ImportResult } from '@dealdeck/contract/ingest'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../../../testing/database.ts'
import { serveDocument } from '../../../../../testing/documents.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { importBody } from '../../../ingest/actions.ts'
import type { RunOutcome } from '../source-kind.ts'
import { feed } from './feed.ts'

// Real feeds that may lie beside the checkout; they are never part of it.
const folder = fileURLToPath(new URL('../../../../../../../shared/data/samples/', import.meta.url))
const databases = await testDatabases()

type Stored = { asin: string; title: string; price: number; original_price: number | null }

/** Asks for a feed and imports what comes of it. */
async function imported(
  body: string | Buffer,
  domain: string,
): Promise<{ outcome: RunOutcome; result: ImportResult; deals: Stored[] }> {
  await databases.durablePool.query('truncate deals, price_points restart identity')
  const marketplace = marketplaceByDomain(domain)
  if (!marketplace) throw new Error(`${domain} is no marketplace`)
  const { url } = await serveDocument(() => ({ body }))
  const context = runContext({ marketplace })
  const outcome = await feed.bind({ url }).run(context)
  const [handed] = context.handed
  async function* lines() {
    for (const row of handed?.rows ?? []) yield Buffer.from(`${JSON.stringify(row)}\n`)
  }
  const limits = { ratio: 1, charactersWithoutRow: 1e6, malformedInARow: 10, refusedInARow: 100 }
  const result = await importBody({ databases, marketplace, clock: () => new Date() }, lines(), {
    ...{ dry_run: false, map: '', availability: handed?.availability ?? '', source: 'feed', limits },
  })
  const { rows } = await databases.durablePool.query<Stored>(
    'select asin, title, price::float, original_price::float from deals',
  )
  return { outcome, result, deals: rows }
}

const item = (link: string, title: string, more = '') =>
  `<item><title>${title}</title><link>${link}</link>${more}</item>`
const rss = (...items: string[]) =>
  `<rss version="2.0"><channel><title>Deals</title>${items.join('')}</channel></rss>`

test('what an entry does not say is a reason to refuse it', async () => {
  const { result, deals } = await imported(
    rss(
      item('https://www.amazon.com/dp/B0ABCD0001', 'Lantern - $12.99 (was $29.99)'),
      item('https://www.amazon.com/dp/B0ABCD0002', 'Lamp'),
      item('https://www.amazon.de/dp/B0ABCD0003', 'Lampe - 12,99 €'),
      item('https://www.amazon.com/dp/B0ABCD0004', 'Torch - £7.50'),
      item('https://deals.example/5', 'Candle - $5'),
      item('https://www.amazon.com/dp/B0ABCD0006', 'Bulb - $6', '<pubDate>Someday</pubDate>'),
    ),
    'amazon.com',
  )
  expect(deals).toEqual([
    { asin: 'B0ABCD0001', title: 'Lantern', price: 12.99, original_price: 29.99 },
    { asin: 'B0ABCD0006', title: 'Bulb', price: 6, original_price: null },
  ])
  expect(result.rejected_by_reason).toEqual({
    'no price': 1,
    'another marketplace: amazon.de': 1,
    'another currency: GBP': 1,
    'no ASIN': 1,
  })
})

test('a feed without any price has its entries refused for that', async () => {
  const { result } = await imported(rss(item('https://www.amazon.com/dp/B0ABCD0002', 'Lamp')), 'amazon.com')
  expect(Object.keys(result.rejected_by_reason)).toEqual([expect.stringContaining('no price')])
})

describe.runIf(existsSync(folder))('real feeds, row by row', () => {
  // Price, original price and length of the title, as somebody has read them in each entry.
  test.each<[string, [number, number | null, number][], string[] | undefined]>([
    [
      'rss_goldbox_one_poll.xml',
      [
        [1549, 2199, 193],
        [2099, 4199, 199],
        [1945, 4197, 194],
        [8249, 16499, 191],
        [889, 3000, 150],
        [1327, 1850, 126],
        [761, 1399, 139],
        [727, 1399, 159],
        [231, null, 141],
        [6485, 27713, 183],
      ],
      undefined,
    ],
    [
      'rss_goldbox_one_poll_ILLFORMED.xml',
      [
        [240, 300, 178],
        [160, 999, 200],
        [1510, 2199, 96],
        [280, 399, 59],
        [664, 1999, 89],
        [299, 1499, 152],
        [449, 799, 170],
        [199, 1200, 179],
        [349, 1399, 184],
        [284, 899, 138],
      ],
      ['The feed was not well formed: signs that have to be written out were repaired.'],
    ],
  ])('%s', async (name, expected, notes) => {
    const text = readFileSync(folder + name, 'utf8')
    const { outcome, result, deals } = await imported(text, 'amazon.in')
    expect(outcome).toEqual({ state: 'done', ...(notes && { notes }) })
    expect(result).toMatchObject({ received: 10, created: 10, rejected_total: 0 })
    const asins = [...text.matchAll(/<link>[^<]*\/dp\/([A-Z0-9]{10})/g)].map(([, asin]) => asin)
    const stored = new Map(deals.map((deal) => [deal.asin, deal]))
    const read = asins.map((asin = '') => {
      const { price = 0, original_price = null, title = '' } = stored.get(asin) ?? {}
      return [price, original_price, title.length]
    })
    expect(read).toEqual(expected)
  })
})

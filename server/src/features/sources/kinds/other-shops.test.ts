import { expect, test } from 'vitest'
import { creatorsCredential, creatorsItem, creatorsServer } from '../../../../testing/creators-server.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { serveDocument } from '../../../../testing/documents.ts'
import { keepaDeal, keepaKey, keepaServer } from '../../../../testing/keepa-server.ts'
import { runContext } from '../../../../testing/run-context.ts'
import { makeSource, runNow, testSources } from '../../../../testing/sources.ts'
import { address } from './address/address.ts'
import { creatorsKind } from './creators/creators.ts'
import { feed } from './feed/feed.ts'
import { keepaKind } from './keepa/keepa.ts'
import type { AnySourceKind } from './source-kind.ts'

const databases = await testDatabases()

/** What a run of this kind comes to, with what its service answers now, and what waits then. */
async function ran(
  kind: AnySourceKind,
  settings: Parameters<AnySourceKind['bind']>[0],
  secrets: Record<string, string> = {},
) {
  const context = runContext({ secrets })
  await kind.bind(settings).run(context)
  const deps = testSources(databases, async ({ hand }) => {
    for (const { rows, text, ...document } of context.handed)
      await hand({ ...document, body: rows.length > 0 ? rows : bytes(text) })
    return { state: 'done' }
  })
  const id = await makeSource(databases)
  const { created, held, rejected } = await runNow(deps, id)
  const { rows } = await databases.customPlanPool.query<{ asin: string; rule: string }>(
    'select asin, rule from quarantine where source_id = $1 order by asin',
    [id],
  )
  return { created, held, rejected, waiting: rows.map(({ asin, rule }) => `${asin} ${rule}`) }
}

async function* bytes(text: string) {
  yield new TextEncoder().encode(text)
}

test('what Keepa says of this marketplace comes in as ever', async () => {
  const server = await keepaServer()
  server.deals = [1, 2, 3].map((at) => keepaDeal(`B0KEEPA00${at}`, { 0: 1999, 4: 2999 }, { domainId: 1 }))
  const { created, held, rejected } = await ran(keepaKind(server), {}, { api_key: keepaKey })
  expect({ created, held, rejected }).toEqual({ created: 3, held: 0, rejected: 0 })
})

test('so does what the Creators API says in our currency; an amount in another one waits', async () => {
  const server = await creatorsServer()
  const dollars = [1, 2, 3].map((at) => creatorsItem(`B0CREATOR${at}`, 10))
  server.items = dollars
  const settings = { credential_id: creatorsCredential.id, partner_tag: 'a-tag', keywords: 'lantern' }
  const secrets = { client_secret: creatorsCredential.secret }
  const expected = { created: 3, held: 0, rejected: 0, waiting: [] }
  expect(await ran(creatorsKind(server), settings, secrets)).toEqual(expected)
  const price = { money: { amount: 10, currency: 'EUR' } }
  server.items = [...dollars, creatorsItem('B0CREATOR4', 10, { price })]
  const both = await ran(creatorsKind(server), settings, secrets)
  expect(both).toMatchObject({ held: 1, rejected: 0, waiting: ['B0CREATOR4 currency'] })
})

test('entries of a feed and rows of a document that are another shop’s wait', async () => {
  const item = (host: string, asin: string, title: string) =>
    `<item><title>${title}</title><link>https://www.${host}/dp/${asin}</link></item>`
  const entries = [
    item('amazon.com', 'B0FEEDED01', 'Lantern - $12.99'),
    item('amazon.de', 'B0FEEDED02', 'Lampe - 12,99 €'),
    item('amazon.ca', 'B0FEEDED03', 'Torch - $7.50'),
  ]
  const rss = `<rss version="2.0"><channel><title>Deals</title>${entries.join('')}</channel></rss>`
  const { url } = await serveDocument(() => ({ body: rss }))
  expect(await ran(feed, { url })).toEqual({
    ...{ created: 1, held: 2, rejected: 0 },
    waiting: ['B0FEEDED02 currency', 'B0FEEDED03 marketplace'],
  })
  const csv =
    'asin,title,price,currency\nB0LISTED01,Lantern,12.99,USD\nB0LISTED02,Lantern,12.99,GBP\nB0LISTED03,,12.99,GBP\n'
  const list = await serveDocument(() => ({ body: csv, headers: { 'content-type': 'text/csv' } }))
  expect(await ran(address, { url: list.url })).toEqual({
    ...{ created: 1, held: 1, rejected: 1 },
    waiting: ['B0LISTED02 currency'],
  })
})

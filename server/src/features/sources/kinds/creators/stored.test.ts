import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { creatorsCredential, creatorsItem, creatorsServer } from '../../../../../testing/creators-server.ts'
import { testDatabases } from '../../../../../testing/database.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { importBody } from '../../../ingest/actions.ts'
import { sentBodies } from '../../../ingest/reading/limits.ts'
import { creatorsKind } from './creators.ts'

const databases = await testDatabases()

test('what items become when they are stored', async () => {
  const server = await creatorsServer()
  const available = (type: string, message?: string) => ({ availability: { type, message } })
  const basis = { savingBasis: { money: { amount: 69.99, currency: 'USD' }, savingBasisType: 'WAS_PRICE' } }
  server.items = [
    creatorsItem('B0ABCD1230', 59, {
      price: { money: { amount: 59.49, currency: 'USD' }, ...basis },
      dealDetails: { accessType: 'ALL', endTime: '2056-11-06T05:35Z' },
    }),
    creatorsItem('B0ABCD1231', 10, available('IN_STOCK_SCARCE', 'Only 3 left in stock.')),
    creatorsItem('B0ABCD1232', 10, available('PREORDER')),
    creatorsItem('B0ABCD1233', 10, available('OUT_OF_STOCK')),
    creatorsItem('B0ABCD1234', 10, available('UNKNOWN')),
    creatorsItem('B0ABCD1235', 10, { condition: { value: 'Used' } }),
    creatorsItem('B0ABCD1236', 10, { price: { money: { amount: 10, currency: 'EUR' } } }),
  ]
  const context = runContext({ secrets: { client_secret: creatorsCredential.secret } })
  const settings = { credential_id: creatorsCredential.id, partner_tag: 'a-tag', keywords: 'lantern' }
  await creatorsKind(server).bind(settings).run(context)
  const [document] = context.handed
  const body = Readable.from([Buffer.from(document?.rows.map((row) => JSON.stringify(row)).join('\n') ?? '')])
  const options = {
    dry_run: false,
    map: '',
    source: 'test',
    limits: sentBodies,
    availability: document?.availability ?? 'none',
  }
  const { marketplace } = context
  const result = await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
  expect(result).toMatchObject({
    created: 6,
    rejected_total: 1,
    rejected_by_reason: { 'another currency: EUR': 1 },
  })
  const { rows } = await databases.customPlanPool.query(
    'select asin, title, brand, price, original_price, condition, availability, ends_at, image_url from deals order by asin',
  )
  expect(rows[0]).toEqual({
    ...{ asin: 'B0ABCD1230', title: 'Folding lantern B0ABCD1230', brand: 'Acme', price: 59.49 },
    ...{ original_price: 69.99, condition: 'new', availability: 'In stock' },
    ends_at: new Date('2056-11-06T05:35:00Z'),
    image_url: 'https://m.media-amazon.com/images/I/71abcDEF-gL.jpg',
  })
  expect(rows.slice(1).map(({ availability, condition }) => [availability, condition])).toEqual([
    ['Only 3 left in stock.', 'new'],
    ['Pre-order', 'new'],
    [null, 'new'],
    [null, 'new'],
    ['In stock', 'used'],
  ])
})

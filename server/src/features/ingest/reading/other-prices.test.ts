import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { meansFormerPrice } from './column-names.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

/** The price and original price of two rows with these columns beside ID and title, or the reason of a refusal. */
async function read(columns: Record<string, unknown>) {
  const rows = [1, 2].map((at) => ({ asin: `B0ABCD000${at}`, title: `Lantern number ${at}`, ...columns }))
  const source = async function* () {
    yield Buffer.from(JSON.stringify(rows))
  }
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  const read: unknown[] = []
  for await (const batch of body.batches())
    for (const { result } of batch)
      read.push(result.deal ? [result.deal.price, result.deal.original_price] : result.refusal.reason)
  return { first: read[0], notes: body.notes() }
}

const none = 'no price column found'

describe('a price of something else', () => {
  test.each([
    ...[
      'monthly_price',
      'weekly_price',
      'price_per_month',
      'rental_price',
      'rent_price',
      'subscription_price',
    ],
    ...[
      'subscribe_and_save_price',
      'instalment_price',
      'installment_price',
      'cost',
      'cost_price',
      'unit_cost',
    ],
    ...['wholesale_price', 'purchase_price', 'target_price', 'alert_price', 'bid_price', 'predicted_price'],
    ...[
      'walmart_price',
      'competitor_price',
      'ebay price',
      'third_party_new_price',
      'used_price',
      'last_price',
    ],
    ...[
      'best_price',
      'total_price',
      'member_price',
      'price_with_coupon',
      'price_discount',
      'net_price',
      'Preis Händler',
    ],
  ])('%s is not the item’s', async (name) => {
    expect((await read({ [name]: 5 })).first).toBe(none)
    expect((await read({ [name]: '$5' })).notes).toEqual([
      expect.stringMatching(
        name === 'cost' ? /^The price is taken from cost: no column is named/ : /^No price column/,
      ),
    ])
    expect(await read({ [name]: 5, price: 7 })).toEqual({
      first: [7, null],
      notes: expect.arrayContaining([expect.stringContaining(`other prices, not read: ${name}.`)]),
    })
  })

  test.each([
    ...[
      'Versandkosten',
      'Lieferkosten',
      'frais de port',
      'gastos de envio',
      'frete',
      'verzendkosten',
      '送料',
    ],
    ...[
      'Gutschein',
      'クーポン',
      'Rabatt',
      'Ersparnis',
      'Sie sparen',
      'remise',
      'descuento',
      'sconto',
      'korting',
    ],
    ...['Grundpreis', 'pro_kg', 'Pfand', 'monatlich', 'cashback', 'rebate', 'reward', 'credit', 'gift_card'],
    ...['clip', 'customs', 'duty', 'tax', 'walmart', 'ebay'],
  ])('%s, in whatever language, is not the item’s', async (name) => {
    const { first, notes } = await read({ [name]: '$5.49' })
    expect(first).toBe(none)
    expect(notes).toEqual([expect.stringMatching(/^No price column/)])
  })

  test('the notes say which column is the price, which is what it cost before, and which are neither', async () => {
    const columns = { monthly_price: 5, compare_at_price: 30, cost_price: 9, price: 20 }
    expect(await read(columns)).toEqual({
      first: [20, 30],
      notes: [
        'Read as the price: price; as what items cost before: compare_at_price; other prices, not read: monthly_price, cost_price.',
      ],
    })
    const many = Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`store_${at}_price_each`, at]))
    expect((await read({ ...many, price: 20 })).notes).toEqual([expect.stringMatching(/_5_price_each, …\.$/)])
  })

  test.each([
    'walmart.price',
    'subscription.price.value',
    'offers.used.price',
    'history.0.price',
    'price.shipping',
  ])('%s is not either, nested', async (path) => {
    const nested = path.split('.').reduceRight<unknown>((inner, step) => ({ [step]: inner }), 5)
    expect((await read(Object(nested))).first).toBe(none)
  })
})

describe('names that are understood', () => {
  test.each([
    ...[
      'amazon_current_price',
      'offersV2_listings_price',
      'latest_price',
      'today_price',
      'online price',
      'priceToPay',
    ],
    ...[
      'Price after discount',
      'price_today',
      'price sale',
      'discounted price',
      'Display Price',
      'price_numeric',
      'buyNowPrice',
      'now',
      'Today’s price',
    ],
  ])('%s is the price', async (name) => {
    expect(await read({ [name]: 5 })).toEqual({ first: [5, null], notes: [] })
  })

  test.each([
    ...[
      'compare_at_price',
      'compareAtPrice',
      'prev_price',
      'previous price',
      'prior_price',
      'past_price',
      'earlier_price',
    ],
    ...[
      'yesterday_price',
      "Yesterday's price",
      'rrp_price',
      'msrp price',
      'price_before',
      'price_yesterday',
      'old sale price',
    ],
    ...[
      'price was',
      'orig_price',
      'basisPrice',
      'strikeThroughPrice',
      'Preis vorher',
      'Früherer Preis',
      'former_price',
      'usual price',
      'suggested retail price',
    ],
  ])('%s is what it cost before', async (name) => {
    expect(meansFormerPrice(name)).toBe(true)
    expect((await read({ [name]: 9, price: 5 })).first).toEqual([5, 9])
    expect((await read({ price: 5, [name]: 9 })).first).toEqual([5, 9])
  })
})

describe('several prices', () => {
  test.each([
    [
      'by name',
      {
        prices: [
          { name: 'You Save', value: 4 },
          { name: 'Price', value: 5 },
        ],
      },
      [5, null],
    ],
    [
      'by label',
      {
        prices: [
          { label: 'Shipping', value: 4 },
          { label: 'Deal Price', value: 5 },
        ],
      },
      [5, null],
    ],
    [
      'by type',
      {
        prices: [
          { type: 'Total', value: 12 },
          { type: 'current', value: 5 },
          { type: 'was', value: 9 },
        ],
      },
      [5, 9],
    ],
    ['with now and was', { now: 5, was: 9 }, [5, 9]],
    ['with now and was in one', { price: { now: 5, was: 9 } }, [5, 9]],
    ['with now and was of many', { prices: { now: 5, was: 9 } }, [5, 9]],
    [
      'with a list price',
      {
        prices: [
          { name: 'List Price', value: 9 },
          { name: 'Online', value: 5 },
        ],
      },
      [5, 9],
    ],
  ])('%s', async (_how, columns, prices) => {
    expect((await read(columns)).first).toEqual(prices)
  })

  test.each(['You Save', 'Shipping', 'Tax', 'Total', 'Deposit', 'Walmart', 'Used'])(
    'of which the only one is %s are none',
    async (name) => {
      expect((await read({ prices: [{ name, value: 4 }] })).first).toBe(none)
      expect((await read({ prices: [{ label: name, value: '$4' }] })).first).toBe(none)
    },
  )
})

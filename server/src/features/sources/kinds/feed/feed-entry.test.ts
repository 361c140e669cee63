import { describe, expect, test } from 'vitest'
import { rowOf } from './feed-entry.ts'
import type { FeedEntry } from './feed-items.ts'

const now = new Date('2026-05-04T12:00:00Z')
const shop = 'https://www.amazon.com/dp/B0ABCD0001'

function row(entry: Partial<FeedEntry>) {
  const none = { id: '', title: 'Lantern', links: [], texts: [], pictures: [], product: {} }
  return rowOf({ ...none, published: undefined, updated: undefined, ...entry }, { domain: 'amazon.com', now })
}

describe('the item', () => {
  const inside = encodeURIComponent(shop)
  test.each<[string, Partial<FeedEntry>]>([
    ['of the link', { links: [`${shop}?tag=x-20`] }],
    ['behind a redirect', { links: [`https://go.example/out?u=${inside}&id=7`] }],
    [
      'behind a redirect, encoded twice',
      { links: [`https://go.example/?url=${encodeURIComponent(inside)}`] },
    ],
    [
      'in the text',
      { links: ['https://deals.example/lantern'], texts: [`<a href="${shop}">Buy</a> ${shop}`] },
    ],
    [
      'in the text, with entities',
      { texts: [`<a href='https://www.amazon.com/gp/r?a=1&amp;u=${inside}'>Buy</a>`] },
    ],
    ['of this shop before that of another', { links: ['https://www.amazon.de/dp/B0ABCD0009', shop] }],
    ['named by its id', { id: 'B0ABCD0001', links: ['https://deals.example/lantern'] }],
  ])('%s', (_, entry) => {
    expect(row(entry).asin).toBe('B0ABCD0001')
  })

  test.each<[string, Partial<FeedEntry>]>([
    ['looks like one at another site', { links: ['https://deals.example/product/B0ABCD0001'] }],
    ['is one of several in the text', { texts: [`${shop} https://www.amazon.com/dp/B0ABCD0002`] }],
    ['is behind a short link', { links: ['https://amzn.to/3abcDEF'] }],
  ])('is not known when it %s', (_, entry) => {
    expect(row(entry)).not.toHaveProperty('asin')
  })

  test('of another shop keeps its address, so that the row is refused for that', () => {
    const url = 'https://www.amazon.de/dp/B0ABCD0001'
    expect(row({ links: [url] })).toMatchObject({ asin: 'B0ABCD0001', product_url: url })
  })
})

describe('prices', () => {
  test.each<[string, Partial<FeedEntry>, string, string?]>([
    ['of the title', { title: 'Lantern - $12.99 (was $20)' }, '$12.99', '$20'],
    ['of the text', { texts: ['<p>List: <s>$20</s></p><b>Price:</b> &#36;12.99'] }, '$12.99', '$20'],
    ['struck through', { texts: ['<del>$20</del> <b>$12.99</b>'] }, '$12.99', '$20'],
    ['of a product feed', { product: { price: '12.99 USD' }, title: 'Lantern $5' }, '12.99 USD'],
    ['of a sale', { product: { price: '20.00 USD', sale_price: '12.99 USD' } }, '12.99 USD', '20.00 USD'],
    ['none', {}, ''],
  ])('%s', (_, entry, price, original) => {
    expect(row(entry).price).toBe(price)
    expect(row(entry).original_price).toBe(original)
  })
})

test('a sale has its price and its end between its times only, where there is a usual one', () => {
  const product = { price: '20.00 USD', sale_price: '12.99 USD' }
  const seen = (begin: string, end: string, of: object = product) => {
    const { price, original_price, ends_at } = row({
      product: { ...of, sale_price_effective_date: `${begin}/${end}` },
    })
    return [price, original_price, ends_at]
  }
  const inHours = (hours: number) =>
    new Date(now.getTime() + hours * 3_600_000).toISOString().replace(/:\d\d\.\d+Z$/, '+0000')
  const [before, soon, later] = [inHours(-2), inHours(2), inHours(4)]
  expect(seen(before, soon)).toEqual(['12.99 USD', '20.00 USD', soon])
  expect(seen(soon, later)).toEqual(['20.00 USD', undefined, undefined])
  expect(seen('2026-01-01T08:00-0800', before)).toEqual(['20.00 USD', undefined, undefined])
  expect(seen('2026-01-01T08:00-0800', before, { sale_price: '12.99 USD' })).toEqual([
    '12.99 USD',
    undefined,
    before,
  ])
  // A last day lasts until it is over, and what states no zone is of UTC, wherever this runs.
  expect(seen('2026-05-01', '2026-05-04')).toEqual(['12.99 USD', '20.00 USD', '2026-05-04'])
  expect(seen('2026-05-01', '2026-05-03')).toEqual(['20.00 USD', undefined, undefined])
  expect(seen('2026-05-04T11:00', '2026-05-04T13:00')[0]).toBe('12.99 USD')
  expect(seen('2026-05-04T09:00', '2026-05-04T11:00')[0]).toBe('20.00 USD')
  expect(seen('then', 'sometime')).toEqual(['12.99 USD', '20.00 USD', 'sometime'])
})

describe('dates', () => {
  test('say when a price was seen', () => {
    const { first_seen, observed_at } = row({
      published: '2026-05-01T10:00:00Z',
      updated: '2026-05-03T10:00:00Z',
    })
    expect([first_seen, observed_at]).toEqual(['2026-05-01T10:00:00Z', '2026-05-03T10:00:00Z'])
    expect(row({ published: 'Fri, 01 May 26 10:00:00 GMT' }).observed_at).toBe(
      'Fri, 01 May 2026 10:00:00 GMT',
    )
  })

  test.each(['2026-06-01T00:00:00Z', 'yesterday', '', '10:00'])('%s is none', (published) => {
    expect(row({ published })).not.toHaveProperty('observed_at')
  })

  test.each<[string, Partial<FeedEntry>, string | undefined]>([
    ['of a product feed', { product: { expiration_date: '2026-05-06' } }, '2026-05-06'],
    [
      'of a sale',
      { product: { sale_price_effective_date: '2026-05-01T00:00Z/2026-05-07T00:00Z' } },
      '2026-05-07T00:00Z',
    ],
    [
      'in words',
      { texts: ['<p>Expires on Monday, May 11, 2026 at 11:59 PM PDT.'] },
      'May 11, 2026 at 11:59 PM PDT',
    ],
    ['in the title', { title: 'Lantern, valid until 11.05.2026' }, '11.05.2026'],
    ['without its year', { texts: ['Ends May 11'] }, undefined],
    ['of something else', { texts: ['Made on 2026-05-11'] }, undefined],
  ])('an end %s', (_, entry, end) => {
    expect(row(entry).ends_at).toBe(end)
  })
})

test('the picture is that of the feed, else the first of the text that is more than a dot', () => {
  const dot = '<img src="https://count.example/a.gif" width="1" height="1">'
  const texts = [`${dot}<img alt="" src='//pictures.example/lantern.jpg?a=1&amp;b=2'>`]
  expect(row({ texts }).image_url).toBe('//pictures.example/lantern.jpg?a=1&b=2')
  expect(row({ texts, pictures: ['https://p.example/1.jpg'] }).image_url).toBe('https://p.example/1.jpg')
  expect(row({ texts: [dot, '<img src="/local.jpg">'] })).not.toHaveProperty('image_url')
})

test('what is over, its stock and its brand are said by their names', () => {
  const product = { availability: 'out_of_stock', brand: 'Northlight', condition: 'used' }
  expect(row({ title: 'EXPIRED: Lantern', product })).toMatchObject({
    ...{ title: 'Lantern', deal_state: 'expired', availability: 'out of stock' },
    ...{ brand: 'Northlight', condition: 'used' },
  })
})

test('a title loses its tags and entities', () => {
  expect(row({ title: '<b>Lantern</b> &amp; Lamp &#8211; &#36;9' })).toMatchObject({
    title: 'Lantern & Lamp',
    price: '$9',
  })
})

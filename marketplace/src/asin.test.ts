import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asinOf,
  asinOfAddress,
  isAsin,
  leadsElsewhere,
  readAsin,
  repairedIsbn,
  shopOfAddress,
} from './asin.ts'
import { productLink } from './product-links.ts'

describe('asinOf', () => {
  it.each([
    ['B0ABCD1234', 'B0ABCD1234'],
    [' b0abcd1234 ', 'B0ABCD1234'],
    ['0306406152', '0306406152'],
    ['080442957X', '080442957X'],
    ['https://www.amazon.com/dp/B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.com/Blue-Mug/dp/B0ABCD1234/ref=sr_1_4?qid=1679134237&tag=somebody-20', 'B0ABCD1234'],
    ['/Blue-Mug/dp/B0ABCD1234/ref=sr_1_4', 'B0ABCD1234'],
    ['dp/B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.de/gp/product/b0abcd1234?psc=1', 'B0ABCD1234'],
    ['https://www.amazon.in/gp/aw/d/080442957X', '080442957X'],
    ['https://www.amazon.com/exec/obidos/ASIN/0306406152/somebody-20', '0306406152'],
    ['https://www.amazon.com/product-reviews/B0ABCD1234/', 'B0ABCD1234'],
    ['https://amzn.com/B0ABCD1234', 'B0ABCD1234'],
    [
      '/gp/slredirect/picassoRedirect.html/ref=pa_sp?ie=UTF8&adId=A1&url=%2FBlue-Mug%2Fdp%2FB0ABCD1234%2Fref%3Dsr_1',
      'B0ABCD1234',
    ],
    [
      'https://www.amazon.com/sspa/click?ie=UTF8&spc=MTox&url=%2Fdp%2FB0ABCD1234%2Fref%3Dsr_1_1',
      'B0ABCD1234',
    ],
    ['https://go.example/?to=https%253A%252F%252Fwww.amazon.com%252Fdp%252FB0ABCD1234', 'B0ABCD1234'],
    ['https://ads.example/widgets/q?Format=_SL500_&ASIN=B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.com/100%-Cotton/dp/B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.com/100%-Cotton?url=%2Fdp%2FB0ABCD1234', 'B0ABCD1234'],
  ])('finds the item of %s', (text, asin) => {
    expect(asinOf(text)).toBe(asin)
  })

  it.each([
    '',
    '547577095',
    'B0ABCD12345',
    'Watermelon',
    'https://a.co/d/gHqzjY1',
    'https://www.amazon.com/s?k=mug',
  ])('finds none in %s', (text) => {
    expect(asinOf(text)).toBeNull()
  })

  it('never throws and never answers anything but an item ID', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })),
        (text) => {
          const asin = asinOfAddress(text)
          expect(asin === null || isAsin(asin)).toBe(true)
        },
      ),
    )
  })

  it('finds the item of every link we make', () => {
    expect(asinOf(productLink('080442957X', 'amazon.in', 'us-21'))).toBe('080442957X')
    expect(productLink('B0ABCD1234', 'amazon.in')).toBe('https://www.amazon.in/dp/B0ABCD1234')
    expect(productLink('B0ABCD1234', 'amazon.in', 'us-21')).toBe(
      'https://www.amazon.in/dp/B0ABCD1234?tag=us-21',
    )
  })
})

describe('repairedIsbn', () => {
  it('gives lost zeros back when the check digit agrees, and only then', () => {
    expect(repairedIsbn('306406152')).toBe('0306406152')
    expect(repairedIsbn('306406153')).toBeNull()
    expect(repairedIsbn('mug')).toBeNull()
  })
})

describe('leadsElsewhere', () => {
  it.each([
    ['https://www.amazon.com/dp/B0ABCD1234', false],
    ['https://smile.amazon.com/dp/B0ABCD1234', false],
    ['/dp/B0ABCD1234', false],
    ['https://shop.example/amazon/dp/B0ABCD1234', false],
    ['https://www.amazon.com.br/dp/B0ABCD1234', true],
    ['https://www.amazon.cn/dp/B0ABCD1234', true],
    ['www.amazon.in/dp/B0ABCD1234', true],
    ['https://www.amazon.com/redirect?url=https%3A%2F%2Fwww.amazon.in%2Fdp%2FB0ABCD1234', true],
    ['https://www.amazon.com/sspa/click?url=%2Fdp%2FB0ABCD1234', false],
  ])('%s seen from amazon.com: %s', (address, elsewhere) => {
    expect(leadsElsewhere(address, 'amazon.com')).toBe(elsewhere)
  })

  it('names the shop', () => {
    expect(shopOfAddress('https://www.amazon.co.uk:443/dp/B0ABCD1234')).toBe('amazon.co.uk')
    expect(shopOfAddress('https://notamazon.com/dp/B0ABCD1234')).toBeNull()
  })
})

describe('readAsin', () => {
  it.each([
    ['b0abcd1234', 'B0ABCD1234'],
    [' ASIN: B0ABCD1234 ', 'B0ABCD1234'],
    ['Ｂ０ＡＢＣＤ１２３４', 'B0ABCD1234'],
    ['080442957x', '080442957X'],
    ['0-306-40615-2', '0306406152'],
    ['ISBN 0 306 40615 2', '0306406152'],
    ['978-0-306-40615-7', '0306406152'],
    ['9780804429573', '080442957X'],
    ['<https://www.amazon.com/Blue-Mug/dp/B0ABCD1234/ref=sr_1?th=1>', 'B0ABCD1234'],
    ['www.amazon.de/gp/product/B0ABCD1234', 'B0ABCD1234'],
    ['amazon.com/d/B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.com/gp/offer-listing/B0ABCD1234', 'B0ABCD1234'],
    ['https://www.amazon.com/x?asin=B0ABCD1234', 'B0ABCD1234'],
    ['http://amzn.com/0306406152', '0306406152'],
    ['Look: https://www.amazon.com/dp/0306406152 nice', '0306406152'],
    ['B0ABCD1234, B0ABCD1234', 'B0ABCD1234'],
  ])('%s is %s', (text, asin) => {
    expect(readAsin(text)).toEqual({ asin })
  })

  it.each([
    ['', 'Please enter an ASIN'],
    [' \u200B\n', 'Please enter an ASIN'],
    ['mug', 'This is no ASIN'],
    ['B0ABCD123', 'This is no ASIN'],
    ['B0ABCD12345', 'This is no ASIN'],
    ['BLUEBANANA', 'This is no ASIN'],
    ['0306406153', 'check digit'],
    ['9780306406158', 'check digit'],
    ['979-10-90636-07-1', 'Paste its address'],
    ['B0ABCD1234 B0ABCD1235', '2 ASINs'],
    ['https://a.co/d/gHqzjY1', "Short links can't be resolved offline"],
    ['a.co/d/B0ABCD1234', "Short links can't be resolved offline"],
    ['https://amzn.to/3abcdef', "Short links can't be resolved offline"],
    ['https://amzn.asia/d/3abcdef', "Short links can't be resolved offline"],
    ['https://www.amazon.com/', 'leads to no product'],
    ['https://www.amazon.com/s?k=kindle', 'leads to no product'],
    ['https://shop.example/mugs', 'no ASIN in this address'],
    ['javascript:alert(1)', 'This is no ASIN'],
  ])('%s is none', (text, words) => {
    expect(readAsin(text)).toEqual({ problem: expect.stringContaining(words) })
  })

  it('never throws and never answers anything but an item ID', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })),
        (text) => {
          const read = readAsin(text)
          expect('problem' in read || isAsin(read.asin)).toBe(true)
        },
      ),
    )
  })
})

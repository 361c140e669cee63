import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readImage } from './addresses.ts'
import { isRatingOutOfRange, readCount, readRating } from './figures.ts'
import { readAvailability, readBoolean, readPrime, strayAvailability } from './flags.ts'
import { cleanText, repairEncoding } from './text.ts'

describe('ratings and counts', () => {
  test.each([
    [4.3, 4.3],
    ['4.3 out of 5 stars', 4.3],
    ['4,3 von 5 Sternen', 4.3],
    ['5つ星のうち4.3', 4.3],
    ['4.7/5', 4.7],
    [4.25, 4.3],
    ['5.0', 5],
    ['0.0', null],
    ['Get', null],
    ['47', null],
    ['86%', null],
    ['4.5/10', null],
    ['4.5 out of 10', null],
    ['4,5 von 10', null],
    ['4.5/5.0', 4.5],
    [-1, null],
    ['1,203 ratings 4.5', null],
    ['Save $5.00', null],
    ['₹2.99', null],
    ['5 €', null],
    ['USD 4.99', null],
    ['5  EUR', null],
    ['Rs. 4', null],
    ['4,99 kr', null],
    ['£4 off', null],
    ['4.5 stars', 4.5],
    ['4 of 5', 4],
    ['4.7K', null],
    ['4½', null],
    ['a-star-4-5', 4.5],
    ['a-icon a-star-small-4', 4],
  ])('rating %j is %d', (text, rating) => {
    expect(readRating(text)).toBe(rating)
  })

  test.each([
    ['2,255', 2255],
    ['1.234', 1234],
    ['24.0', 24],
    ['1.2K', 1200],
    ['1,2 mil', 1200],
    ['10K+ ratings', 10000],
    ['(3,401)', 3401],
    ['1,29,900 ratings', 129900],
    ['2 lakh', 200000],
    ['1.2万', 12000],
    ['3.4M', 3400000],
    [77557, 77557],
    ['0', 0],
    ['Only 2 left in stock.', null],
    ['FREE Delivery by Amazon', null],
    ['4.3 out of 5', null],
    ['-3', null],
    ['1e9', null],
    [1e9, null],
    ['4.5', null],
    ['4.5 (1,203)', null],
    ['1,20', null],
    [12.7, null],
    [24, 24],
  ])('count %j is %d', (text, count) => {
    expect(readCount(text)).toBe(count)
  })
})

test('a rating on a stated scale of ten is out of range, and counted so', () => {
  expect(['4.5/10', '9 out of 10', '4.5/5', '4.5', ''].map(isRatingOutOfRange)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

describe('yes and no', () => {
  test('in any spelling', () => {
    expect(['TRUE', 'yes', 'Ja', '1', 'sim', true, 'x'].map(readBoolean)).toEqual(Array(7).fill(true))
    expect(['False', 'no', 'nein', '0', 'não', false].map(readBoolean)).toEqual(Array(6).fill(false))
    expect(['', 'maybe', null, '2'].map(readBoolean)).toEqual(Array(4).fill(null))
  })

  test('Prime from what is said of the delivery', () => {
    expect(readPrime('Or Prime members get FREE delivery Tomorrow')).toBe(true)
    expect(readPrime('FREE delivery Thursday')).toBe(false)
    expect(readPrime('Not eligible: non-Prime')).toBe(false)
    expect(readPrime('')).toBeNull()
  })

  test.each([
    ['In stock', 'In stock'],
    [' Only 2  left in stock. ', 'Only 2 left in stock.'],
    [true, 'In stock'],
    ['https://schema.org/InStock', 'In stock'],
    ['IN_STOCK_SCARCE', 'Only a few left'],
    ['7', 'In stock'],
    [false, null],
    ['0', null],
    ['Currently unavailable.', null],
    ['OUT_OF_STOCK', null],
    ['Derzeit nicht verfügbar', null],
    ['', undefined],
    ['N/A', undefined],
    [null, undefined],
  ])('availability %j is %j', (text, availability) => {
    expect(readAvailability(text)).toBe(availability)
  })

  test('availability strayed into another column is told from what belongs there', () => {
    expect(strayAvailability('Only 2 left in stock.')).toBe('Only 2 left in stock.')
    expect(strayAvailability('2,255')).toBeUndefined()
    expect(strayAvailability('FREE Delivery by Amazon')).toBeUndefined()
  })
})

describe('texts', () => {
  test.each([
    ['  Mug \n  blue ', 'Mug blue'],
    ['Women&#39;s &amp; Men&amp;#39;s', "Women's & Men's"],
    ['CafÃ© dâ€™or â€“ 5â‚¬', 'Café d’or – 5€'],
    ['Café déjà vu', 'Café déjà vu'],
    ['Ã la carte', 'Ã la carte'],
    ['<b>Bold</b> mug<br/>new', 'Bold mug new'],
    ['a < b > c', 'a < b > c'],
    ['so\u00adft\u200b \u202ehyphen\u0000', 'soft hyphen'],
    ['फोल्डिंग\u200dलैंप', 'फोल्डिंग\u200dलैंप'],
    ['lost \ufffd stays', 'lost \ufffd stays'],
    ['half \ud83d pair', 'half \ufffd pair'],
    ['Salt & 2&3 “pots” 😀', 'Salt & 2&3 “pots” 😀'],
    ['2×™, 10×–12 cm', '2×™, 10×–12 cm'],
    ['×©×œ×•', 'שלו'],
  ])('%j becomes %j', (raw, text) => {
    expect(cleanText(raw, 500)).toBe(text)
  })

  it('is cut at the limit without breaking a character', () => {
    expect(cleanText('x'.repeat(600), 500)).toHaveLength(500)
    expect(cleanText(`${'x'.repeat(499)}😀`, 500)).toBe('x'.repeat(499))
  })

  it('repairs every doubly encoded text, and nothing twice', () => {
    // A lead byte's letter never stands right before a continuation's sign: 'é€–' is also how 逖 looks misread.
    const text = fc.string({ unit: fc.constantFrom('a', 'é.', 'ü', 'ñ ', ...'€–’日 '), minLength: 1 })
    const misread = (right: string) => new TextDecoder('windows-1252').decode(Buffer.from(right))
    fc.assert(
      fc.property(text, (right) => {
        expect(repairEncoding(misread(right))).toBe(right)
        expect(repairEncoding(right)).toBe(right)
      }),
      { numRuns: 2000 },
    )
  })

  it('is looked at closely wherever there is something to clean, as one that begins with a space always is', () => {
    const signs = [
      ...'a9 &#<;é–१',
      '  ',
      '&amp',
      '\u00c3',
      '\u0085',
      '\u200b',
      '\u200d',
      '\ud83d',
      '😀',
      '\u{e007f}',
      '\n',
      '\u00a0',
    ]
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...signs), maxLength: 6 }), (raw) => {
        expect(cleanText(raw, 500)).toBe(cleanText(` ${raw}`, 500))
      }),
      { numRuns: 2000 },
    )
  })

  it('is stable: cleaning what is clean changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const once = cleanText(raw.replaceAll('&', ''), 500)
        fc.pre(!/[\u00c2-\u00f4]/.test(once) && !once.includes('<'))
        expect(cleanText(once, 500)).toBe(once)
      }),
    )
  })
})

test.each([
  ['https://m.media-amazon.com/images/I/a.jpg', 'https://m.media-amazon.com/images/I/a.jpg'],
  ['//m.media-amazon.com/images/I/a.jpg', 'https://m.media-amazon.com/images/I/a.jpg'],
  ['http://ecx.images-amazon.com/images/I/a.jpg', 'https://ecx.images-amazon.com/images/I/a.jpg'],
  ['https://a.example/1.jpg | https://a.example/2.jpg', 'https://a.example/1.jpg'],
  [
    'https://ws-na.amazon-adsystem.com/widgets/q?_encoding=UTF8&amp;ASIN=B0ABCD1234',
    'https://images-na.ssl-images-amazon.com/images/P/B0ABCD1234.01.LZZZZZZZ.jpg',
  ],
  ['https://ws-na.amazon-adsystem.com/widgets/q?_encoding=UTF8&ASIN=', null],
  ['https://ir-na.amazon-adsystem.com/e/ir?t=x-20&l=ur2&a=B0ABCD1234', null],
  ['javascript:alert(1)', null],
  ['/images/a.jpg', null],
  ['https://user:pass@a.example/1.jpg', null],
  ['', null],
])('picture %s is %s', (text, address) => {
  expect(readImage(text, 'amazon.com')).toBe(address)
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readImage } from './addresses.ts'
import { isRatingOutOfRange, readCount, readRating } from './figures.ts'
import { readAvailability, readBoolean, readPrime, strayAvailability } from './flags.ts'
import { currencyOf, decimalMarkOf, readMoney } from './money.ts'
import { cleanText, repairEncoding } from './text.ts'
import { readEnd, readTime } from './times.ts'

describe('prices', () => {
  test.each([
    [19.99, 19.99, null],
    [19.989999999, 19.99, null],
    ['19.99', 19.99, null],
    ['$1,299.00', 1299, null],
    ['US$ 5', 5, 'USD'],
    ['CA$ 5.50', 5.5, 'CAD'],
    ['R$ 1.299,90', 1299.9, 'BRL'],
    ['₹1,29,900', 129900, 'INR'],
    ['Rs. 1,299.50', 1299.5, 'INR'],
    ['4.5/10', null],
    ['4.5 out of 10', null],
    ['4,5 von 10', null],
    ['4.5/5.0', 4.5],
    ['1.299,00 €', 1299, 'EUR'],
    ['EUR 12,99', 12.99, 'EUR'],
    ['1\u00a0299,00\u00a0€', 1299, 'EUR'],
    ['1\u202f299,5 zł', 1299.5, 'PLN'],
    ["CHF 1'299.50", 1299.5, 'CHF'],
    ['￥1,280', 1280, 'JPY'],
    ['1,280円', 1280, 'JPY'],
    ['£3', 3, 'GBP'],
    ['R 1 299,00', 1299, 'ZAR'],
    ['١٢٫٥٠ ج.م', 12.5, 'EGP'],
    ['Now only $19.99!', 19.99, null],
    ['$19.99 - $29.99', 19.99, null],
    ['-25% $8.99', 8.99, null],
    ['$19 99', 19.99, null],
    ['$.89', 0.89, null],
    ['.99', 0.99, null],
    [',50 €', 0.5, 'EUR'],
    ['99¢', 0.99, null],
    ['99c', 0.99, null],
    ['v.2 for $5.00', 5, null],
    ['$5.99 ($0.50 / Count)', 5.99, null],
    ['-5.00', -5, null],
    ['-$5.00', -5, null],
    ['1.299.000', 1299000, null],
    ['12.345', 12.35, null],
    ['1,299', 1299, null],
    ['12,5', 12.5, null],
    ['1e3', 1000, null],
    ['0', 0, null],
  ])('%j is %d in %s', (text, amount, currency) => {
test('a rating on a stated scale of ten is out of range, and counted so', () => {
  expect(['4.5/10', '9 out of 10', '4.5/5', '4.5', ''].map(isRatingOutOfRange)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

    expect(readMoney(text, '.')).toEqual({ amount, currency })
  })

  test.each([
    ['1.299', 1299],
    ['1.299,00', 1299],
    ['12,99', 12.99],
    ['19.99', 19.99],
    ['1.299.000,5', 1299000.5],
  ])('%j is %d where commas begin decimals', (text, amount) => {
    expect(readMoney(text, ',')?.amount).toBe(amount)
  })

  test.each(['', 'N/A', 'Free', '-', '50%', null, undefined, true, Number.NaN])('%j is no price', (text) => {
    expect(readMoney(text, '.')).toBeNull()
  })

  it('reads back every amount, however it is grouped', () => {
    const styles: Array<[string, string]> = [
      [',', '.'],
      ['.', ','],
      [' ', ','],
      ['\u00a0', '.'],
      ["'", '.'],
    ]
    fc.assert(
      fc.property(
        fc.nat(99_999_999),
        fc.constantFrom(...styles),
        fc.constantFrom('$', '€', ''),
        (cents, [group, mark], sign) => {
          const [whole = '', decimals] = (cents / 100).toFixed(2).split('.')
          const text = `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, group)}${mark}${decimals}`
          expect(readMoney(text, '.')?.amount).toBe(cents / 100)
        },
      ),
    )
  })

  it('tells the habit of a column', () => {
    expect(decimalMarkOf(['1.299', '12,99'], '.')).toBe(',')
    expect(decimalMarkOf(['1,299', '12.5'], ',')).toBe('.')
    expect(decimalMarkOf(['1.299', 7], ',')).toBe(',')
  })

  it('knows currencies by code and sign', () => {
    expect(['usd', '₹', '$', 'GPB', '€'].map(currencyOf)).toEqual(['USD', 'INR', null, 'GPB', 'EUR'])
  })
})

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
    [-1, null],
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
  ])('count %j is %d', (text, count) => {
    expect(readCount(text)).toBe(count)
  })
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

describe('times', () => {
  const noon = Date.UTC(2026, 3, 16, 12) * 1000
  test.each([
    ['2026-04-16T12:00:00Z', noon],
    ['2026-04-16T12:00:00.764338+00:00', noon + 764338],
    ['2026-04-16 17:45:00+05:45', noon],
    ['2026-04-16T12:00', noon],
    ['2026-04-16', noon - 12 * 3.6e9],
    ['Thu, 16 Apr 2026 12:00:00 GMT', noon],
    ['Apr 16, 2026 12:00', noon],
    [noon / 1e6, noon],
    [String(noon / 1e3), noon],
    [noon, noon],
    [String(noon * 1000), noon],
    ['2026-02-30T12:00:00Z', null],
    ['2026-13-01', null],
    ['1987-01-01', null],
    ['yesterday', null],
    ['12', null],
    ['', null],
  ])('%j', (text, time) => {
    expect(readTime(text)).toBe(time)
  })

  const evening = noon + 12 * 3.6e9
  test.each([
    ['2026-04-16', evening],
    [' 2026-04-16 ', evening],
    ['April 16, 2026', evening],
    ['16 Apr 2026', evening],
    ['Thu, 16 Apr 2026 GMT', evening],
    ['2026-04-16T00:00:00Z', noon - 12 * 3.6e9],
    ['2026-04-16 12:00', noon],
    ['Apr 16, 2026 12:00', noon],
    ['Apr 16, 2026 12:00 PM', noon],
    [noon / 1e6, noon],
    [String(noon), noon],
    ['2026-02-30', null],
    ['Apr 2026 sale', null],
    ['', null],
  ])('an end: %j', (text, time) => {
    expect(readEnd(text)).toBe(time)
  })

  it('reads back every moment', () => {
    const moment = fc.date({ min: new Date('1996-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, (date) => {
        expect(readTime(date.toISOString())).toBe(date.getTime() * 1000)
      }),
    )
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

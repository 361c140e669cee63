import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decimalMarkOf, readMoney } from './money.ts'

describe('prices', () => {
  test.each([
    [19.99, 19.99, null],
    [19.989999999, 19.99, null],
    ['19.99', 19.99, null],
    ['$1,299.00', 1299, '$'],
    ['US$ 5', 5, 'USD'],
    ['CA$ 5.50', 5.5, 'CAD'],
    ['R$ 1.299,90', 1299.9, 'BRL'],
    ['₹1,29,900', 129900, 'INR'],
    ['Rs. 1,299.50', 1299.5, 'INR'],
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
    ['Now only $19.99!', 19.99, '$'],
    ['$19.99 - $29.99', 19.99, '$'],
    ['-25% $8.99', 8.99, '$'],
    ['$19 99', 19.99, '$'],
    ['$.89', 0.89, '$'],
    ['.99', 0.99, null],
    [',50 €', 0.5, 'EUR'],
    ['99¢', 0.99, '$'],
    ['99c', 0.99, null],
    ['v.2 for $5.00', 5, '$'],
    ['-5.00', -5, null],
    ['-$5.00', -5, '$'],
    ['1.299.000', 1299000, null],
    ['12.345', 12.35, null],
    ['1,299', 1299, null],
    ['12,5', 12.5, null],
    ['1e3', 1000, null],
    ['0', 0, null],
  ])('%j is %d in %s', (text, amount, currency) => {
    expect(readMoney(text, '.')).toEqual({ amount, currency })
  })

  test.each([
    ['1.299', 1299],
    ['1.299,00', 1299],
    ['12,99', 12.99],
    ['19.99', 19.99],
    ['1.299.000,5', 1299000.5],
  ])('%j is %d where commas begin decimals', (text, amount) => {
    expect(readMoney(text, ',')).toMatchObject({ amount })
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
          expect(readMoney(text, '.')).toMatchObject({ amount: cents / 100 })
        },
      ),
    )
  })

  it('tells the habit of a column', () => {
    expect(decimalMarkOf(['1.299', '12,99'], '.')).toBe(',')
    expect(decimalMarkOf(['1,299', '12.5'], ',')).toBe('.')
    expect(decimalMarkOf(['1.299', 7], ',')).toBe(',')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePieces, normaliseFilterCode } from './filter-codes.ts'

const codeOf = (text: string) => {
  const read = normaliseFilterCode(text)
  return 'code' in read ? read.code : `refused: ${read.problem}`
}

describe('normaliseFilterCode', () => {
  it.each([
    ['p_8:50-', 'p_8:50-'],
    ['&rh=p_8:50-', 'p_8:50-'],
    ['?rh=p_8%3A50-', 'p_8:50-'],
    ['rh=p_8%3A50-', 'p_8:50-'],
    ['rh:p_8:50-', 'p_8:50-'],
    ['p_8%3A50-', 'p_8:50-'],
    ['p_8%253A50-', 'p_8:50-'],
    ['rh%3Dp_8%25253A50-', 'p_8:50-'],
    ['P_8 : 50-', 'p_8:50-'],
    ['p_8=50-', 'p_8:50-'],
    ['p_8:50-,', 'p_8:50-'],
    ['%2Cp_8%3A50-%2C', 'p_8:50-'],
    ['&p_8:50-&', 'p_8:50-'],
    ['p_8:50-|', 'p_8:50-'],
    ['“p_8:50-”', 'p_8:50-'],
    ['`p_8:50-`', 'p_8:50-'],
    ['p_8:\u200B50-\n', 'p_8:50-'],
    ['p_8:50', 'p_8:50-'],
    ['p_8:50%', 'p_8:50-'],
    ['pct-off=50-', 'p_8:50-'],
    ['p_8:40-60', 'p_8:40-60'],
    ['n:172282,p_8:50-', 'n:172282,p_8:50-'],
    ['n:172282 p_8:50-', 'n:172282,p_8:50-'],
    ['n:172282;\np_8:50-', 'n:172282,p_8:50-'],
    ['n:172282%2Cp_8:50-', 'n:172282,p_8:50-'],
    ['rh=n:172282&rh=p_8:50-', 'n:172282,p_8:50-'],
    ['n:1|2', 'n:1,n:2'],
    ['p_123:1%257C2', 'p_123:1|2'],
    ['p_89%3AAcme%7Cp_89%3ABolt', 'p_89:Acme|Bolt'],
    ['p_89: "Acme" ', 'p_89:Acme'],
    ['p_89:Acme & Sons', 'p_89:Acme & Sons'],
    ['p_89:Acme &amp; Sons', 'p_89:Acme & Sons'],
    ['rh=p_89%3AAcme+%26+Sons', 'p_89:Acme & Sons'],
    ['p_89:ACME+BOLT', 'p_89:ACME+BOLT'],
    ['p_89%3AAcme+Bolt', 'p_89:Acme Bolt'],
    ['p_89:100% Pure', 'p_89:100% Pure'],
    ['p_89:<script>', 'p_89:<script>'],
    ['p_89:ナイスブランド', 'p_89:ナイスブランド'],
    ['s=price-asc-rank', 's=price-asc-rank'],
    ['&sort=price-asc-rank&ref=sr_1', 's=price-asc-rank'],
    ['url=search-alias%3Daps', 'i=aps'],
    ['i=bazaar&amp;srs=1', 'i=bazaar&srs=1'],
    ['rh=p_8:50-&s=price-asc-rank', 's=price-asc-rank&rh=p_8:50-'],
    ['p_8:50-&s=price-asc-rank', 's=price-asc-rank&rh=p_8:50-'],
    ['low-price=5&high-price=19.99', 'p_36:500-1999'],
    ['emi=A1', 'p_6:A1'],
    [
      ' https://www.amazon.com/s?k=kites&i=toys&rh=n%3A7%2Cp_89%3AAcme+Bolt&dc&qid=1&ref=x&tag=other-20&page=3 ',
      'i=toys&rh=n:7,p_89:Acme Bolt',
    ],
    ['amazon.co.uk/s?rh=p_8%3A50-', 'p_8:50-'],
    ['/s?rh=p_8%3A50-&dc', 'p_8:50-'],
  ])('%s means %s', (text, code) => {
    expect(codeOf(text)).toBe(code)
  })

  it.each([
    ['', 'Please enter a code'],
    ['  ", ', "doesn't say what it filters"],
    ['50%', "doesn't say what it filters"],
    ['Electronics', "doesn't say what it filters"],
    ['p_8:', 'Nothing in this code filters'],
    ['p_8:half', 'A percentage is a range'],
    ['p_36:$5-$30', 'A price is in cents'],
    ['p_36:-', 'A price is in cents'],
    ['n:Electronics', 'A department is a number'],
    ['p_89:Acme, Inc.', 'A comma separates filters'],
    ['p_89:Acme%2C Inc.', 'A comma separates filters'],
    ['p_89:Acme%ZZ%C3', 'broken percent sign'],
    ['javascript:alert(1)', "'javascript' is no refinement"],
    ['k=kites', 'holds no keyword'],
    ['tag=other-20', 'Nothing in this code filters'],
    ['https://elsewhere.example/s?rh=p_8:50-', 'no address of a search'],
    ['https://www.amazon.com/dp/B0ABCD1234', 'no address of a search'],
    ['https://www.amazon.com/s?k=kites&ref=x', 'no filter in its address'],
    ['<script>alert(1)</script>', "doesn't say what it filters"],
    ['i=a&i=b', "takes one 'i='"],
  ])('%s is refused', (text, words) => {
    expect(codeOf(text)).toMatch(/^refused: /)
    expect(codeOf(text)).toContain(words)
  })

  it('gets through hostile texts', () => {
    const parts = ['%25', ';', '"', ' ', 'p_89:', '&amp;', 'n:1,', '&a=', '%2%35', ' "p_8:']
    const texts = parts.map((part) => `p_89:${part.repeat(5000 / part.length - 5)}x`)
    for (const text of texts) expect(codeOf(text).length).toBeGreaterThan(0)
    expect(codeOf('p_8:50-,'.repeat(1000))).toContain('at most 5000 characters')
  })

  const typed = fc.stringMatching(
    /^(?:[&?]?(?:rh=|n:|p_89?:|p_8:|s=|i=|[%a-cC0-9:,|&=+;"' 23\-A#<]){1,3}){1,8}$/,
  )

  it('changes nothing in a normal form', () => {
    fc.assert(
      fc.property(fc.oneof(typed, fc.string({ unit: 'binary' })), (text) => {
        const read = normaliseFilterCode(text)
        if ('code' in read) expect(normaliseFilterCode(read.code)).toEqual(read)
      }),
    )
  })

  it('reads the same pieces from a text and from its normal form', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const read = normaliseFilterCode(text)
        if ('code' in read) expect(asSet(codePieces(read.code))).toEqual(asSet(codePieces(text)))
      }),
    )
  })

  it('understands a normal form however often it is encoded', () => {
    const word = fc.stringMatching(/^[A-Za-z\u00C0-\u00D6\u4E00-\u4E20]{1,8}(?:[ &+'.-][A-Za-z]{1,5})?$/)
    const code = fc.oneof(
      word.map((brand) => `p_89:${brand}`),
      fc.tuple(word, word).map(([one, other]) => `p_89:${one}|${other},p_8:50-`),
    )
    fc.assert(
      fc.property(
        code,
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('', '&', 'rh=', '?rh='),
        (text, times, before) => {
          let encoded = text
          for (let time = 0; time < times; time++) encoded = encodeURIComponent(encoded)
          expect(codeOf(before + encoded)).toBe(codeOf(text))
        },
      ),
    )
  })
})

it('keeps what thousands of codes were read as, but not of ever new long ones', () => {
  const first = codePieces('p_89:First')
  for (let at = 0; at < 10_000; at++) codePieces(`p_89:Brand ${at}|Make ${at}`)
  expect(codePieces('p_89:First')).toBe(first)
  // Two megabytes, of which the pieces would take eighty.
  for (let at = 0; at < 1_000; at++) codePieces(`n:${at},`.padEnd(2_000, 'n:1,'))
  expect(codePieces('p_89:First')).not.toBe(first)
})

function asSet(pieces: ReturnType<typeof codePieces>) {
  return new Set(pieces.map(({ kind, name, value }) => `${kind} ${name} ${value}`))
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listFormats, mostItems, readImageList, writeImageList, writeTable } from './view.ts'

const read = (text: string) => readImageList(text, 'amazon.com')
const asins = (text: string) => read(text).items.map(({ asin }) => asin)
const refused = (text: string) => read(text).refused.map(({ line, text: part }) => [line, part])

const a = 'B07N4M94HP'
const b = 'B0CX23V2ZK'

test.each([
  ['lines', `${a}\n\n  ${b}\r\n`],
  ['commas', `${a},${b}`],
  ['commas and spaces', `${a}, ${b.toLowerCase()}`],
  ['semicolons', `${a};${b}`],
  ['a row of a spreadsheet', `${a}\t${b}`],
  ['spaces', `${a} ${b}`],
  ['addresses', `https://www.amazon.com/Some,-thing/dp/${a}?k=a,b\nhttps://www.amazon.com/gp/product/${b}`],
  ['addresses in one line', `https://www.amazon.com/dp/${a}?k=a, https://www.amazon.com/dp/${b}`],
  ['addresses without a scheme', `amazon.com/dp/${a} www.amazon.com/dp/${b}`],
  ['titles beside them', `Red lamp, ${a}\nBlue lamp (1080p) ${b}`],
])('%s', (_, text) => {
  expect(asins(text)).toEqual([a, b])
  expect(refused(text)).toEqual([])
})

test('an ISBN after an address in one line is an item of its own', () => {
  expect(asins(`https://www.amazon.com/dp/${a}?k=1,2 0547577095, 978-0-306-40615-7`)).toEqual([
    a,
    '0547577095',
    '0306406152',
  ])
  expect(refused(`https://www.amazon.com/dp/${a}?qid=1700000000, 0547577096`)).toEqual([[1, '0547577096']])
  expect(refused(`https://www.amazon.com/dp/${a}?rh=n:12345,1700000000&dc`)).toEqual([])
})

test('what is no item is told with its line and a reason', () => {
  const list = read(`hello there\n${a}\nB0SHORT1, ${b}\n${a}\nhttps://amzn.to/3abc\n0547577096`)
  expect(list.items.map(({ asin, line }) => [asin, line])).toEqual([
    [a, 2],
    [b, 3],
  ])
  expect(list.refused.map(({ line, text }) => [line, text])).toEqual([
    [1, 'hello there'],
    [3, 'B0SHORT1'],
    [4, a],
    [5, 'https://amzn.to/3abc'],
    [6, '0547577096'],
  ])
  expect(list.refused[2]?.reason).toBe(`${a} is already in line 2.`)
  expect(list.refused[4]?.reason).toContain('check digit')
})

test('nothing pasted is lost: each line is an item, one before, or has a reason', () => {
  const line = fc.oneof(
    fc.constantFrom(a, b, `https://www.amazon.com/dp/${a}`, '0547577095', 'no item', '<script>', '"'),
    fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, '')),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const list = read(lines.join('\n'))
      const told = new Set([...list.items, ...list.refused].map((entry) => entry.line))
      for (const [index, text] of lines.entries()) {
        if (/[^\s,;|]/.test(text)) expect(told).toContain(index + 1)
      }
    }),
    { seed: 3, numRuns: 1_000 },
  )
})

test('a list takes so many and tells the rest', () => {
  const many = Array.from({ length: mostItems + 1 }, (_, index) => `B0${String(index).padStart(8, '0')}`)
  const list = read(many.join('\n'))
  expect(list.items).toHaveLength(mostItems)
  expect(list.refused).toHaveLength(1)
})

test('a list is written in four formats', () => {
  const { items } = read(a)
  const [small, standard, large] = ['THUMBZZZ', 'MZZZZZZZ', 'LZZZZZZZ'].map(
    (size) => `https://images-na.ssl-images-amazon.com/images/P/${a}.01.${size}.jpg`,
  )
  expect(listFormats.map((format) => writeImageList(items, format))).toEqual([
    `ASIN\tsmall\tstandard\tlarge\n${a}\t${small}\t${standard}\t${large}\n`,
    `| ASIN | small | standard | large |\n| --- | --- | --- | --- |\n| ${a} | ${small} | ${standard} | ${large} |\n`,
    `<table>\n  <thead><tr><th>ASIN</th><th>small</th><th>standard</th><th>large</th></tr></thead>\n  <tbody>\n    <tr><td>${a}</td><td>${small}</td><td>${standard}</td><td>${large}</td></tr>\n  </tbody>\n</table>\n`,
    `ASIN,small,standard,large\r\n${a},${small},${standard},${large}\r\n`,
  ])
})

test('whatever a cell holds stays text', () => {
  const rows = [['a'], ['<b>"x" & \'y\'</b>|`*_[z]\\'], ['=1+1'], ['x,"y"\nz']]
  expect(writeTable(rows, 'html')).toContain('<td>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;')
  expect(writeTable(rows, 'markdown')).toContain('&#39;&lt;/b&gt;\\|\\`\\*\\_\\[z\\]\\\\ |')
  expect(writeTable(rows, 'csv')).toContain('\r\n\'=1+1\r\n"x,""y""\nz"\r\n')
  expect(writeTable(rows, 'text').split('\n')).toHaveLength(5)
})

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { CsvRows } from './csv-rows.ts'

test('each record says on which line it begins, however the text is cut', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'a" ,\n') })
  const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 6 })
  fc.assert(
    fc.property(records, fc.array(fc.nat(100), { maxLength: 6 }), (rows, cuts) => {
      const lines: number[] = []
      let text = ''
      for (const row of rows) {
        if (row.some((one) => one.trim() !== '')) lines.push(text.split('\n').length)
        text += `${row.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')}\n`
      }
      const offsets = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b)
      const reader = new CsvRows(',')
      const found = offsets.flatMap((offset, at) => reader.push(text.slice(offset, offsets[at + 1])))
      expect([...found, ...reader.end()].map(({ line }) => line)).toEqual(lines)
    }),
  )
  expect(new CsvRows(',').push('a,b\n\n"c\nd",e\nf,g\n').map(({ line }) => line)).toEqual([1, 3, 5])
})

test('a long record that comes in tiny pieces is not looked through again for each of them', () => {
  const reader = new CsvRows(',')
  const cell = 'x'.repeat(400_000)
  const found = [...`"${cell}",b\n`].flatMap((sign) => reader.push(sign))
  expect([...found, ...reader.end()]).toEqual([{ line: 1, cells: [cell, 'b'] }])
}, 15_000)

test('the end of a line is looked for once, not again from each of its cells', () => {
  const text = `"a"${',b'.repeat(1_000)}\nc,d\n`
  const looks = vi.spyOn(String.prototype, 'indexOf')
  const found = new CsvRows(',').push(text)
  const forLineEnds = looks.mock.calls.filter(([sign]) => sign === '\n').length
  looks.mockRestore()
  expect(found.map(({ cells }) => cells?.length)).toEqual([1_001, 2])
  expect(forLineEnds).toBeLessThan(10)
})

test('a text full of quotation marks that never close is given up after a few lines', () => {
  const read = (text: string) => {
    const reader = new CsvRows(',')
    return [...reader.push(text), ...reader.end()]
  }
  const open = { problem: 'a quotation mark is opened but never closed' }
  expect(read('"a\n'.repeat(50)).at(-1)).toMatchObject({ line: 50, ...open })
  const long = `"${'a"'.repeat(130_000)}a\n`
  expect(read(long.repeat(2))).toMatchObject([open, open])
  expect(() => read(long.repeat(3))).toThrow('Too many quotation marks')
})

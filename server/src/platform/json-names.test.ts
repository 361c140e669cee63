import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatedName } from './json-names.ts'

const found = (text: string) => repeatedName(text, JSON.parse(text))
const name = fc.string({ unit: fc.constantFrom(...'ab"\\:{}[], \n€') })
const object = fc.dictionary(name, fc.oneof(name, fc.jsonValue({ maxDepth: 3 })), { minKeys: 1, maxKeys: 6 })

test.each([
  ['{"price":1,"title":"Lamp","price":2}', 'price', 26],
  ['{"price" : 1, "price" : 2}', 'price', 14],
  ['[{"a":1},{"deal":{"price":1,"price":1}}]', 'price', 28],
  ['{"a\\"":":","\\u0061\\"":2}', 'a"', 11],
])('%s says %s twice', (text, name, at) => {
  expect(found(text)).toEqual({ name, at })
})

test('what is written without repetition has none, however it is indented', () => {
  fc.assert(
    fc.property(fc.array(object), fc.constantFrom(undefined, 1), (rows, indent) => {
      expect(found(JSON.stringify(rows, null, indent))).toBeUndefined()
    }),
  )
})

test('a member written once more is found, whatever stands around it', () => {
  fc.assert(
    fc.property(object, fc.nat(5), (row, at) => {
      const names = Object.keys(row)
      const repeated = names[at % names.length] ?? ''
      const text = `${JSON.stringify(row).slice(0, -1)},${JSON.stringify(repeated)}:0}`
      expect(found(`[${text}]`)?.name).toBe(repeated)
    }),
  )
})

import { expect, test } from 'vitest'
import { brandsSearchSchema, filtersSearchSchema } from './search.ts'

test('an address is read for what it says and nothing else', () => {
  expect(filtersSearchSchema.parse({ q: ' sony ', category: 'brands', x: 1 })).toEqual({
    q: 'sony',
    category: 'brands',
  })
  expect(filtersSearchSchema.parse({ q: 50, category: 'toString' })).toEqual({ q: '50', category: undefined })
  expect(filtersSearchSchema.parse({ q: ['a'], category: 7 })).toEqual({ q: undefined, category: undefined })
  expect(filtersSearchSchema.parse({ q: 'x'.repeat(500) }).q).toHaveLength(200)
  expect(brandsSearchSchema.parse({ sort: 'code', desc: 'true' })).toMatchObject({ sort: 'code', desc: true })
  expect(brandsSearchSchema.parse({ sort: 'id', desc: 0 })).toMatchObject({
    sort: undefined,
    desc: undefined,
  })
})

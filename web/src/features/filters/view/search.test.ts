import { expect, test } from 'vitest'
import { filtersSearchSchema } from './search.ts'

test('an address is read for what it says and nothing else', () => {
  expect(filtersSearchSchema.parse({ q: ' sony ', category: 'brands', x: 1 })).toEqual({
    q: 'sony',
    category: 'brands',
  })
  expect(filtersSearchSchema.parse({ q: 50, category: 'toString' })).toEqual({ q: '50', category: undefined })
  expect(filtersSearchSchema.parse({ q: ['a'], category: 7 })).toEqual({ q: undefined, category: undefined })
  expect(filtersSearchSchema.parse({ q: 'x'.repeat(500) }).q).toHaveLength(200)
  const sortOf = (search: Record<string, unknown>) => {
    const { sort, desc } = filtersSearchSchema.parse({ category: 'brands', ...search })
    return [sort, desc]
  }
  expect(sortOf({ sort: 'code', desc: 'true' })).toEqual(['code', true])
  expect(sortOf({ sort: 'id', desc: 0 })).toEqual([undefined, undefined])
  expect(sortOf({ sort: 'code', desc: true, category: 'deals' })).toEqual([undefined, undefined])
})

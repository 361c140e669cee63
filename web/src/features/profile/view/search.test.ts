import { expect, test } from 'vitest'
import { profileSearchSchema } from './search.ts'

test('an address names a tab or none', () => {
  expect(profileSearchSchema.parse({ tab: 'security' })).toEqual({ tab: 'security' })
  expect(profileSearchSchema.parse({ tab: 'toString' })).toEqual({ tab: undefined })
})

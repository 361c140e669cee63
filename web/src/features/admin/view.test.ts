import { expect, test } from 'vitest'
import { adminSearchSchema } from './view.ts'

test('an address without a known tab is the first one', () => {
  expect(adminSearchSchema.parse({ tab: 'audit' })).toEqual({ tab: 'audit' })
  expect(adminSearchSchema.parse({ tab: 'ingest' })).toEqual({ tab: 'import' })
  for (const tab of ['shoes', 7, null, undefined, ['audit'], 'toString'])
    expect(adminSearchSchema.parse({ tab, x: 1 })).toEqual({ tab: undefined })
  // A number in an address is one by the time it is read.
  expect(adminSearchSchema.parse({ tab: 'sources', source: 12 })).toEqual({ tab: 'sources', source: '12' })
})

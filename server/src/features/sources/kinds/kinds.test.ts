import { sourceKinds } from '@dealdeck/contract/sources'
import { expect, test } from 'vitest'
import { kinds } from './kinds.ts'

test('each kind of the contract is there, in its order, and names its fields once', () => {
  expect(kinds.map(({ kind }) => kind)).toEqual(sourceKinds)
  for (const { description } of kinds)
    expect(new Set(description.fields.map(({ name }) => name)).size).toBe(description.fields.length)
})

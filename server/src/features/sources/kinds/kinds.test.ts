import { sourceKinds } from '@dealdeck/contract/sources'
import { expect, test } from 'vitest'
import { describeKinds, kindOf } from './kinds.ts'

test('each kind is found by its name, and described for its form', () => {
  const described = describeKinds()
  for (const { kind, fields } of described) {
    expect(sourceKinds).toContain(kind)
    expect(kindOf(kind)?.kind).toBe(kind)
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
  }
  expect(described.map(({ kind }) => kind)).toEqual(sourceKinds.filter((name) => kindOf(name)))
})

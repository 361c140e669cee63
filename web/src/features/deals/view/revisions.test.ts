import { expect, test } from 'vitest'
import { isNoOlder } from './revisions.ts'

test.each([
  ['abc-7', 'abc-7', true],
  ['abc-10', 'abc-9', true],
  ['abc-9', 'abc-10', false],
  ['abc-9', 'def-8', false],
  ['abc-9', '', false],
  [undefined, 'abc-9', false],
  [undefined, '', false],
])('a list of %s has all that a stream from %s on leaves out: %s', (revision, begin, isWhole) => {
  expect(isNoOlder(revision, begin)).toBe(isWhole)
})

import { expect, test } from 'vitest'
import { sharedMegabytes } from './embedded-process.ts'

test.each([
  [0.5, 256],
  [2, 256],
  [4, 512],
  [8, 1024],
  [64, 1024],
])('of %d GB the database keeps %d MB for its files', (gigabytes, megabytes) => {
  expect(sharedMegabytes(gigabytes * 2 ** 30)).toBe(megabytes)
})

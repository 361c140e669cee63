import { expect, test } from 'vitest'
import { isResizeNoise } from './resize-noise.ts'

test.each([
  ['ResizeObserver loop limit exceeded', true],
  ['ResizeObserver loop completed with undelivered notifications.', true],
  ['Uncaught Error: ResizeObserver loop limit exceeded', true],
  ['ResizeObserver is not defined', false],
  ['Cannot read properties of undefined', false],
])('%s: %s', (message, noise) => {
  expect(isResizeNoise(message)).toBe(noise)
})

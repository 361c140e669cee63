import type { Range } from '@tanstack/react-virtual'

/**
 * The rows to draw: those near the screen, and, however far they are scrolled away, the one that holds the focus and its
 * neighbours, so that Tab goes on from there.
 */
export function keptRange({ startIndex, endIndex, overscan, count }: Range, focused: number): number[] {
  const near = numbersFrom(startIndex - overscan, endIndex + overscan)
  const kept = focused < 0 ? [] : numbersFrom(focused - 1, focused + 1)
  return [...new Set([...near, ...kept])].filter((index) => index >= 0 && index < count).sort((a, b) => a - b)
}

function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

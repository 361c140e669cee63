import { describe, expect, it } from 'vitest'
import { cutTitle } from './titles.ts'

describe('cutTitle', () => {
  it('leaves a title that fits', () => {
    expect(cutTitle('a'.repeat(50), 50)).toBe('a'.repeat(50))
  })

  it('cuts after the given number of characters', () => {
    expect(cutTitle('a'.repeat(51), 50)).toBe(`${'a'.repeat(50)}…`)
    expect(cutTitle('four words and more', 5)).toBe('four…')
  })

  it('tears no emoji apart and counts it once', () => {
    const family = '👨‍👩‍👧'
    expect(cutTitle(family.repeat(3), 3)).toBe(family.repeat(3))
    expect(cutTitle(family.repeat(4), 3)).toBe(`${family.repeat(3)}…`)
  })
})

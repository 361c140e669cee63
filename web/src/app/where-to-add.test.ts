import { expect, test } from 'vitest'
import { placeBefore } from './where-to-add.ts'

test('who adds a destination goes back to another screen of this page, and nowhere else', () => {
  for (const place of ['/', '/amazon-haul?q=lamp', '/deals/B000000001'])
    expect(placeBefore(place)).toBe(place)
  for (const back of [
    undefined,
    '',
    1,
    ['/'],
    '/alerts',
    '/alerts?tab=quiet',
    '//elsewhere.example',
    '/\\x',
    '/\t/x',
    '/Alerts',
    'https://x',
  ])
    expect(placeBefore(back)).toBeUndefined()
})

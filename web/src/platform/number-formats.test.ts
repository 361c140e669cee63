import { expect, test } from 'vitest'
import { marketplaceFormats, relativeTime } from './number-formats.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test('money and numbers are written as the marketplace writes them', () => {
  const us = marketplaceFormats({
    marketplace: 'amazon.com',
    currency: 'USD',
    locale: 'en-US',
    affiliate_tag: '',
    signup_mode: 'open',
  })
  expect([us.money(1234.5), us.number(2255), us.percent(40)]).toEqual(['$1,234.50', '2,255', '40%'])
  const germany = marketplaceFormats({
    marketplace: 'amazon.de',
    currency: 'EUR',
    locale: 'de-DE',
    affiliate_tag: '',
    signup_mode: 'open',
  })
  expect([germany.money(1234.5), germany.number(2255)]).toEqual(['1.234,50\u00A0€', '2.255'])
  const japan = marketplaceFormats({
    marketplace: 'amazon.co.jp',
    currency: 'JPY',
    locale: 'ja-JP',
    affiliate_tag: '',
    signup_mode: 'open',
  })
  expect(japan.money(1980)).toBe('￥1,980')
})

test.each([
  ['2026-03-01T12:00:30Z', 'just now'],
  ['2026-03-01T11:59:01Z', 'just now'],
  ['2026-03-01T11:59:00Z', '1 min ago'],
  ['2026-03-01T11:00:01Z', '59 min ago'],
  ['2026-03-01T11:00:00Z', '1 h ago'],
  ['2026-02-28T12:00:01Z', '23 h ago'],
  ['2026-02-28T12:00:00Z', '1 day ago'],
  ['2026-02-20T12:00:00Z', '9 days ago'],
  ['2026-01-01T12:00:00Z', '59 days ago'],
  ['2025-07-25T12:00:00Z', '7 months ago'],
  ['2024-03-02T12:00:00Z', '23 months ago'],
  ['2023-02-01T12:00:00Z', '3 years ago'],
])('%s is %s', (time, text) => {
  expect(relativeTime(time, now)).toBe(text)
})

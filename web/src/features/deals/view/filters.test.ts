import { describe, expect, it } from 'vitest'
import {
  countInput,
  dealParamsSchema,
  defaultFilters,
  isDefault,
  isOld,
  listInput,
  longestText,
  parseAmount,
} from './filters.ts'
import { fetchLanguage, filtersOf } from './language.ts'

const kathmandu = () => 'Asia/Kathmandu'
const asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }

describe('the address', () => {
  it('carries a question and a deal to begin with, typed by the app or by hand', () => {
    const { parse } = dealParamsSchema
    expect(parse({ q: ' mug price:<5 ', deal: '7' })).toEqual({ q: 'mug price:<5', deal: 7 })
    expect(parse({ q: 12 }).q).toBe('12')
    for (const nonsense of [{ q: ['a'], deal: -7 }, { q: '  ', deal: 1.5 }, { q: null, deal: 'x' }, {}])
      expect(parse(nonsense)).toEqual({ q: undefined, deal: undefined })
  })

  it('is told from those of earlier versions', () => {
    expect(isOld(dealParamsSchema.parse({ q: 'a', deal: 7 }))).toBe(false)
    expect(isOld(dealParamsSchema.parse({ q: 'a', sort: 'price' }))).toBe(true)
    expect(isOld(dealParamsSchema.parse({ stray: 0 }))).toBe(true)
    expect(isDefault(dealParamsSchema.parse({ deal: 7 }))).toBe(true)
    expect(isDefault(dealParamsSchema.parse({ q: 'a' }))).toBe(false)
  })

  it('keeps a question within what the server takes', () => {
    expect(dealParamsSchema.parse({ q: 'x'.repeat(600) }).q).toHaveLength(longestText)
    const torn = dealParamsSchema.parse({ q: `${'x'.repeat(longestText - 1)}😀` }).q ?? ''
    expect(() => encodeURIComponent(torn)).not.toThrow()
  })

  it('without a question leads to all deals up to the reader’s own highest price', async () => {
    expect(filtersOf({ deal: 7 }, asker)).toEqual(defaultFilters(asker))
    expect(filtersOf({}, { ...asker, defaultMax: 55 })).toEqual({ sort: 'newest', query: '', max: 55 })
    const language = await fetchLanguage()
    expect(filtersOf({ q: 'a sort:price price:<=9' }, asker, language)).toEqual({
      sort: 'price',
      query: 'a',
      max: 9,
    })
  })

  it('asks what a text says and nothing beside it where the language can’t be had', () => {
    const q = 'a price:<50 new:Today sort:price'
    expect(listInput(filtersOf({ q }, asker), kathmandu)).toEqual({ q, time_zone: 'Asia/Kathmandu' })
  })
})

describe('the question to the server', () => {
  it('asks only for what is chosen', () => {
    expect(listInput(defaultFilters(asker), kathmandu)).toEqual({ sort: 'newest', max_price: 30 })
    expect(listInput({ sort: 'price', query: 'a new:today', max: null }, kathmandu)).toEqual({
      sort: 'price',
      q: 'a new:today',
      time_zone: 'Asia/Kathmandu',
    })
    expect(countInput({ sort: 'price', query: 'off:>=50', max: 5 }, () => 'UTC')).toEqual({
      q: 'off:>=50',
      max_price: 5,
    })
  })

  it('reads typed amounts', () => {
    expect(['', ' 5 ', '7,5', '.5', '3.', '0.005', '1,005'].map(parseAmount)).toEqual([
      ...[null, 5, 7.5, 0.5, 3, 0.01, 1005],
    ])
    expect(['-1', 'ten', '1.2.3', '.', '999999999'].map(parseAmount)).toEqual(Array(5).fill(undefined))
  })
})

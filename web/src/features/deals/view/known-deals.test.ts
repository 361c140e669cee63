import type { Deal } from '@dealdeck/contract/deals'
import { describe, expect, it } from 'vitest'
import { filtersOfText } from './asking.ts'
import { filterDeals, mergeLists } from './known-deals.ts'
import { sampleDeals } from './samples.ts'

const asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }

describe('known deals without the server', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  const [made] = sampleDeals(now)
  const deals: Deal[] = [
    { ...made, id: 1, title: 'Blue MUG', price: 5, discount_percentage: 50, rating: 4.5 },
    { ...made, id: 2, title: 'Red mug', price: 30, discount_percentage: null, rating: null },
    {
      ...made,
      id: 3,
      title: 'Kettle',
      discount_percentage: null,
      price: 31,
      prime_eligible: false,
      first_seen: new Date(now).toISOString(),
    },
  ]
  const found = (text: string) =>
    filterDeals(deals, filtersOfText(`price:any ${text}`, asker), now).map(({ id }) => id)

  it('are filtered as the server would, both bounds included', () => {
    expect(filterDeals(deals, filtersOfText('', asker), now).map(({ id }) => id)).toEqual([2, 1])
    expect(found('')).toEqual([3, 2, 1])
    expect(found('mug')).toEqual([2, 1])
    expect(found('ＭＵＧ')).toEqual([2, 1])
    expect(found('mug blue')).toEqual([1])
    expect(found('price:5..30')).toEqual([2, 1])
    expect(found('price:5.01..29.99')).toEqual([])
    expect(found('off:50')).toEqual([1])
    expect(found('off:51')).toEqual([])
    expect(found('rating:4.5')).toEqual([1])
    expect(found('rating:4.6')).toEqual([])
    expect(found('off:any')).toEqual([1])
    expect(found('prime:yes')).toEqual([2, 1])
    expect(found('new:today')).toEqual([3])
  })

  it('stand in the order that was chosen', () => {
    expect(found('sort:price')).toEqual([1, 2, 3])
    expect(found('sort:discount')).toEqual([1, 3, 2])
    expect(found('sort:discord')).toEqual([3, 2, 1])
  })

  it('are those of all lists, of the time of the oldest list that has any', () => {
    const page = (...items: Deal[]) => [{ items, next_cursor: null }]
    const [mug, red, kettle] = deals
    if (!mug || !red || !kettle) throw new Error('no deals')
    const known = mergeLists([
      { pages: page(mug, { ...red, availability: null }), updatedAt: now },
      { pages: page(kettle, mug), updatedAt: now - 3_600_000 },
      // A search that failed, and one that found nothing.
      { pages: [], updatedAt: 0 },
      { pages: page(), updatedAt: now - 7_200_000 },
    ])
    expect(known?.deals.map(({ id }) => id)).toEqual([1, 3])
    expect(known?.time).toBe('2026-03-01T11:00:00.000Z')
    expect(mergeLists([{ pages: page(), updatedAt: now }])).toBeUndefined()
  })
})

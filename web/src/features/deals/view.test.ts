import { type Deal, dealsEventSchema } from '@dealdeck/contract/deals'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleDeals } from './view/samples.ts'
import {
  closingLine,
  dealAddress,
  feedShape,
  isGone,
  keepInSight,
  mergePages,
  readDealsEvent,
  removeFromPages,
  updatePages,
} from './view.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

function deal(id: number, change: Partial<Deal> = {}): Deal {
  return { ...sampleDeals(now)[0], is_sample: false, id, title: `Deal ${id}`, ...change }
}

const page = (...ids: number[]) => ({ items: ids.map((id) => deal(id)), next_cursor: null })
const idsOf = (pages: { items: Deal[] }[]) => pages.map((one) => one.items.map((item) => item.id))

describe('an event of the stream', () => {
  it('is read exactly when the contract takes it', () => {
    const value = fc.oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(fc.oneof(fc.nat(), fc.string())),
    )
    const ids = fc.array(fc.nat())
    const good = fc.record({ revision: fc.nat(), added: ids, changed: ids, removed: ids, more: value })
    const any = fc.record(
      { revision: value, added: value, changed: value, removed: value },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(good, any, value), (data) => {
        const read = dealsEventSchema.safeParse(data)
        expect(readDealsEvent(data)).toEqual(read.success ? read.data : undefined)
      }),
    )
  })
})

describe('the list', () => {
  it('shows a deal once although two pages carry it', () => {
    expect(mergePages([page(1, 2), page(2, 3)]).map((item) => item.id)).toEqual([1, 2, 3])
  })

  it('marks removed deals that the reader has reached and drops those further down', () => {
    const pages = removeFromPages([page(1, 2), page(3, 4), page(5)], new Set([2, 3, 4]), 3)
    expect(idsOf(pages)).toEqual([[1, 2], [3], [5]])
    expect(
      mergePages(pages)
        .filter(isGone)
        .map((item) => item.id),
    ).toEqual([2, 3])
  })

  it('keeps untouched pages and deals the same objects', () => {
    const pages = [page(1, 2), page(3)]
    const updated = updatePages(pages, new Map([[2, deal(2, { price: 1 })]]))
    expect(updated[0]?.items[1]?.price).toBe(1)
    expect(updated[0]?.items[0]).toBe(pages[0]?.items[0])
    expect(updated[1]).toBe(pages[1])
    expect(removeFromPages(pages, new Set([9]), 0)[0]).toBe(pages[0])
  })

  it('closes with the number of deals', () => {
    const plain = (value: number) => value.toLocaleString('en-US')
    expect([0, 1, 2815].map((count) => closingLine(count, plain))).toEqual([
      'There are no more deals',
      'You have seen the only deal',
      'You have seen all 2,815 deals',
    ])
  })
})

describe('a deal', () => {
  it('leads to the marketplace and nowhere else', () => {
    const addresses = [
      'https://www.amazon.com/dp/B000000001',
      'http://amazon.com/x',
      'https://smile.amazon.com/x',
    ]
    for (const address of addresses) expect(dealAddress(address, 'amazon.com')).toBe(address)
    const refused = [
      'javascript:alert(1)//amazon.com',
      'https://notamazon.com/dp/B000000001',
      'https://amazon.com.example.org/',
      'https://amazon.com@example.org/',
      '/dp/B000000001',
      '',
    ]
    for (const address of refused) expect(dealAddress(address, 'amazon.com')).toBeUndefined()
  })
})

describe('the grid', () => {
  it('has two columns on a phone and five on a desk', () => {
    expect(feedShape('grid', 320 - 32, 16).columns).toBe(2)
    expect(feedShape('grid', 390 - 32, 16).columns).toBe(2)
    expect(feedShape('grid', 768 - 48, 16).columns).toBe(3)
    expect(feedShape('grid', 1440 - 64, 16).columns).toBe(5)
    expect(feedShape('grid', 5000, 16).columns).toBe(8)
  })

  it('fills its width exactly', () => {
    const { columns, cardWidth, gap } = feedShape('grid', 1376, 16)
    expect(columns * cardWidth + (columns - 1) * gap).toBeCloseTo(1376)
  })

  it('has one column where letters are so large that a price would not fit into two', () => {
    expect(feedShape('grid', 360 - 32, 24).columns).toBe(1)
    expect(feedShape('grid', 390 - 32, 20).columns).toBe(2)
  })

  it('gives larger letters more room', () => {
    expect(feedShape('grid', 358, 24).cardHeight).toBeGreaterThan(feedShape('grid', 358, 16).cardHeight)
    expect(feedShape('grid', 0, 16).cardWidth).toBe(0)
  })
})

describe('the list', () => {
  it('has one column, with a line a deal where there is room', () => {
    expect(feedShape('list', 358, 16)).toMatchObject({ columns: 1, cardHeight: 84, gap: 0 })
    expect(feedShape('list', 1376, 16)).toMatchObject({ columns: 1, cardHeight: 49, gap: 0 })
    expect(feedShape('list', 358, 24).cardHeight).toBe(126)
  })
})

describe('what is read', () => {
  const cardsAt = { top: 250, columns: 2, rowHeight: 330 }
  const list = { top: 254, columns: 1, rowHeight: 84 }

  it('stays where it is when its list takes another shape', () => {
    // Below the header begins row 9, with the deals 18 and 19, at 250 + 9 * 330 - 3000 = 220.
    expect(keepInSight(cardsAt, list, 3_000, 56)).toBe(254 + 18 * 84 - 220)
    expect(keepInSight(list, cardsAt, 254 + 18 * 84 - 100, 56)).toBe(250 + 9 * 330 - 100)
  })

  it('stays at the list’s beginning, and never above the page', () => {
    for (const scrolled of [0, 100, 194]) expect(keepInSight(cardsAt, list, scrolled, 56)).toBe(scrolled)
    expect(keepInSight({ ...cardsAt, top: 0 }, { ...list, top: 0 }, 10, 56)).toBe(0)
  })
})

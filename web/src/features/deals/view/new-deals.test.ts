import type { Deal } from '@dealdeck/contract/deals'
import { beforeEach, describe, expect, it } from 'vitest'
import { NewDeals, newsLine, putOnTop } from './new-deals.ts'
import { sampleDeals } from './samples.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const minute = 60_000

/** Deals as a poll brings them, changed so many minutes after noon. */
function changed(minutes: number, ...ids: number[]): Deal[] {
  const last_updated = new Date(noon + minutes * minute).toISOString()
  return ids.map((id) => ({ ...sampleDeals(noon)[0], id, last_updated }))
}

let deals = new NewDeals()
beforeEach(() => {
  deals = new NewDeals()
})

describe('by stream', () => {
  it('counts each new deal once, however often it is announced', () => {
    deals.add([1, 2])
    deals.add([2, 3])
    expect(deals.count).toBe(3)
  })

  it('forgets what was removed again and what the reader has on screen', () => {
    deals.add([1, 2, 3])
    deals.remove([1])
    deals.see([2])
    expect(deals.count).toBe(1)
  })

  it('never announces again what was seen', () => {
    deals.add([1])
    deals.seeAll()
    deals.see([2])
    deals.add([1, 2])
    expect(deals.count).toBe(0)
    deals.add([3])
    expect(deals.count).toBe(1)
  })
})

describe('by poll', () => {
  it('counts at first what changed since the stream was lost', () => {
    deals.addRecent([...changed(5, 3, 4), ...changed(-5, 1, 2)], true, noon)
    expect(deals.count).toBe(2)
  })

  it('counts later whatever the polls before did not bring', () => {
    deals.addRecent(changed(-5, 1, 2), true, noon)
    // The server's clock may be behind ours, so times say nothing here.
    deals.addRecent([...changed(-9, 3), ...changed(-5, 1, 2)], true, noon)
    deals.addRecent([...changed(-9, 3), ...changed(-5, 1, 2)], true, noon)
    expect(deals.count).toBe(1)
  })

  it('ignores what moves up into a list that was cut off', () => {
    deals.addRecent(changed(-5, 9, 8, 7), false, noon)
    deals.addRecent(changed(-5, 10, 9, 7, 6), false, noon)
    expect(deals.count).toBe(1)
  })

  it('counts everything in a cut list of which nothing was known', () => {
    deals.addRecent(changed(-5, 3, 2, 1), false, noon)
    deals.addRecent(changed(5, 9, 8, 7), false, noon)
    expect(deals.count).toBe(3)
  })

  it('does not count again what the stream announces afterwards', () => {
    deals.addRecent(changed(5, 1), true, noon)
    deals.endPolling()
    deals.add([1, 2])
    expect(deals.count).toBe(2)
  })

  it('starts over with the next outage', () => {
    deals.addRecent(changed(-5, 1), true, noon)
    deals.endPolling()
    deals.addRecent([...changed(20, 3), ...changed(8, 2), ...changed(-5, 1)], true, noon + 10 * minute)
    expect(deals.count).toBe(1)
  })
})

describe('what passes the filters', () => {
  const passing = (...priced: [id: number, price: number][]): Deal[] =>
    priced.flatMap(([id, price]) => changed(id, id).map((deal) => ({ ...deal, price })))
  const ids = () => deals.news('any').deals.map(({ id }) => id)
  const found = (ids: number[], ...priced: [number, number][]) =>
    deals.check('any', { ids, passing: passing(...priced), hasMore: false })

  it('is announced, nothing else, the cheapest first', () => {
    deals.add([1, 2, 3])
    expect(deals.unchecked('any')).toEqual([1, 2, 3])
    expect(ids()).toEqual([])
    found([1, 2, 3], [1, 9], [3, 4.99])
    expect(ids()).toEqual([3, 1])
    expect(deals.unchecked('any')).toEqual([])
    deals.add([4])
    expect(deals.unchecked('any')).toEqual([4])
  })

  it('is asked about anew when the filters change, and answers for others count for nothing', () => {
    deals.add([1, 2])
    deals.unchecked('any')
    expect(deals.unchecked('other')).toEqual([1, 2])
    found([1, 2], [1, 5])
    expect(deals.news('other').deals).toEqual([])
    expect(ids()).toEqual([])
  })

  it('is asked about anew when it changes, and goes when it is removed or seen', () => {
    deals.add([1, 2, 3])
    deals.unchecked('any')
    found([1, 2, 3], [1, 5], [2, 6])
    deals.change([1, 3])
    expect(deals.unchecked('any')).toEqual([1, 3])
    found([1, 3], [3, 4])
    expect(ids()).toEqual([3, 2])
    deals.remove([3])
    deals.see([2])
    expect(ids()).toEqual([])
  })

  it('that was put away is announced no more, yet comes to the top with the next', () => {
    deals.add([1])
    deals.unchecked('any')
    found([1], [1, 5])
    deals.putAway()
    expect(ids()).toEqual([])
    deals.add([2])
    deals.unchecked('any')
    found([2], [2, 7])
    expect(ids()).toEqual([2])
    expect(deals.forTop().deals.map(({ id }) => id)).toEqual([2, 1])
  })

  it('may be more than is known', () => {
    deals.add([1, 2])
    deals.unchecked('any')
    deals.check('any', { ids: [1, 2], passing: passing([1, 5]), hasMore: true })
    expect(deals.news('any').hasMore).toBe(true)
    deals.seeAll()
    expect(deals.news('any')).toEqual({ deals: [], hasMore: false })
  })

  it('is said in a line', () => {
    const line = (hasMore: boolean, ...priced: [number, number][]) =>
      newsLine({ deals: passing(...priced), hasMore }, String, (amount) => `$${amount}`)
    expect(line(false)).toBeUndefined()
    expect(line(false, [1, 4.99])).toBe('1 new, $4.99')
    expect(line(false, [1, 4.99], [2, 7])).toBe('2 new, from $4.99')
    expect(line(true, [1, 4.99], [2, 7])).toBe('2+ new')
  })

  it('stands on top of the list, each once', () => {
    const pages = [{ items: passing([1, 1], [2, 2]) }, { items: passing([3, 3]) }]
    const onTop = putOnTop(pages, passing([9, 1], [3, 1]))
    expect(onTop.map(({ items }) => items.map(({ id }) => id))).toEqual([[9, 3, 1, 2], []])
  })
})

import type { Deal } from '@dealdeck/contract/deals'
import { beforeEach, describe, expect, it } from 'vitest'
import { NewDeals } from './new-deals.ts'
import { putOnTop } from './on-top.ts'
import { sampleDeals } from './samples.ts'
import { newsLine } from './toast-lines.ts'

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

/** How many are to be asked about while nothing has been. */
const waiting = () => deals.unchecked('all').length

describe('by stream', () => {
  it('counts each new deal once, however often it is announced', () => {
    deals.add([1, 2])
    deals.add([2, 3])
    expect(waiting()).toBe(3)
  })

  it('forgets what was removed again and what the reader has on screen', () => {
    deals.add([1, 2, 3])
    deals.remove([1])
    deals.see([2])
    expect(waiting()).toBe(1)
  })

  it('never announces again what was seen', () => {
    deals.add([1])
    deals.see()
    deals.see([2])
    deals.add([1, 2])
    expect(waiting()).toBe(0)
    deals.add([3])
    expect(waiting()).toBe(1)
  })
})

describe('in a list that is loaded whole', () => {
  it('asks about a deal that has changed, although it was seen before it left', () => {
    deals.see([7])
    deals.change([7, 8], [7, 8])
    expect(deals.unchecked('all')).toEqual([7, 8])
    deals.see([7])
    expect(deals.unchecked('all')).toEqual([8])
  })
})

describe('by poll', () => {
  it('counts at first what changed since the stream was lost', () => {
    deals.addRecent([...changed(5, 3, 4), ...changed(-5, 1, 2)], true, noon)
    expect(waiting()).toBe(2)
  })

  it('counts later whatever the polls before did not bring', () => {
    deals.addRecent(changed(-5, 1, 2), true, noon)
    // The server's clock may be behind ours, so times say nothing here.
    deals.addRecent([...changed(-9, 3), ...changed(-5, 1, 2)], true, noon)
    deals.addRecent([...changed(-9, 3), ...changed(-5, 1, 2)], true, noon)
    expect(waiting()).toBe(1)
  })

  it('ignores what moves up into a list that was cut off', () => {
    deals.addRecent(changed(-5, 9, 8, 7), false, noon)
    deals.addRecent(changed(-5, 10, 9, 7, 6), false, noon)
    expect(waiting()).toBe(1)
  })

  it('counts everything in a cut list of which nothing was known', () => {
    deals.addRecent(changed(-5, 3, 2, 1), false, noon)
    deals.addRecent(changed(5, 9, 8, 7), false, noon)
    expect(waiting()).toBe(3)
  })

  it('does not count again what the stream announces afterwards', () => {
    deals.addRecent(changed(5, 1), true, noon)
    deals.endPolling()
    deals.add([1, 2])
    expect(waiting()).toBe(2)
  })

  it('starts over with the next outage', () => {
    deals.addRecent(changed(-5, 1), true, noon)
    deals.endPolling()
    deals.addRecent([...changed(20, 3), ...changed(8, 2), ...changed(-5, 1)], true, noon + 10 * minute)
    expect(waiting()).toBe(1)
  })
})

describe('what passes the filters', () => {
  const passing = (...priced: [id: number, price: number][]): Deal[] =>
    priced.flatMap(([id, price]) => changed(id, id).map((deal) => ({ ...deal, price })))
  const ids = () => deals.news('any').deals.map(({ id }) => id)
  /** Asks about what is unchecked, and gets these for an answer. */
  const ask = (...priced: [number, number][]) =>
    deals.check({ ids: deals.unchecked('any'), passing: passing(...priced), hasMore: false })

  it('is announced, nothing else, the cheapest first', () => {
    deals.add([1, 2, 3])
    expect(deals.unchecked('any')).toEqual([1, 2, 3])
    expect(ids()).toEqual([])
    ask([1, 9], [3, 4.99])
    expect(ids()).toEqual([3, 1])
    expect(deals.unchecked('any')).toEqual([])
    deals.add([4])
    expect(deals.unchecked('any')).toEqual([4])
  })

  it('is asked about anew when the filters change, and answers for others count for nothing', () => {
    deals.add([1, 2])
    const asked = deals.unchecked('any')
    expect(deals.unchecked('other')).toEqual([1, 2])
    deals.check({ ids: asked, passing: passing([1, 5]), hasMore: false })
    expect(deals.news('other').deals).toEqual([])
    expect(ids()).toEqual([])
  })

  it('is asked about anew when it changes, and goes when it is removed or seen', () => {
    deals.add([1, 2, 3])
    ask([1, 5], [2, 6])
    deals.change([1, 3])
    expect(deals.unchecked('any')).toEqual([1, 3])
    ask([3, 4])
    expect(ids()).toEqual([3, 2])
    deals.remove([3])
    deals.see([2])
    expect(ids()).toEqual([])
  })

  it('that changes while it is announced stays announced, and comes to the top with what is fetched anew', () => {
    deals.add([1, 2])
    ask([1, 5], [2, 6])
    expect(deals.forTop()).toMatchObject({ hasMore: false, checked: [1, 2] })
    deals.change([1])
    expect(ids()).toEqual([1, 2])
    expect(deals.forTop()).toMatchObject({ hasMore: true, checked: [2, 1] })
    const asked = deals.unchecked('any')
    expect(asked).toEqual([1])
    deals.see(deals.forTop().checked)
    // The answer comes after both are on the screen.
    deals.check({ ids: asked, passing: passing([1, 5]), hasMore: false })
    expect(ids()).toEqual([])
    deals.add([3])
    ask([3, 4])
    deals.change([3])
    deals.check({ ids: deals.unchecked('any'), passing: [], hasMore: false })
    expect(ids()).toEqual([])
  })

  it('that was put away is announced no more, yet comes to the top with the next', () => {
    deals.add([1])
    ask([1, 5])
    deals.putAway()
    expect(ids()).toEqual([])
    deals.add([2])
    ask([2, 7])
    expect(ids()).toEqual([2])
    expect(deals.forTop().deals.map(({ id }) => id)).toEqual([2, 1])
  })

  it('is asked about anew when it changes while the answer is on its way, or goes and comes back', () => {
    deals.add([4, 5, 6])
    const asked = deals.unchecked('any')
    deals.change([5])
    deals.remove([6])
    deals.add([6])
    deals.check({ ids: asked, passing: passing([4, 1], [5, 9], [6, 9]), hasMore: false })
    expect(ids()).toEqual([4])
    expect(deals.unchecked('any')).toEqual([5, 6])
    ask([5, 2], [6, 3])
    expect(ids()).toEqual([4, 5, 6])
  })

  it('that comes while others are being shown is announced afterwards', () => {
    deals.add([1, 2])
    ask([1, 5])
    deals.add([6])
    const { checked } = deals.forTop()
    deals.add([3, 4])
    ask([3, 7], [6, 4])
    deals.add([5])
    deals.see(checked)
    expect(ids()).toEqual([6, 3])
    deals.add([1, 2])
    expect(deals.unchecked('any')).toEqual([5])
  })

  it('may be more than is known', () => {
    deals.add([1, 2])
    deals.check({ ids: deals.unchecked('any'), passing: passing([1, 5]), hasMore: true })
    expect(deals.news('any').hasMore).toBe(true)
    deals.see()
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

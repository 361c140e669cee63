import type { Deal } from '@dealdeck/contract/deals'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { NewDeals } from './live.ts'
import { sampleDeals } from './view.ts'

// Only the counting is tested here; what asks the server is tried in a real browser.
vi.mock('./api.ts', () => ({}))

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

import { matcherOf } from '@dealdeck/query/matching'
import { parseQuestion } from '@dealdeck/query/parsing'
import { expect, test } from 'vitest'
import { Moments } from './judging.ts'
import { countMatchesOf } from './past-matches.ts'

const now = new Date('2026-06-01T12:00:00Z')
const hourMs = 3_600_000
const lantern = {
  ...{ title: 'folding lantern', brand: null, category: null, condition: null, asin: 'B0ABCD1234' },
  ...{ price: 9, off: null, hasListPrice: false, rating: null, reviews: null, isPrime: false },
  ...{ firstSeen: 0, lastUpdated: 0, lastChecked: 0, endsAt: null, isVisible: true, isSample: false },
  ...{ verdict: null, underTypical: null, lowDays: null, drop: null, droppedAt: null },
}

test('others have their turn while many prices of the past are judged', async () => {
  const words = Array.from({ length: 40 }, (_, at) => `zebra${at}`).join(' OR ')
  const prices = Array.from({ length: 100 }, (_, at) => ({
    ...{ at: now.getTime() - (100 - at) * hourMs, price: 5 + (at % 2), original: null },
  }))
  const ids = Array.from({ length: 1_000 }, (_, at) => at)
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const found = await countMatchesOf(
    matcherOf(parseQuestion(words).question.condition),
    new Map(ids.map((id) => [id, lantern])),
    new Map(ids.map((id) => [id, prices])),
    { since: now.getTime() - 90 * hourMs, zone: 'UTC', moments: new Moments(now), againPercent: 5 },
  )
  clearImmediate(next)
  expect(found).toBe(0)
  expect(turns).toBeGreaterThan(5)
})

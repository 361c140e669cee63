import { expect, test } from 'vitest'
import type { KnownAlert } from './known-alerts.ts'
import { planOf } from './planning.ts'

const alert = (given: Partial<KnownAlert> = {}): KnownAlert => ({
  ...{ id: 1, destination_id: 7, mode: 'now', again_percent: 5, urgent_off: null, urgent_below: null },
  ...{ time_zone: 'UTC', isTarget: false, matches: () => true, dependsOnClock: false, ...given },
})

/** What is planned for a deal that one alert has told of at a price, and that costs another one now. */
function plan(told: number, price: number, given: Partial<KnownAlert> = {}, isTold = true) {
  const episode = { id: 3, destination_id: 7, deal_id: 5, price: told, posts: 1 }
  return planOf(
    [
      {
        ...{ dealId: 5, price, off: null, wasGone: false, isRepriced: told !== price },
        matching: [{ alert: alert(given), isEdge: !isTold }],
      },
    ],
    [{ ...episode, is_waiting: !isTold, is_in_digest: !isTold, is_untold: false }],
    isTold ? [{ alert_id: 1, deal_id: 5, episode_id: 3, is_matching: true }] : [],
  )
}

test.each([
  [10, 9.5, 5, true],
  [10, 9.51, 5, false],
  // A share of little that is rounded is no fall.
  [0.1, 0.1, 5, false],
  [0.5, 0.5, 1, false],
  [1.1, 1.05, 5, false],
  [1.1, 1.04, 5, true],
])('told of at %f, at %f with %i %% a deal is told of again: %s', (told, price, again_percent, isAgain) => {
  expect(plan(told, price, { again_percent }).posts).toHaveLength(isAgain ? 1 : 0)
})

test('what waits for a digest is told of at once by an alert that wants it at once', () => {
  expect(plan(10, 10, { mode: 'now' }, false).posts).toHaveLength(1)
  expect(plan(10, 10, { mode: 'weekly' }, false)).toMatchObject({
    posts: [],
    joined: [{ alert: { id: 1 } }],
  })
})

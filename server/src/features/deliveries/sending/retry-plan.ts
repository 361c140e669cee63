const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** How long after one try the next one follows, in milliseconds: the plan of Standard Webhooks. The first follows on nothing. */
const pauses = [
  ...[0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour],
  ...[10 * hour, 14 * hour, 20 * hour, 24 * hour],
]

/** How long after so many failed tries the next one follows, up to a fifth later than planned; null: there is none any more. */
export function pauseAfter(attempts: number, random: () => number = Math.random): number | null {
  const pause = pauses[attempts]
  return pause === undefined ? null : Math.round(pause * (1 + random() / 5))
}

/** How long a whole destination waits once a message to it has failed, in milliseconds: others are let by a lasting failure. */
export function destinationPause(pause: number): number {
  return Math.min(pause, minute)
}

/** So long a message waits at most for a service that always wants it later, which costs no try, in milliseconds: as long as all tries take. */
export const longestWaitMs = pauses.reduce((sum, pause) => sum + pause, 0)

/** A destination that has failed for so long is paused, in milliseconds. */
export const longestFailingMs = 7 * 24 * hour

/** After so many first posts of which nobody knows whether they arrived, there is no other. */
export const mostDoubts = 2

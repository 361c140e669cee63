/** A repeatable source of chance: the same seed gives the same sequence on every machine. */
export type Random = {
  /** A number from 0 up to but not including 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  /** One entry of a list that must not be empty. */
  pick<T>(list: readonly T[]): T
  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[]
}

/** Mulberry32: 32 bits of state, integer arithmetic only, so no platform can disagree about it. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const pick = <T>(list: readonly T[]): T => {
    const [chosen] = list.slice(between(0, list.length - 1))
    if (chosen === undefined) throw new Error('Nothing to pick from')
    return chosen
  }
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick,
    shuffled: (list) =>
      list
        .map((entry) => ({ entry, order: next() }))
        .sort((a, b) => a.order - b.order)
        .map(({ entry }) => entry),
  }
}

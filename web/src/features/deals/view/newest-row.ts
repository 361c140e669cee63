import type { Deal } from '@dealdeck/contract/deals'
import { newestCount } from '../view.ts'

/**
 * Puts the newest deals into the places of an endless row, newest first from the newest one on. What is in sight keeps its
 * place, unless its deal is gone; everything out of sight is in order. `newest` is newest first. Answers `row` itself when
 * nothing changes.
 */
export function placeDeals(
  row: readonly Deal[],
  newest: readonly Deal[],
  inSight: ReadonlySet<number>,
): readonly Deal[] {
  const now = new Map(newest.map((deal, rank) => [deal.id, { deal, rank }]))
  const places = row.flatMap((deal, place): (Deal | undefined)[] => {
    const current = now.get(deal.id)?.deal
    if (inSight.has(place) && (current || isOlder(deal, newest))) return [current ?? deal]
    return current || row.length <= newest.length ? [undefined] : []
  })
  while (places.length < newest.length) places.push(undefined)
  const held = new Set(places.map((deal) => deal?.id))
  const anchor = places.findIndex((deal) => deal !== undefined && now.has(deal.id))
  const rank = now.get(places[anchor]?.id ?? -1)?.rank ?? -1
  const free = places.filter((deal) => deal === undefined).length
  // Where an older deal is still looked at there is a place too few, and the oldest go without.
  const waiting = newest.filter(({ id }) => !held.has(id)).slice(0, free)
  const next = [...places]
  const begin = waiting.findIndex(({ id }) => (now.get(id)?.rank ?? 0) > rank)
  const inOrder = begin === -1 ? waiting : [...waiting.slice(begin), ...waiting.slice(0, begin)]
  for (let step = 1; step <= next.length; step += 1) {
    const place = (Math.max(0, anchor) + step - (anchor === -1 ? 1 : 0)) % next.length
    next[place] ??= inOrder.shift()
  }
  const placed = next.filter((deal) => deal !== undefined)
  return placed.length === row.length && placed.every((deal, place) => deal === row[place]) ? row : placed
}

/** Whether a deal is missing from the newest only because there are newer ones. */
function isOlder(deal: Deal, newest: readonly Deal[]): boolean {
  const oldest = newest.at(-1)
  return newest.length === newestCount && !!oldest && deal.first_seen <= oldest.first_seen
}

/** How many of the newest deals are newer than all that were seen. */
export function countUnseen(newest: readonly Deal[], seen: ReadonlySet<number>): number {
  const known = newest.findIndex(({ id }) => seen.has(id))
  return known === -1 ? newest.length : known
}

import type { Deal } from '@dealdeck/contract/deals'

/** Whether what the shop says is off the price is contradicted by the prices that were seen. */
export function isDoubted({ verdict }: Deal): boolean {
  return verdict?.kind === 'raised' || verdict?.kind === 'listnotseen'
}

/**
 * The last step of a sparkline, and a dot where it reaches the present, as paths of their own; empty where there is none.
 * `path` holds absolute M, H and V.
 */
export function lastStep(path: string): { step: string; dot: string } {
  let [from, x, y] = [0, 0, 0]
  for (const [, command, first, second] of path.matchAll(/([MHV])([\d.]+)[ ,]?([\d.]*)/g)) {
    if (command === 'V') y = Number(first)
    else {
      from = command === 'H' ? x : Number(first)
      x = Number(first)
    }
    if (command === 'M') y = Number(second)
  }
  return { step: path && `M${from} ${y}H${x}`, dot: x < 90 ? '' : `M${x} ${y}h0` }
}

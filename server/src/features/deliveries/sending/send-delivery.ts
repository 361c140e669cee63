import { setTimeout as sleep } from 'node:timers/promises'
import { claimDestinations, renewClaims, renewSeconds } from './claims.ts'
import type { OutboxDeps } from './outbox-deps.ts'
import { sendOne } from './send-one.ts'
import { releaseDestination, whyClosed } from './serving.ts'
import { skip } from './settling.ts'
import { takeNamed } from './taking.ts'

/** How often it is looked whether a destination that others send to is free, in milliseconds. */
const freeMs = 50

/**
 * Sends one delivery now, whenever it is due, the way all are sent; its row says what became of it. Waits while somebody else sends to
 * the same destination. Throws what the database says, and the signal's reason.
 */
export async function sendDelivery(deps: OutboxDeps, deliveryId: number, signal: AbortSignal): Promise<void> {
  const { databases, clock } = deps
  const { rows } = await databases.durablePool.query<{ destination_id: number }>(
    'select destination_id from deliveries where id = $1',
    [deliveryId],
  )
  const id = rows[0]?.destination_id
  if (id === undefined) return
  let [target] = await claimDestinations(databases, [id], clock(), true)
  while (!target) {
    await sleep(freeMs, undefined, { signal })
    ;[target] = await claimDestinations(databases, [id], clock(), true)
  }
  const claim = target
  const renewing = setInterval(
    () => void renewClaims(databases, [claim]).catch(() => undefined),
    renewSeconds * 1_000,
  )
  let resumeAt: Date | null = null
  try {
    // Once more where the answer was that it has moved, which counts as a try.
    for (let settings: object | undefined; settings !== claim.settings; ) {
      settings = claim.settings
      const due = await takeNamed(databases, claim, deliveryId)
      if (!due) return
      const closed = whyClosed(claim)
      if (closed === null) resumeAt = (await sendOne(deps, claim, due, signal)).resumeAt
      else await skip(deps, claim, due, closed)
    }
  } finally {
    clearInterval(renewing)
    await releaseDestination(deps, claim, resumeAt)
  }
}

import { isConnectionError, isReadOnly } from '../../../platform/http/http-errors.ts'
import { catchUp } from './catching-up.ts'
import type { Claimed } from './claims.ts'
import { batchesOf, type OutboxDeps } from './outbox-deps.ts'
import { sendOne } from './send-one.ts'
import { postpone, skipWaiting } from './taking.ts'

/** So many messages one destination is sent before others have their turn, and for so long, in milliseconds. */
const [atATime, turnMs] = [10, 2_000]

/** What fails for a reason of our own waits for so long, in milliseconds. */
const postponedMs = 60_000

/** Why nothing may be sent to a destination any more; null: it may. */
export function whyClosed({ is_owner_active, state, is_paused }: Claimed): string | null {
  if (!is_owner_active) return 'The member may not use Dealdeck any more.'
  if (state === 'gone') return 'Nothing can be sent to this destination any more.'
  if (state === 'unconfirmed') return 'The destination isn’t confirmed.'
  return is_paused ? 'The destination is paused.' : null
}

/** Gives a destination back; it is sent nothing before `resumeAt`, unless it is another one by now, which no answer has put off yet. */
export async function releaseDestination(
  deps: OutboxDeps,
  target: Claimed,
  resumeAt: Date | null,
): Promise<void> {
  const isSame = await batchesOf(deps, target).writes.release({ target, resumeAt })
  if (isSame === false && resumeAt !== null) await catchUp(deps.databases.durableDb, [target.id])
}

/**
 * Sends what is due at a destination that was claimed, one message after another, and gives it back. Returns since when more may be sent,
 * and whether more is due. Throws what the database says, and the signal's reason.
 */
export async function serveDestination(
  deps: OutboxDeps,
  target: Claimed,
  signal: AbortSignal,
): Promise<{ resumeAt: Date | null; isLeft: boolean }> {
  const { databases, clock } = deps
  const turnEnds = performance.now() + turnMs
  let resumeAt: Date | null = null
  let isLeft = false
  try {
    const reason = whyClosed(target)
    if (reason !== null) {
      const dueAt = target.state === 'unconfirmed' && target.is_owner_active ? clock() : null
      const count = await skipWaiting(databases, target.id, { reason, dueAt })
      if (count > 0) deps.figures.ended(target.kind, 'skipped', count)
      if (count > 0) deps.tell({ ownerId: target.owner_id, changed: 'log', destinationId: target.id })
      return { resumeAt, isLeft }
    }
    for (let sent = 0; resumeAt === null && !signal.aborted; sent += 1) {
      isLeft = sent >= atATime || performance.now() > turnEnds
      if (isLeft) break
      const due = await batchesOf(deps, target).writes.takeDue(target)
      if (!due) break
      const after = await sendOne(deps, target, due, signal).catch(async (error) => {
        // What can't be made mustn't keep those behind it waiting.
        if (!signal.aborted && !isConnectionError(error) && !isReadOnly(error))
          await postpone(databases, due, new Date(clock().getTime() + postponedMs))
        throw error
      })
      resumeAt = after.resumeAt
      isLeft = after.isOver
      if (isLeft) break
    }
    return { resumeAt, isLeft }
  } finally {
    await releaseDestination(deps, target, resumeAt)
  }
}

import type { SettingValue } from '@dealdeck/contract/setting-fields'
import { claimedWith, isAsClaimed } from './as-claimed.ts'
import type { Claimed } from './claims.ts'
import { goneTitle, noticeOwner } from './notices.ts'
import { batchesOf, type OutboxDeps } from './outbox-deps.ts'

/** Notes that a destination fails, and returns since when; undefined where it is another one by now, of which that says nothing. */
export async function noteFailure(
  deps: OutboxDeps,
  target: Claimed,
  now: Date,
  text: string,
): Promise<Date | undefined> {
  const { rows } = await deps.databases.durablePool.query<{ failing_since: Date }>(
    `update destinations t set failing_since = coalesce(failing_since, $3), state_text = $4,
       state = case when state = 'ok' then 'failing' else state end
     where id = $1 and busy_by = $2 and ${isAsClaimed('$5', '$6')} returning failing_since`,
    [target.id, target.busy_by, now, text, ...claimedWith(target)],
  )
  if (target.state === 'ok') tellOfDestination(deps, target)
  return rows[0]?.failing_since
}

/** Notes that a message has arrived, which ends what was said of failing. */
export async function noteSuccess(deps: OutboxDeps, target: Claimed, now: Date): Promise<void> {
  const wasFailing = target.failing_since !== null || target.state === 'failing'
  await batchesOf(deps, target).writes.noteSuccess({ target, at: now })
  if (!wasFailing) return
  target.failing_since = null
  target.state = 'ok'
  tellOfDestination(deps, target)
}

/**
 * Ends what is sent to a destination, until its owner has done something about it, and tells them elsewhere; false where it is another
 * one by now.
 */
export async function endDestination(
  deps: OutboxDeps,
  target: Claimed,
  how: 'gone' | 'paused',
  text: string,
): Promise<boolean> {
  const { durablePool } = deps.databases
  const set = how === 'gone' ? "state = 'gone', failing_since = null" : 'is_paused = true'
  const { rowCount } = await durablePool.query(
    `update destinations t set ${set}, state_text = $2, updated_at = date_trunc('milliseconds', now())
     where id = $1 and ${isAsClaimed('$3', '$4')}`,
    [target.id, text, ...claimedWith(target)],
  )
  if (rowCount === 0) return false
  await noticeOwner(durablePool, target, {
    title: how === 'gone' ? goneTitle(target.name) : `${target.name} is paused`,
    text,
  })
  tellOfDestination(deps, target)
  return true
}

/** Has a destination be where its service says it is from now on; false where it is another one by now. */
export async function moveDestination(
  deps: OutboxDeps,
  target: Claimed,
  settings: Record<string, SettingValue>,
): Promise<boolean> {
  const { rowCount } = await deps.databases.durablePool.query(
    `update destinations t set settings = $2, updated_at = date_trunc('milliseconds', now())
     where id = $1 and ${isAsClaimed('$3', '$4')}`,
    [target.id, JSON.stringify(settings), ...claimedWith(target)],
  )
  if (rowCount === 0) return false
  target.settings = settings
  tellOfDestination(deps, target)
  return true
}

function tellOfDestination(deps: OutboxDeps, { owner_id, id }: Claimed): void {
  deps.tell({ ownerId: owner_id, changed: 'destinations', destinationId: id })
}

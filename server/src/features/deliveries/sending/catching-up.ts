import { sql } from 'kysely'
import type { Database } from '../../../platform/database/database.ts'
import { outboxChannel } from './waking.ts'

/**
 * Has messages of these destinations, to which nothing could be sent for a while, say what has become of their deals meanwhile, and those that
 * wait for another try be tried at once, with all tries of the plan before them.
 */
export async function catchUp(db: Database, destinationIds: readonly number[]): Promise<void> {
  await sql`update deliveries set next_at = now(),
      attempts = case state when 'queued' then 0 else attempts end, due_at = null
    where destination_id = any(${destinationIds}) and (
      state in ('sent', 'edited') and next_at is null and wanted_version > sent_version and message_id is not null
      -- What waits for the end of quiet hours or a pause goes on waiting.
      or state = 'queued' and waits_for is null and (next_at > now() or attempts > 0))`.execute(db)
  // Also for what was due already and couldn't be sent there.
  await sql`select pg_notify(${outboxChannel}, '')`.execute(db)
}

import { publishSource } from '../live.ts'
import { runStatement, type Transaction } from './statement.ts'

const changed = 'Broken off, as its settings were changed.'
const decided = 'Broken off, as rows of its source were decided, and more of them can wait now.'

/**
 * Makes a source read again what it has read by other rules or settings: its run under way is no longer its own, it forgets where it was, and is
 * asked at once unless it is paused. Everybody is told when the transaction commits.
 */
export async function rereadSource(client: Transaction, id: number, why = changed): Promise<void> {
  const [source] = await runStatement<{ is_paused: boolean }>(
    client,
    `with locked as (select id, running_id as run from sources where id = $1 for update), broken_off as (
       update source_runs r set state = 'failed', finished_at = now(), text = $2
       from locked where r.id = locked.run and r.state = 'running'
     )
     update sources s set position = null, running_id = null, running_at = null,
       next_run_at = case when not is_paused then now() end
     from locked where s.id = locked.id returning s.is_paused`,
    [id, why],
  )
  if (source) await publishSource(client, id, !source.is_paused)
}

/**
 * Draws from it that rows of a source were decided, in the transaction in which they are: once none waits, they are no longer all held, and what
 * found no room beside them comes at once; until then, with the next poll, also of a document that stays the same. Everybody is told.
 */
export async function settleDecided(client: Transaction, id: number): Promise<void> {
  // Of two who decide the last rows at once the second one sees what the first has done.
  await runStatement(client, 'select from sources where id = $1 for update', [id])
  const [source] = await runStatement<{ waits: boolean; has_more: boolean }>(
    client,
    `update sources s set baseline = case when o.waits then baseline else baseline || '{"all_held": null}' end,
       position = case when not o.has_more then position end
     from (select exists (select from quarantine where source_id = $1 and state = 'held') as waits,
       coalesce(baseline ->> 'unstored', '0') <> '0' as has_more from sources where id = $1) o
     where id = $1 returning o.waits, o.has_more`,
    [id],
  )
  if (source?.has_more && !source.waits) await rereadSource(client, id, decided)
  else await publishSource(client, id)
}

/**
 * The same at the end of a run whose rows wait, or found no room: whoever decided the last of them before didn’t know of it. A statement of its
 * own beside the one that locks the source, so that it sees what was decided until then.
 */
export async function settleEnded(client: Transaction, id: number): Promise<void> {
  const waiting = await runStatement(
    client,
    `select from quarantine where source_id = $1 and state = 'held' limit 1`,
    [id],
  )
  if (waiting.length === 0) await settleDecided(client, id)
}

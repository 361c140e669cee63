import { publishSource } from '../live.ts'
import { runStatement, type Transaction } from './statement.ts'

/**
 * Makes a source read again what it has read by other rules or settings: its run under way is no longer its own, it forgets where it was, and is
 * asked at once unless it is paused. Everybody is told when the transaction commits.
 */
export async function rereadSource(client: Transaction, id: number): Promise<void> {
  const [source] = await runStatement<{ is_paused: boolean }>(
    client,
    `with locked as (select id, running_id as run from sources where id = $1 for update), broken_off as (
       update source_runs r set state = 'failed', finished_at = now(), text = 'Broken off, as its settings were changed.'
       from locked where r.id = locked.run and r.state = 'running'
     )
     update sources s set position = null, running_id = null, running_at = null,
       next_run_at = case when not is_paused then now() end
     from locked where s.id = locked.id returning s.is_paused`,
    [id],
  )
  if (source) await publishSource(client, id, !source.is_paused)
}

import type { Selectable } from 'kysely'
import type { Databases } from '../../../platform/database/database.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { nextAt } from './claims.ts'
import { notifyOutbox } from './waking.ts'

/** A message in the log, as somebody at the command line sees it. */
export type Listed = Pick<Selectable<Tables['deliveries']>, 'kind' | 'state' | 'reason'> & {
  id: number
  destination: string
  owner: string | null
  attempts: number
  created_at: Date
  next_at: Date | null
}

/** The newest messages, of one state where it is given. */
export async function listLatest(
  { customPlanPool }: Databases,
  { state, limit }: { state: string | null; limit: number },
): Promise<Listed[]> {
  const { rows } = await customPlanPool.query<Listed>(
    `select d.id, d.kind, d.state, d.reason, d.attempts, d.created_at,
       ${nextAt} as next_at, t.kind || ' ' || t.name as destination, u.username as owner
     from deliveries d join destinations t on t.id = d.destination_id left join users u on u.id = t.owner_id
     where $1::text is null or d.state = $1 order by d.id desc limit $2`,
    [state, limit],
  )
  return rows
}

/**
 * Has messages sent again that were given up or wait for their next try, with all tries of the plan before them; without ids all that
 * were given up. Returns their ids.
 */
export async function retryDeliveries(
  { durablePool }: Databases,
  ids: readonly number[] | null,
): Promise<number[]> {
  const { rows } = await durablePool.query<{ id: number }>(
    `update deliveries set state = 'queued', attempts = 0, doubts = 0, next_at = now(), due_at = null, reason = '', updated_at = now()
     where ($1::bigint[] is null and state = 'dead') or (id = any($1) and state in ('dead', 'queued'))
     returning id`,
    [ids],
  )
  await durablePool.query(
    `update destinations set resume_at = null where resume_at is not null
       and id in (select destination_id from deliveries where id = any($1))`,
    [rows.map(({ id }) => id)],
  )
  await notifyOutbox(durablePool)
  return rows.map(({ id }) => id)
}

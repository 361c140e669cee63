import type pg from 'pg'
import type { Claimed } from './claims.ts'
import { notifyOutbox } from './waking.ts'

/** What is said of a destination to which nothing can be sent any more. */
export const goneTitle = (name: string) => `Nothing can be sent to ${name} any more`

/**
 * Tells a member on another of their destinations that something is wrong with one; of the group's its administrators, each on one of
 * their own. Once for as long as it fails. Returns whether there was anybody to be told.
 */
export async function noticeOwner(
  client: pg.Pool | pg.ClientBase,
  target: Pick<Claimed, 'id' | 'owner_id'>,
  { title, text }: { title: string; text: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `with owners as (
       select id from users where is_active and status = 'approved'
         and case when $2::bigint is null then role = 'admin' else id = $2 end
       order by id limit 5
     ), others as (
       select distinct on (t.owner_id) t.id from owners o join destinations t on t.owner_id = o.id
       where t.id <> $1 and t.state = 'ok' and not t.is_paused and t.failing_since is null
       order by t.owner_id, t.last_sent_at desc nulls last, t.id
     )
     insert into deliveries (destination_id, kind, state, next_at, content)
     select id, 'notice', 'queued', now(), json_build_object('title', $3::text, 'text', $4::text, 'about', $1::bigint)
     from others where not exists (
       select from deliveries n where n.destination_id = others.id and n.kind = 'notice' and (n.content ->> 'about')::bigint = $1
         and n.content ->> 'title' = $3 and n.created_at > (select coalesce(failing_since, now() - interval '1 day') from destinations where id = $1))`,
    [target.id, target.owner_id, title, text],
  )
  if (rowCount !== 0) await notifyOutbox(client)
  return rowCount !== 0
}

import type { DeliveryKind, DeliveryState } from '@dealdeck/contract/deliveries'
import type { Selectable } from 'kysely'
import { type Databases, unwaitedHere } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import { isAsClaimed } from './as-claimed.ts'
import { type Claimed, latestNow } from './claims.ts'
import { givenAndHeld, givenValues, type Lock, lockingStatements } from './locking.ts'

/** A message that is due. */
export type Due = Pick<
  Selectable<Tables['deliveries']>,
  | 'id'
  | 'uid'
  | 'destination_id'
  | 'episode_id'
  | 'is_urgent'
  | 'collected_for'
  | 'attempts'
  | 'doubts'
  | 'wanted_version'
  | 'message_id'
> & { kind: DeliveryKind; state: DeliveryState; content: DeliveryContent; claim: string }

// Nobody waits for the disk: as it is marked, a message that is sent does, and a server that loses this gives it out anew.
// What was being collected is on its way from now on, and what was given up is begun anew by whoever names it.
const takingNext = (next: string, claim: string) =>
  `with ${unwaitedHere}, next as (${next})
   update deliveries d set claim = ${claim}, waits_for = null,
     doubts = case when state in ('dead', 'skipped') then 0 else doubts + (state = 'sending')::int end,
     attempts = case when state in ('dead', 'skipped') then 0 else attempts end,
     due_at = case when state in ('dead', 'skipped') then null else due_at end,
     state = case when state in ('sent', 'edited') then state else 'queued' end
   from next, unwaited where d.id = next.id
   returning d.id, uid, destination_id, kind, episode_id, state, is_urgent, collected_for, attempts, doubts, wanted_version, message_id, content, claim`

const takingDue = prepared(
  'take messages that are due',
  takingNext(
    `select due.id, given.busy_by from unnest($1::bigint[], $2::uuid[]) as given (id, busy_by) cross join lateral (
       select id from deliveries where destination_id = given.id and next_at is not null and next_at <= ${latestNow('$3')}
       order by state in ('sent', 'edited'), id limit 1 for update skip locked
     ) due`,
    'next.busy_by',
  ),
)
const takingNamed = prepared(
  'take a message',
  takingNext(
    `select id from deliveries where destination_id = $1 and id = $3 and (state not in ('sent', 'edited') or wanted_version > sent_version)
     for update skip locked`,
    '$2',
  ),
)

export type Claim = Pick<Claimed, 'id' | 'busy_by'>

/**
 * Takes, of each destination that was claimed, the message that is due and was written first; undefined where there is none. One found half
 * sent, by a process that ended in the middle, may have arrived.
 */
export async function takeDue(
  { durablePool }: Databases,
  claims: readonly Claim[],
  time: Date,
): Promise<(Due | undefined)[]> {
  const values = [claims.map(({ id }) => id), claims.map(({ busy_by }) => busy_by), time]
  const { rows } = await durablePool.query<Due>({ ...takingDue, values })
  const taken = new Map(rows.map((due) => [due.claim, due]))
  return claims.map(({ busy_by }) => taken.get(busy_by))
}

/** Takes the message named, of a destination that was claimed, whenever it is due. */
export async function takeNamed(
  { durablePool }: Databases,
  { id, busy_by }: Claim,
  named: number,
): Promise<Due | undefined> {
  const { rows } = await durablePool.query<Due>({ ...takingNamed, values: [id, busy_by, named] })
  return rows[0]
}

const markingSent = lockingStatements(
  'mark messages',
  (
    lock,
  ) => `${givenAndHeld('id bigint, claim uuid, deal_ids bigint[], settings jsonb, secrets text', 'deliveries', lock)}
     update deliveries d set state = case when d.state = 'queued' then 'sending' else d.state end, content = d.content - 'said'
     from given, held, destinations t left join users u on u.id = t.owner_id
     where d.id = any($2) and held.id = d.id and d.id = given.id and d.claim = given.claim and t.id = d.destination_id and t.busy_by = given.claim
       and not t.is_paused and ${isAsClaimed('given.settings', 'given.secrets')} and coalesce(u.is_active and u.status = 'approved', true)
       and (d.state in ('sent', 'edited') or not exists (
         select from unnest(given.deal_ids) as told (id) left join deals using (id) where deals.is_visible is not true))
     returning d.id`,
)

export type Mark = { target: Claimed; due: Due; dealIds: readonly number[] }

/**
 * Says, before a first post, that it is about to be sent, and of a change that nobody knows what the receiver has until that is over. Undefined
 * where that is no longer so: somebody else has it, its member or destination may be sent nothing any more, it is another one by now, or
 * one of these deals isn't shown.
 */
export async function markSending(
  { durablePool }: Databases,
  marks: readonly Mark[],
  lock: Lock,
): Promise<(true | undefined)[]> {
  const given = marks.map(({ target, due, dealIds }) => ({
    ...{ id: due.id, claim: due.claim, deal_ids: dealIds },
    ...{ settings: target.settings, secrets: target.secrets },
  }))
  // A statement sees what was there when it began: waited for first, the row is marked by what is true behind the wait.
  if (lock === 'wait')
    await durablePool.query('select from deliveries where id = any($1) for no key update', [
      given.map(({ id }) => id),
    ])
  const { rows } = await durablePool.query<{ id: number }>({
    ...markingSent[lock],
    values: givenValues(given),
  })
  const marked = new Set(rows.map(({ id }) => id))
  return marks.map(({ due }) => marked.has(due.id) || undefined)
}

/** Has a message wait that can't be made for a reason of our own, unless it may be on its way. */
export async function postpone(
  { durablePool }: Databases,
  { id, claim }: Pick<Due, 'id' | 'claim'>,
  until: Date,
): Promise<void> {
  await durablePool.query(
    `update deliveries set next_at = $3, reason = 'Something went wrong here; the log has more. It is tried again.'
     where id = $1 and claim = $2 and state <> 'sending'`,
    [id, claim, until],
  )
}

/**
 * Leaves out what waits at a destination that nothing may be sent to: all of it or, where that may be over soon, what is due by `dueAt`.
 * Returns how much that was.
 */
export async function skipWaiting(
  { durablePool }: Databases,
  destinationId: number,
  { reason, dueAt }: { reason: string; dueAt: Date | null },
): Promise<number> {
  const { rowCount } = await durablePool.query(
    `update deliveries set next_at = null, due_at = null, updated_at = now(),
       state = case when state in ('held', 'queued', 'sending') then 'skipped' else state end,
       reason = case when state in ('held', 'queued', 'sending') then $2 else reason end
     where destination_id = $1 and next_at is not null and ($3::timestamptz is null or next_at <= ${latestNow('$3')})`,
    [destinationId, reason, dueAt],
  )
  return rowCount ?? 0
}

import type { DeliveryKind, DeliveryState } from '@dealdeck/contract/deliveries'
import type { Selectable } from 'kysely'
import type { Databases } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import { claimedWith, isAsClaimed } from './as-claimed.ts'
import { catchUp } from './catching-up.ts'
import type { PeaceRow } from './outbox-deps.ts'

/** Whoever sends says so this often; silent for so long, the destination is another's. In seconds. */
export const renewSeconds = 5
const silentSeconds = 15

/** Destinations looked for at once. */
const mostDue = 1_000

type DestinationRow = Selectable<Tables['destinations']>

/** A destination that this process sends to; nobody else does. */
export type Claimed = DestinationRow & {
  /** Tells this claim from those before and after it. */
  busy_by: string
  /** Whether its member may use Dealdeck; of the group's true. */
  is_owner_active: boolean
  peace: PeaceRow
}

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

// By the database's time, on which all processes agree, or by the application's where that is ahead.
const now = (parameter: string) => `greatest(now(), ${parameter}::timestamptz)`
const isFree = (now: string) =>
  `(t.busy_until is null or t.busy_until <= now() or t.busy_by is null) and (t.resume_at is null or t.resume_at <= ${now})`

/** When something is done about a delivery `d` to a destination `t`; null where nothing will be. */
export const nextAt = 'case when d.next_at is not null then greatest(d.next_at, t.resume_at) end'

const findingDue = prepared(
  'destinations that are due',
  `with waiting as (
       select distinct destination_id as id from deliveries where next_at <= ${now('$1')}
       union
       select t.id from users u join destinations t on t.owner_id = u.id
       where not (u.is_active and u.status = 'approved')
         and exists (select from deliveries d where d.destination_id = t.id and d.next_at is not null)
     )
     select t.id, t.owner_id from waiting join destinations t using (id) where ${isFree(now('$1'))}
     order by t.busy_until nulls first, t.id limit ${mostDue}`,
)

/**
 * Destinations at which something is due that nobody sends to, those first that were served longest ago; beside them the ones of
 * members who may not use Dealdeck any more, of whom nothing may be left waiting.
 */
export async function findDue(
  { customPlanPool }: Databases,
  time: Date,
): Promise<{ id: number; owner_id: number | null }[]> {
  const { rows } = await customPlanPool.query<{ id: number; owner_id: number | null }>({
    ...findingDue,
    values: [time],
  })
  return rows
}

/** How many messages are due, and since when the oldest is. */
export async function measureDue(
  { customPlanPool }: Databases,
  time: Date,
): Promise<{ due: number; oldest: Date | null }> {
  const { rows } = await customPlanPool.query<{ due: number; oldest: Date | null }>(
    `select count(*) as due, min(next_at) as oldest from deliveries where next_at <= ${now('$1')}`,
    [time],
  )
  return rows[0] ?? { due: 0, oldest: null }
}

// Not kept by connections: a column that a later migration adds would break it.
const claiming = `with free as (
       select t.id from destinations t where t.id = any($1) and (${isFree(now('$2'))} or
         $3 and (t.busy_until is null or t.busy_until <= now() or t.busy_by is null)) for no key update skip locked
     ), taken as (
       update destinations t set busy_by = gen_random_uuid(), busy_until = now() + interval '${silentSeconds} seconds'
       from free where t.id = free.id returning t.*
     )
     select t.*, coalesce(u.is_active and u.status = 'approved', true) as is_owner_active, to_json(p) as peace
     from taken t left join users u on u.id = t.owner_id left join peace p on p.user_id is not distinct from t.owner_id`

/**
 * Takes those of these destinations that nobody sends to. `isForced`: also one that wants a pause. Whoever writes rows that belong to one
 * holds its key until they commit, which keeps nobody from sending.
 */
export async function claimDestinations(
  { durablePool }: Databases,
  ids: readonly number[],
  time: Date,
  isForced = false,
): Promise<Claimed[]> {
  if (ids.length === 0) return []
  const { rows } = await durablePool.query<Claimed>(claiming, [ids, time, isForced])
  return rows.map((row) => ({ ...row, peace: toPeace(row.peace) }))
}

/** As JSON has it, times are texts. */
function toPeace(peace: PeaceRow | null): PeaceRow {
  if (!peace) return undefined
  const { paused_until: until, updated_at } = peace
  return {
    ...peace,
    paused_until: until === null ? null : new Date(until),
    updated_at: new Date(updated_at),
  }
}

/** Says that these claims go on; returns those that do. */
export async function renewClaims(
  { reservedPool }: Databases,
  claims: readonly { id: number; busy_by: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await reservedPool.query<{ busy_by: string }>(
    `update destinations t set busy_until = now() + interval '${silentSeconds} seconds'
     from unnest($1::bigint[], $2::uuid[]) as claim (id, busy_by) where t.id = claim.id and t.busy_by = claim.busy_by
     returning t.busy_by`,
    [claims.map(({ id }) => id), claims.map(({ busy_by }) => busy_by)],
  )
  return new Set(rows.map(({ busy_by }) => busy_by))
}

const releasing = prepared(
  'release a destination',
  `update destinations t set busy_by = null, busy_until = now(),
       resume_at = case when ${isAsClaimed('$4', '$5')} then $3::timestamptz else resume_at end
     where id = $1 and busy_by = $2 returning ${isAsClaimed('$4', '$5')} as is_same`,
)

/** Gives a destination back; it is sent nothing before `resumeAt`, unless it is another one by now, which no answer has put off yet. */
export async function releaseDestination(
  { durablePool, durableDb }: Databases,
  target: Claimed,
  resumeAt: Date | null,
): Promise<void> {
  const { rows } = await durablePool.query<{ is_same: boolean }>({
    ...releasing,
    values: [target.id, target.busy_by, resumeAt, ...claimedWith(target)],
  })
  if (rows[0]?.is_same === false && resumeAt !== null) await catchUp(durableDb, [target.id])
}

const taking = (chosen: string) =>
  prepared(
    'take a message',
    `with next as (
       select id from deliveries where ${chosen} and $3::timestamptz is not null order by state in ('sent', 'edited'), id limit 1 for update skip locked
     )
     update deliveries d set claim = $2, waits_for = null,
       doubts = case when state in ('dead', 'skipped') then 0 else doubts + (state = 'sending')::int end,
       attempts = case when state in ('dead', 'skipped') then 0 else attempts end,
       due_at = case when state in ('dead', 'skipped') then null else due_at end,
       state = case when state in ('sent', 'edited') then state else 'queued' end
     from next where d.id = next.id
     returning d.id, uid, destination_id, kind, episode_id, state, is_urgent, collected_for, attempts, doubts, wanted_version, message_id, content, claim`,
  )
const takingDue = taking(`destination_id = $1 and next_at is not null and next_at <= ${now('$3')}`)
const takingNamed = taking(
  "destination_id = $1 and id = $4 and (state not in ('sent', 'edited') or wanted_version > sent_version)",
)

/**
 * Takes the message of a destination that is due and was written first, or the one named, whenever it is due. One found half sent, by
 * a process that ended in the middle, may have arrived. What was being collected is on its way from now on, and what was given up is begun
 * anew by whoever names it.
 */
export async function takeNext(
  { durablePool }: Databases,
  { id, busy_by }: Pick<Claimed, 'id' | 'busy_by'>,
  time: Date,
  named: number | null = null,
): Promise<Due | undefined> {
  const values = [id, busy_by, time, ...(named === null ? [] : [named])]
  const { rows } = await durablePool.query<Due>({ ...(named === null ? takingDue : takingNamed), values })
  return rows[0]
}

const markingSent = prepared(
  'mark a message',
  `update deliveries d set state = case when d.state = 'queued' then 'sending' else d.state end, content = d.content - 'said'
     from destinations t left join users u on u.id = t.owner_id
     where d.id = $1 and d.claim = $2 and t.id = d.destination_id and t.busy_by = $2 and not t.is_paused and ${isAsClaimed('$4', '$5')}
       and coalesce(u.is_active and u.status = 'approved', true)
       and (d.state in ('sent', 'edited') or not exists (
         select from unnest($3::bigint[]) as told (id) left join deals using (id) where deals.is_visible is not true))`,
)

/**
 * Says, before a first post, that it is about to be sent, and of a change that nobody knows what the receiver has until that is over; false where that is no longer so: somebody else has it, its member or
 * destination may be sent nothing any more, it is another one by now, or one of these deals isn't shown.
 */
export async function markSending(
  { durablePool }: Databases,
  target: Claimed,
  { id, claim }: Pick<Due, 'id' | 'claim'>,
  dealIds: readonly number[],
): Promise<boolean> {
  const { rowCount } = await durablePool.query({
    ...markingSent,
    values: [id, claim, dealIds, ...claimedWith(target)],
  })
  return rowCount === 1
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

/** Leaves out whatever waits at a destination that nothing may be sent to. Returns how much that was. */
export async function skipWaiting(
  { durablePool }: Databases,
  destinationId: number,
  reason: string,
): Promise<number> {
  const { rowCount } = await durablePool.query(
    `update deliveries set next_at = null, due_at = null, updated_at = now(),
       state = case when state in ('held', 'queued', 'sending') then 'skipped' else state end,
       reason = case when state in ('held', 'queued', 'sending') then $2 else reason end
     where destination_id = $1 and next_at is not null`,
    [destinationId, reason],
  )
  return rowCount ?? 0
}

import type { Selectable } from 'kysely'
import { type Databases, unwaitedHere } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { isAsClaimed } from './as-claimed.ts'
import { givenAndHeld, givenValues, type Lock, lockingStatements } from './locking.ts'

/** Whoever sends says so this often; silent for so long, the destination is another's. In seconds. */
export const renewSeconds = 5
const silentSeconds = 15

/** Destinations looked for at once. */
const mostDue = 1_000

type DestinationRow = Selectable<Tables['destinations']>

/** When nothing is to be sent to a member or the group; undefined where nobody has said so. */
export type PeaceRow = Selectable<Tables['peace']> | undefined

/** A destination that this process sends to; nobody else does. */
export type Claimed = DestinationRow & {
  /** Tells this claim from those before and after it. */
  busy_by: string
  /** Whether its member may use Dealdeck; of the group's true. */
  is_owner_active: boolean
  peace: PeaceRow
}

// By the database's time, on which all processes agree, or by the application's where that is ahead.
export const latestNow = (parameter: string) => `greatest(now(), ${parameter}::timestamptz)`
const isFree = (now: string) =>
  `(t.busy_until is null or t.busy_until <= now() or t.busy_by is null) and (t.resume_at is null or t.resume_at <= ${now})`

/** When something is done about a delivery `d` to a destination `t`; null where nothing will be. */
export const nextAt = 'case when d.next_at is not null then greatest(d.next_at, t.resume_at) end'

const findingDue = prepared(
  'destinations that are due',
  `with waiting as (
       select distinct destination_id as id from deliveries where next_at <= ${latestNow('$1')}
       union
       select t.id from users u join destinations t on t.owner_id = u.id
       where not (u.is_active and u.status = 'approved')
         and exists (select from deliveries d where d.destination_id = t.id and d.next_at is not null)
     )
     select t.id, t.owner_id from waiting join destinations t using (id) where ${isFree(latestNow('$1'))}
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
    `select count(*) as due, min(next_at) as oldest from deliveries where next_at <= ${latestNow('$1')}`,
    [time],
  )
  return rows[0] ?? { due: 0, oldest: null }
}

// Not kept by connections: a column that a later migration adds would break it. It waits for the disk, and for a standby where one has to
// confirm: nothing is taken while nothing can be made safe.
const claiming = `with free as (
       select t.id from destinations t where t.id = any($1) and (${isFree(latestNow('$2'))} or
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

// Its answer may have put off another one than it is by now.
const releasing = (isWaiting: boolean) =>
  lockingStatements('release destinations', (lock) => {
    const held = givenAndHeld(
      'id bigint, busy_by uuid, resume_at timestamptz, settings jsonb, secrets text',
      'destinations',
      lock,
    )
    return `${held}${isWaiting ? '' : `, ${unwaitedHere}`}
     update destinations t set busy_by = null, busy_until = now(),
       resume_at = case when ${isAsClaimed('given.settings', 'given.secrets')} then given.resume_at else t.resume_at end
     from given, held${isWaiting ? '' : ', unwaited'} where t.id = any($2) and held.id = t.id and t.id = given.id and t.busy_by = given.busy_by
     returning given.busy_by, ${isAsClaimed('given.settings', 'given.secrets')} as is_same`
  })
/** A pause that a service has asked for is not forgotten. Of others nobody waits for the disk: should the server lose it, the claim ends by itself. */
const releases = { pausing: releasing(true), plain: releasing(false) }

export type Release = { target: Claimed; resumeAt: Date | null }

/** Gives destinations back. Returns whether each is what it was when it was claimed; undefined where it is somebody else's by now. */
export async function releaseAll(
  { durablePool }: Databases,
  released: readonly Release[],
  lock: Lock,
): Promise<(boolean | undefined)[]> {
  const given = released.map(({ target, resumeAt }) => ({
    ...{ id: target.id, busy_by: target.busy_by, resume_at: resumeAt },
    ...{ settings: target.settings, secrets: target.secrets },
  }))
  const kind = released.some(({ resumeAt }) => resumeAt !== null) ? 'pausing' : 'plain'
  const { rows } = await durablePool.query<{ busy_by: string; is_same: boolean }>({
    ...releases[kind][lock],
    values: givenValues(given),
  })
  const isSame = new Map(rows.map(({ busy_by, is_same }) => [busy_by, is_same]))
  return released.map(({ target }) => isSame.get(target.busy_by))
}

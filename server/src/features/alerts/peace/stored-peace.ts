import type { Peace } from '@dealdeck/contract/alerts'
import type pg from 'pg'
import { withOwnClient } from '../../../platform/accounts/own-changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { recordChange } from '../../audit/actions.ts'
import { moveDigests, publishAlerts, releaseHeld } from '../../deliveries/actions.ts'
import { onlyAdministrators } from '../../deliveries/rules.ts'
import type { Member } from '../keeping/changing.ts'
import { initialPeace, movedDigestAt, type PeaceTimes } from './peace-rules.ts'

const columns = [
  ...(['time_zone', 'follows_device', 'quiet_from', 'quiet_to', 'most_an_hour', 'most_at_once'] as const),
  ...(['digest_at', 'digest_weekday', 'paused_until'] as const),
]

/** When nothing is to be sent to a member, or the group. Throws FORBIDDEN where a member asks for the group's. */
export async function readPeace(
  { customPlanPool }: Pick<Databases, 'customPlanPool'>,
  { id, isAdministrator }: Pick<Member, 'id' | 'isAdministrator'>,
  isGroup: boolean,
): Promise<Peace> {
  if (isGroup && !isAdministrator) throw onlyAdministrators()
  return read(customPlanPool, isGroup ? null : id)
}

/** Changes what is given of it, and has what waits looked at anew. Throws FORBIDDEN, and INVALID_INPUT by field. */
export async function changePeace(
  { databases, clock }: { databases: Databases; clock: Clock },
  member: Member,
  isGroup: boolean,
  given: Partial<Peace>,
): Promise<Peace> {
  if (isGroup && !member.isAdministrator) throw onlyAdministrators()
  const ownerId = isGroup ? null : member.id
  return withOwnClient(databases, member.id, async (client) => {
    const before = await read(client, ownerId)
    const next = {
      ...before,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    }
    refuseHalf(next)
    const values = columns.map((name) => next[name])
    await client.query(
      `insert into peace (user_id, ${columns.join(', ')}) values ($1, ${columns.map((_, at) => `$${at + 2}`).join(', ')})
       on conflict (user_id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()`,
      [ownerId, ...values],
    )
    const differs = (...names: (keyof Peace)[]) => names.some((name) => before[name] !== next[name])
    if (differs('time_zone', 'quiet_from', 'quiet_to', 'paused_until')) await releaseHeld(client, ownerId)
    const [old, times] = [timesOf(before), timesOf(next)]
    if (differs('time_zone', 'digest_at', 'digest_weekday', 'paused_until'))
      await moveDigests(client, ownerId, {
        daily: movedDigestAt(old, times, 'daily', clock()),
        weekly: movedDigestAt(old, times, 'weekly', clock()),
      })
    if (isGroup)
      await recordChange(client, {
        ...{ actor: { id: member.id, username: member.username }, action: 'change', before, after: next },
        subject: { kind: 'alert', id: null, name: 'Quiet times of the group' },
      })
    await publishAlerts(client, ownerId, null)
    return next
  })
}

const timesOf = ({ paused_until, ...times }: Peace): PeaceTimes => ({
  ...times,
  paused_until: paused_until === null ? null : new Date(paused_until),
})

type Row = Omit<Peace, 'paused_until'> & { paused_until: Date | null }

async function read(client: Pick<pg.ClientBase, 'query'>, ownerId: number | null): Promise<Peace> {
  const { rows } = await client.query<Row>(
    `select ${columns.join(', ')} from peace where user_id is not distinct from $1`,
    [ownerId],
  )
  const row = rows[0]
  if (!row) return initialPeace
  const { quiet_from, quiet_to, digest_at, paused_until } = row
  return {
    ...row,
    ...{ quiet_from: quiet_from?.slice(0, 5) ?? null, quiet_to: quiet_to?.slice(0, 5) ?? null },
    ...{ digest_at: digest_at.slice(0, 5), paused_until: paused_until?.toISOString() ?? null },
  }
}

/** Refuses quiet hours with only one end, or none between their ends. */
function refuseHalf({ quiet_from, quiet_to }: Peace): void {
  const message =
    (quiet_from === null) !== (quiet_to === null)
      ? 'must be given together with the other end of the quiet hours'
      : quiet_from !== null && quiet_from === quiet_to
        ? 'must be another time than the beginning of the quiet hours'
        : null
  if (message === null) return
  const field = quiet_from === null ? 'quiet_from' : 'quiet_to'
  throw new AppError('INVALID_INPUT', `${field} ${message}`, { fields: { [field]: message } })
}

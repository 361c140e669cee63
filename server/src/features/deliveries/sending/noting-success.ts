import { type Databases, unwaitedHere } from '../../../platform/database/database.ts'
import { isAsClaimed } from './as-claimed.ts'
import type { Claimed } from './claims.ts'
import { givenAndHeld, givenValues, type Lock, lockingStatements } from './locking.ts'

const isOk = `given.was_failing and ${isAsClaimed('given.settings', 'given.secrets')}`
// Nobody waits for the disk: what a server loses of it the next success notes again.
const notingSuccess = lockingStatements(
  'note successes',
  (
    lock,
  ) => `${givenAndHeld('id bigint, at timestamptz, was_failing boolean, settings jsonb, secrets text', 'destinations', lock)}, ${unwaitedHere}
     update destinations t set last_sent_at = given.at, failing_since = case when ${isOk} then null else failing_since end,
       state_text = case when ${isOk} then '' else state_text end,
       state = case when state = 'failing' and ${isOk} then 'ok' else state end
     from given, held, unwaited where t.id = any($2) and held.id = t.id and t.id = given.id
     returning t.id`,
)

export type Success = { target: Claimed; at: Date }

/** Notes that messages have arrived, which ends what was said of failing of what is still the same destination. */
export async function noteSuccesses(
  { durablePool }: Databases,
  successes: readonly Success[],
  lock: Lock,
): Promise<(true | undefined)[]> {
  const given = successes.map(({ target: { id, settings, secrets, ...target }, at }) => ({
    ...{ id, at, settings, secrets },
    was_failing: target.failing_since !== null || target.state === 'failing',
  }))
  const { rows } = await durablePool.query<{ id: number }>({
    ...notingSuccess[lock],
    values: givenValues(given),
  })
  const noted = new Set(rows.map(({ id }) => id))
  return successes.map(({ target }) => noted.has(target.id) || undefined)
}

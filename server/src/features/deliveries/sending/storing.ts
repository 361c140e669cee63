import type { WaitsFor } from '../../../platform/database/alert-tables.ts'
import type { Databases } from '../../../platform/database/database.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import { givenAndHeld, givenValues, type Lock, lockingStatements } from './locking.ts'
import type { Due } from './taking.ts'

/** What becomes of a delivery; what isn't named stays. */
export type Change = {
  state?: 'queued' | 'sent' | 'edited' | 'skipped' | 'dead'
  reason: string
  next_at: Date | null
  waits_for?: WaitsFor
  attempts?: number
  doubts?: number
  sent_version?: number
  message_id?: string | null
  status?: number | undefined
  answer?: string | undefined
  content?: DeliveryContent
  isSent?: boolean
  /** Whether its service wants it later, which costs no try. */
  isPutOff?: boolean
}

const columns = `id bigint, claim uuid, state text, reason text, next_at timestamptz, waits_for text, attempts int, doubts int, sent_version int,
  keeps_message_id boolean, message_id text, told_id text, status int, answer text, content jsonb, is_sent boolean, is_put_off boolean`
const storing = lockingStatements(
  'store deliveries',
  (lock) => `${givenAndHeld(columns, 'deliveries', lock)}
     update deliveries d set state = coalesce(given.state, d.state), reason = given.reason, updated_at = $3, claim = null,
       -- What is done, begun anew or waits for peace is put off by no service.
       due_at = case when given.sent_version is not null or given.attempts = 0 or given.waits_for is not null then null
         when given.is_put_off then coalesce(d.due_at, $3) else d.due_at end,
       next_at = case when given.sent_version is not null and d.wanted_version > given.sent_version and given.told_id is not null
         then $3::timestamptz + interval '30 seconds' else given.next_at end,
       attempts = coalesce(given.attempts, d.attempts), doubts = coalesce(given.doubts, d.doubts),
       sent_version = coalesce(given.sent_version, d.sent_version),
       message_id = case when given.keeps_message_id then d.message_id else given.message_id end,
       status = coalesce(given.status, d.status), answer = coalesce(given.answer, d.answer), content = coalesce(given.content, d.content),
       sent_at = case when given.is_sent then $3 else d.sent_at end, waits_for = given.waits_for
     from given, held where d.id = any($2) and held.id = d.id and d.id = given.id and d.claim = given.claim
     returning d.id`,
)

export type Storing = { due: Due; change: Change }

/** Writes down what became of deliveries; undefined for those that are another's by now. What changed on the way is sent after a pause. */
export async function storeAll(
  { durablePool }: Databases,
  storings: readonly Storing[],
  now: Date,
  lock: Lock,
): Promise<(true | undefined)[]> {
  const given = storings.map(({ due, change: { message_id, isSent, isPutOff, ...change } }) => ({
    ...{ ...change, id: due.id, claim: due.claim, is_sent: isSent ?? false, is_put_off: isPutOff ?? false },
    ...{ keeps_message_id: message_id === undefined, message_id },
    told_id: message_id === undefined ? due.message_id : message_id,
  }))
  const { rows } = await durablePool.query<{ id: number }>({
    ...storing[lock],
    values: [...givenValues(given), now],
  })
  const stored = new Set(rows.map(({ id }) => id))
  return storings.map(({ due }) => stored.has(due.id) || undefined)
}

import type { DealHiding } from '@dealdeck/contract/deals'
import type { Databases } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import { withDealWrites } from '../actions.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'

type Hiding = { asin: string; changed: number; hidden_at: Date | null }

// The row is read under the writers' lock, so nobody changes it in between.
const hiding = `
  with before as materialized (
    select id, asin, hidden_at, is_visible from deals where id = $1
  ), changed as (
    update deals d set hidden_at = case when $2 then now() end, last_updated = now()
    from before b where d.id = b.id and (b.hidden_at is not null) <> $2
    returning d.id as deal_id, d.hidden_at, ${recordedState('old', (field) => (field === 'is_visible' ? 'b.is_visible' : `d.${field}`))},
      ${recordedState('new', (field) => `d.${field}`)}
  ), ${recording()}
  select asin, (select count(*) from changed) as changed,
    case when exists (select from changed) then (select hidden_at from changed) else hidden_at end as hidden_at, ${recordedIds}
  from before`

/**
 * Hides a deal from all members, or shows it again where nothing else hides it; imports leave that as it is. Told to the audit list by
 * `actor` where it is another state than before. Throws NOT_FOUND where there is no such deal.
 */
export async function hideDeal(
  databases: Databases,
  { id, is_hidden }: { id: number; is_hidden: boolean },
  actor: Actor,
): Promise<DealHiding> {
  return withDealWrites(databases, async (writes) => {
    const row = await queryRecorded<Hiding>(writes, hiding, [id, is_hidden])
    if (!row) throw new AppError('NOT_FOUND', 'There is no such deal.')
    const { asin, changed, hidden_at } = row
    const change = { before: { is_hidden: !is_hidden }, after: { is_hidden } }
    const subject = { kind: 'deal' as const, id, name: asin }
    if (changed > 0) await recordChange(writes.client, { actor, action: 'change', subject, ...change })
    return { is_hidden, hidden_at: hidden_at?.toISOString() ?? null }
  })
}

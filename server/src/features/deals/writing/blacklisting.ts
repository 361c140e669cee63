import type { DealWrites } from '../actions.ts'
import { titleHolds } from '../rules.ts'
import { queryRecorded, recordedIds, recordedState, recording } from './recording.ts'

/** A word changes nothing of a deal but whether it is seen. */
const unchanged = recordedState('new', (field) => field)

/** Hides the deals whose title holds an active word, inside the caller's transaction. Returns how many were visible. */
export async function hideMatching(writes: DealWrites, word: string): Promise<number> {
  const { condition, values } = titleHolds(word)
  // What no word hid so far was visible exactly if it states an availability, isn't over, and nobody hides it.
  const before = recordedState('old', (field) =>
    field === 'is_visible' ? 'availability is not null and not is_over and hidden_at is null' : field,
  )
  const row = await queryRecorded<{ hidden: number }>(
    writes,
    `with changed as (
       update deals set is_blacklisted = true, last_updated = now() where ${condition} and not is_blacklisted
       returning id as deal_id, ${before}, ${unchanged}
     ), ${recording()}
     select (select count(*) from changed where old_is_visible) as hidden, ${recordedIds}`,
    values,
  )
  return row?.hidden ?? 0
}

/** Shows again the deals whose title holds a word that is not active any more, but for those that another word hides. */
export async function showMatching(writes: DealWrites, word: string): Promise<void> {
  const { condition, values } = titleHolds(word)
  const before = recordedState('old', (field) => (field === 'is_visible' ? 'false' : field))
  await queryRecorded(
    writes,
    `with changed as (
       update deals d set is_blacklisted = false, last_updated = now()
       where ${condition} and is_blacklisted
         and not exists (select from blacklisted_words w where w.is_active and strpos(d.title_folded, w.word) > 0)
       returning id as deal_id, ${before}, ${unchanged}
     ), ${recording()}
     select ${recordedIds}`,
    values,
  )
}

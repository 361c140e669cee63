import type { DealWrites } from '../actions.ts'
import { titleHolds } from '../rules.ts'

/** Hides the deals whose title holds an active word, inside the caller's transaction. Returns how many were visible. */
export async function hideMatching({ client, changes }: DealWrites, word: string): Promise<number> {
  const { condition, values } = titleHolds(word)
  // What no word hid so far was visible exactly if it states an availability.
  const { rows } = await client.query<{ id: number; was_visible: boolean }>(
    `update deals set is_blacklisted = true, last_updated = now() where ${condition} and not is_blacklisted
     returning id, availability is not null as was_visible`,
    values,
  )
  const hidden = rows.filter((row) => row.was_visible).map((row) => row.id)
  for (const id of hidden) changes.removed.push(id)
  return hidden.length
}

/** Shows again the deals whose title holds a word that is not active any more, but for those that another word hides. */
export async function showMatching({ client, changes }: DealWrites, word: string): Promise<void> {
  const { condition, values } = titleHolds(word)
  const { rows } = await client.query<{ id: number; is_visible: boolean }>(
    `update deals d set is_blacklisted = false, last_updated = now()
     where ${condition} and is_blacklisted
       and not exists (select from blacklisted_words w where w.is_active and strpos(d.title_folded, w.word) > 0)
     returning d.id, d.is_visible`,
    values,
  )
  for (const row of rows) if (row.is_visible) changes.added.push(row.id)
}

import type { Databases } from '../../platform/database.ts'
import { AppError } from '../../platform/errors.ts'
import { type DealWrites, withDealWrites } from '../deals/actions.ts'
import { foldText, titleHolds } from '../deals/rules.ts'

/** A word as stored and compared: trimmed, lower case, compatibility forms unified. */
export function normaliseWord(word: string): string {
  return foldText(word.trim())
}

/**
 * Makes a word active, adding it when it isn't there. Its deals disappear from the feed, the search, the stats and the
 * stream with the same commit. Returns the word's id and how many visible deals it hid.
 * Throws CONFLICT when the word is already active, INVALID_INPUT when it is blank.
 */
export async function addWord(
  databases: Databases,
  text: string,
): Promise<{ id: number; word: string; hidden: number }> {
  const word = normaliseWord(text)
  if (word === '')
    throw new AppError('INVALID_INPUT', 'Please enter a word', { fields: { word: 'Please enter a word' } })
  return withDealWrites(databases, async (writes) => {
    const { rows } = await writes.client.query<{ id: number }>(
      `insert into blacklisted_words (word) values ($1)
       on conflict (word) do update set is_active = true where not blacklisted_words.is_active
       returning id`,
      [word],
    )
    const added = rows[0]
    if (!added) throw new AppError('CONFLICT', 'Failed to add word. It may already exist.')
    return { id: added.id, word, hidden: await hideMatching(writes, word) }
  })
}

/**
 * Activates or deactivates a word by id. Deactivating brings back the deals no other active word hides.
 * Returns the word; throws NOT_FOUND.
 */
export async function setWordActive(
  databases: Databases,
  id: number,
  isActive: boolean,
): Promise<{ id: number; word: string; is_active: boolean }> {
  return withDealWrites(databases, async (writes) => {
    const { rows } = await writes.client.query<{ id: number; word: string; was_active: boolean }>(
      `update blacklisted_words w set is_active = $2 from (select id, is_active from blacklisted_words where id = $1 for update) old
       where w.id = old.id returning w.id, w.word, old.is_active as was_active`,
      [id, isActive],
    )
    const word = rows[0]
    if (!word) throw new AppError('NOT_FOUND', 'This word no longer exists.')
    if (isActive && !word.was_active) await hideMatching(writes, word.word)
    if (!isActive && word.was_active) await showMatching(writes, word.word)
    return { id: word.id, word: word.word, is_active: isActive }
  })
}

async function hideMatching({ client, changes }: DealWrites, word: string): Promise<number> {
  const { condition, values } = titleHolds(word)
  const { rows } = await client.query<{ id: number; was_visible: boolean }>(
    `update deals d set is_blacklisted = true, last_updated = now()
     from (select id, is_visible from deals where ${condition} and not is_blacklisted) old
     where d.id = old.id returning d.id, old.is_visible as was_visible`,
    values,
  )
  const hidden = rows.filter((row) => row.was_visible).map((row) => row.id)
  for (const id of hidden) changes.removed.push(id)
  return hidden.length
}

async function showMatching({ client, changes }: DealWrites, word: string): Promise<void> {
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

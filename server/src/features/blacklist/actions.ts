import { type BlacklistedWord, maximumWords } from '@dealdeck/contract/blacklist'
import { foldText } from '@dealdeck/query/folding'
import type { Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { withDealWrites } from '../deals/actions.ts'
import { hideMatching, showMatching } from '../deals/writing/blacklisting.ts'

/** A word as stored and compared: trimmed, lower case, compatibility forms unified. */
export function normaliseWord(word: string): string {
  return foldText(word.trim())
}

type WordRow = { id: number; word: string; is_active: boolean; created_at: Date }

/** A word as it goes over the wire. */
export function toWord({ created_at, ...row }: WordRow): BlacklistedWord {
  return { ...row, created_at: created_at.toISOString() }
}

/**
 * Makes a word active, adding it when it isn't there. Its deals disappear from the feed, the search, the stats and the
 * stream with the same commit. Returns the word and how many visible deals it hid. `actor` is the administrator who does
 * it, for the audit list. Throws CONFLICT when the word is already active or the list full, INVALID_INPUT for a blank one.
 */
export async function addWord(
  databases: Databases,
  text: string,
  actor?: Actor,
): Promise<BlacklistedWord & { hidden: number }> {
  const word = normaliseWord(text)
  if (word === '')
    throw new AppError('INVALID_INPUT', 'Please enter a word', { fields: { word: 'Please enter a word' } })
  return withDealWrites(databases, async (writes) => {
    const { client } = writes
    const known = await client.query<{ is_active: boolean | null; count: number }>(
      `select (select is_active from blacklisted_words where word = $1) as is_active,
         (select count(*) from blacklisted_words) as count`,
      [word],
    )
    const { is_active: wasActive = null, count = 0 } = known.rows[0] ?? {}
    if (wasActive) throw new AppError('CONFLICT', 'Failed to add word. It may already exist.')
    if (wasActive === null && count >= maximumWords)
      throw new AppError('CONFLICT', `There are ${maximumWords} words, and no room for more.`)
    const { rows } = await client.query<WordRow>(
      `insert into blacklisted_words (word) values ($1) on conflict (word) do update set is_active = true
       returning id, word, is_active, created_at`,
      [word],
    )
    const added = rows[0]
    if (!added) throw new Error('A word was neither added nor refused')
    if (actor) {
      const subject = { kind: 'word' as const, id: added.id, name: word }
      const before = wasActive === null ? null : { is_active: false }
      const action = before ? 'activate' : 'add'
      await recordChange(client, { actor, action, subject, before, after: { is_active: true } })
    }
    return { ...toWord(added), hidden: await hideMatching(writes, word) }
  })
}

/**
 * Activates or deactivates a word by id. Deactivating brings back the deals no other active word hides. `actor` as above.
 * Returns the word; throws NOT_FOUND.
 */
export async function setWordActive(
  databases: Databases,
  id: number,
  isActive: boolean,
  actor?: Actor,
): Promise<BlacklistedWord> {
  return withDealWrites(databases, async (writes) => {
    const { rows } = await writes.client.query<WordRow & { was_active: boolean }>(
      `update blacklisted_words w set is_active = $2 from (select id, is_active from blacklisted_words where id = $1 for update) old
       where w.id = old.id returning w.id, w.word, w.is_active, w.created_at, old.is_active as was_active`,
      [id, isActive],
    )
    if (!rows[0]) throw new AppError('NOT_FOUND', 'This word no longer exists.')
    const { was_active: wasActive, ...word } = rows[0]
    if (isActive === wasActive) return toWord(word)
    if (actor) {
      await recordChange(writes.client, {
        actor,
        action: isActive ? 'activate' : 'deactivate',
        subject: { kind: 'word', id, name: word.word },
        before: { is_active: wasActive },
        after: { is_active: isActive },
      })
    }
    if (isActive) await hideMatching(writes, word.word)
    else await showMatching(writes, word.word)
    return toWord(word)
  })
}

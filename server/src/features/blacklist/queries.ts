import { type BlacklistedWord, maximumWords, type WordPreview } from '@dealdeck/contract/blacklist'
import type pg from 'pg'
import type { Databases } from '../../platform/database/database.ts'
import { containsPattern, titleHolds, titleWords } from '../deals/rules.ts'
import { normaliseWord, toWord } from './actions.ts'

/** Active words alphabetically, or all of them, the newest first. */
export async function listWords({ db }: Databases, includeInactive: boolean): Promise<BlacklistedWord[]> {
  const words = db.selectFrom('blacklisted_words').select(['id', 'word', 'is_active', 'created_at'])
  const wanted = includeInactive
    ? words.orderBy('created_at', 'desc').orderBy('id', 'desc')
    : words.where('is_active', '=', true).orderBy('word')
  return (await wanted.limit(maximumWords).execute()).map(toWord)
}

/** So far the deals of a preview are counted; beyond it the answer is 'more than'. */
const mostCounted = 10_000
const shownTitles = 5

/** What a word would hide of what everybody sees now, and five of the newest titles among those counted. */
export async function previewWord({ customPlanPool }: Databases, text: string): Promise<WordPreview> {
  const word = normaliseWord(text)
  const { condition, values } = await searchable(customPlanPool, word)
  const next = values.length + 1
  const { rows } = await customPlanPool.query<{ found: number; titles: string[]; is_active: boolean | null }>(
    `with found as materialized (
       select title, first_seen, id from deals where is_visible and ${condition} limit ${mostCounted + 1}
     )
     select (select count(*) from found) as found,
       array(select title from found order by first_seen desc, id desc limit ${shownTitles}) as titles,
       (select is_active from blacklisted_words where word = $${next}) as is_active`,
    [...values, word],
  )
  const { found = 0, titles = [], is_active: isActive = null } = rows[0] ?? {}
  return {
    word,
    state: isActive === null ? 'new' : isActive ? 'active' : 'inactive',
    hidden: Math.min(found, mostCounted),
    has_more: found > mostCounted,
    titles,
  }
}

/** Of so few words of titles the index still finds the deals sooner than a walk through all of them. */
const fewWords = 40

/** As `titleHolds`, but also one or two letters that few words hold are found through the index. */
async function searchable(pool: pg.Pool, word: string): Promise<{ condition: string; values: unknown[] }> {
  const plain = titleHolds(word)
  if (plain.values.length > 1 || word.includes(' ')) return plain
  const { rows } = await pool.query<{ word: string }>(
    'select word from title_words where word like $1 limit $2',
    [containsPattern(word), fewWords + 1],
  )
  if (rows.length > fewWords) return plain
  return { condition: `${titleWords} && $1::text[]`, values: [rows.map((row) => row.word)] }
}

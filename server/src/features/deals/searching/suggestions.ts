import { mostSuggested, type Suggestions } from '@dealdeck/contract/deals'
import { plainText } from '@dealdeck/query/folding'
import type pg from 'pg'

export type SuggestedField = 'brand' | 'category'

/** A name, as it is compared too, and how many deals have it. */
type NameCount = { name: string; plain: string; count: number }
/** The names of a field as deals have them, and what can be offered of these: of a category each step of its path. */
type FieldNames = { whole: readonly NameCount[]; offered: readonly NameCount[] }
/** The names of the deals that were looked at, and whether there are more deals. */
type Names = Record<SuggestedField, FieldNames> & { has_more: boolean }

/** So many of the newest visible deals are looked at for their names, however many there are. */
const mostLookedAt = 25_000
/** So many different beginnings are kept for each state of the deals. */
const mostPrefixes = 2_000

export async function readNames(pool: pg.Pool, most: number): Promise<Names> {
  const { rows } = await pool.query<Record<SuggestedField, string | null> & { count: number }>(
    `select brand, category, count(*) as count
     from (select brand, category from deals where is_visible order by first_seen desc, id desc limit $1) newest
     group by brand, category`,
    [most + 1],
  )
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const namesOf = (field: SuggestedField): FieldNames => {
    const counts = new Map<string, number>()
    for (const row of rows) {
      const name = row[field]
      if (name !== null) counts.set(name, (counts.get(name) ?? 0) + row.count)
    }
    // Of several spellings the most frequent is offered.
    const whole = [...counts]
      .map(([name, count]) => ({ name, plain: plainText(name), count }))
      .toSorted((one, other) => other.count - one.count)
    const offered = new Map<string, NameCount>()
    for (const { name, count } of whole) {
      for (const step of field === 'category' ? name.split(' > ') : [name]) {
        const plain = plainText(step)
        const known = offered.get(plain)
        if (known) known.count += count
        else offered.set(plain, { name: step, plain, count })
      }
    }
    return { whole, offered: [...offered.values()].toSorted((a, b) => b.count - a.count) }
  }
  return { brand: namesOf('brand'), category: namesOf('category'), has_more: total > most }
}

/**
 * The values to offer for what has been typed of one. A count is of what the value finds, which may be more names than its own.
 */
function suggestedValues({ whole, offered }: FieldNames, prefix: string): Suggestions['values'] {
  const typed = plainText(prefix.trim())
  const best: NameCount[] = []
  for (const one of offered) {
    if (best.length === mostSuggested) break
    if (beginsIn(one.plain, typed)) best.push(one)
  }
  return best
    .map(({ name, plain }) => ({
      value: name,
      count: whole.reduce((sum, one) => sum + (one.plain.includes(plain) ? one.count : 0), 0),
    }))
    .toSorted((a, b) => b.count - a.count)
}

/** Whether a name, or a word of it, begins with a text. */
function beginsIn(name: string, text: string): boolean {
  for (let at = name.indexOf(text); at >= 0 && at < name.length; at = name.indexOf(text, at + 1))
    if (at === 0 || /[^\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true
  return false
}

type Known = { stamp: string | null; names: Promise<Names>; until: number; found: Map<string, Suggestions> }

/** Looking is cheap on an ordinary table; only what costs more than this is spared, in milliseconds. */
const cheapMs = 50

/**
 * Suggests values, reading the names once per revision, however many ask. Where that takes long, as during an import, in
 * which revisions follow one another, names are good for ten times what they cost. `stamp`: what the deals are as of; null
 * while nobody can tell.
 */
export function keepSuggestions(
  pool: pg.Pool,
  stamp: () => string | null,
): (field: SuggestedField, prefix: string) => Promise<Suggestions> {
  let known: Known | undefined
  const current = (): Known => {
    const now = stamp()
    if (known && now !== null && (known.stamp === now || known.until > performance.now())) return known
    const began = performance.now()
    const entry: Known = { stamp: now, names: readNames(pool, mostLookedAt), until: 0, found: new Map() }
    known = entry
    entry.names.then(
      () => {
        const cost = performance.now() - began
        if (cost > cheapMs) entry.until = began + 10 * cost
      },
      () => {
        if (known === entry) known = undefined
      },
    )
    return entry
  }
  return async (field, prefix) => {
    const { names, found } = current()
    const key = `${field} ${prefix}`
    const kept = found.get(key)
    if (kept) return kept
    const { has_more, ...byField } = await names
    const suggestions = { values: suggestedValues(byField[field], prefix), has_more }
    if (found.size < mostPrefixes) found.set(key, suggestions)
    return suggestions
  }
}

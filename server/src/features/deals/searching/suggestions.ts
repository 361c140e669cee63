import type { Suggestions } from '@dealdeck/contract/deals'
import { plainText } from '@dealdeck/query/folding'
import type pg from 'pg'

export type SuggestedField = 'brand' | 'category'
/** A name as deals have it, as it is compared too, and how many deals have it. */
type NameCount = { name: string; plain: string; count: number }
export type NameCounts = readonly Readonly<NameCount>[]

/** The most values that are suggested at once. */
const mostSuggested = 8
/** So many of the newest visible deals the database is asked for their names, however many there are. */
const mostLookedAt = 25_000
/** So many different beginnings are kept for each state of the deals. */
const mostPrefixes = 2_000

const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other)

/** The most frequent first, and equally frequent ones by name: deals may be counted in any order. */
const byCount = (one: NameCount, other: NameCount) =>
  other.count - one.count || compareTexts(one.plain, other.plain) || compareTexts(one.name, other.name)

/** The names of a field as deals have them, and what can be offered of these: of a category each step of its path. */
class FieldNames {
  readonly #whole: NameCounts
  readonly #offered: readonly NameCount[]
  readonly #found = new Map<string, Suggestions['values']>()

  constructor(field: SuggestedField, counts: NameCounts) {
    // Of several spellings the most frequent is offered.
    this.#whole = counts.toSorted(byCount)
    const offered = new Map<string, NameCount>()
    const steps = new Map<string, NameCount>()
    for (const one of this.#whole) {
      for (const step of field === 'category' ? one.name.split(' > ') : [one.name]) {
        let known = steps.get(step)
        if (!known) {
          const plain = step === one.name ? one.plain : plainText(step)
          known = offered.get(plain) ?? { name: step, plain, count: 0 }
          offered.set(plain, known)
          steps.set(step, known)
        }
        known.count += one.count
      }
    }
    this.#offered = [...offered.values()].toSorted(byCount)
  }

  /**
   * The values to offer for what has been typed of one. A count is of what the value finds, which may be more names than its own.
   */
  suggest(prefix: string): Suggestions['values'] {
    const found = this.#found.get(prefix) ?? this.#find(plainText(prefix.trim()))
    if (this.#found.size < mostPrefixes) this.#found.set(prefix, found)
    return found
  }

  #find(typed: string): Suggestions['values'] {
    const best: NameCount[] = []
    for (const one of this.#offered) {
      if (best.length === mostSuggested) break
      if (beginsIn(one.plain, typed)) best.push(one)
    }
    return best
      .map(({ name, plain }) => ({
        name,
        plain,
        count: this.#whole.reduce((sum, one) => sum + (one.plain.includes(plain) ? one.count : 0), 0),
      }))
      .toSorted(byCount)
      .map(({ name, count }) => ({ value: name, count }))
  }
}

/** Whether a name, or a word of it, begins with a text. */
function beginsIn(name: string, text: string): boolean {
  for (let at = name.indexOf(text); at >= 0 && at < name.length; at = name.indexOf(text, at + 1))
    if (at === 0 || /[^\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true
  return false
}

/**
 * Names are good for so many times what they cost, as during an import, in which revisions follow one another. Who counts in
 * memory keeps searches waiting meanwhile, so that is done less often.
 */
const [timesRead, timesCounted] = [10, 30]

/** Which deals are counted: those of a revision, after so many others have gone or were hidden. */
type State = { revision: number; removals: number }

/**
 * Suggests values by counts that are at hand: counted once per revision of the deals, however many ask. What is hidden is
 * offered no longer from then on, whatever that costs.
 */
export function suggestByCounts(
  count: (field: SuggestedField) => NameCounts,
): (field: SuggestedField, prefix: string, state: State) => Suggestions['values'] {
  const known = new Map<SuggestedField, State & { names: FieldNames; until: number }>()
  return (field, prefix, { revision, removals }) => {
    const began = performance.now()
    let current = known.get(field)
    const isOld = current && current.revision !== revision && current.until <= began
    if (!current || isOld || current.removals !== removals) {
      const names = new FieldNames(field, count(field))
      const cost = performance.now() - began
      current = { revision, removals, names, until: began + timesCounted * cost }
      known.set(field, current)
    }
    return current.names.suggest(prefix)
  }
}

/** The names of the deals that were looked at, and whether there are more deals. */
type Names = Record<SuggestedField, FieldNames> & { has_more: boolean }

export async function readNames(pool: pg.Pool, most: number): Promise<Names> {
  const { rows } = await pool.query<Record<SuggestedField, string | null> & { count: number }>(
    `select brand, category, count(*) as count
     from (select brand, category from deals where is_visible order by first_seen desc, id desc limit $1) newest
     group by brand, category`,
    [most + 1],
  )
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const namesOf = (field: SuggestedField) => {
    const counts = new Map<string, number>()
    for (const row of rows) {
      const name = row[field]
      if (name !== null) counts.set(name, (counts.get(name) ?? 0) + row.count)
    }
    return new FieldNames(
      field,
      Array.from(counts, ([name, count]) => ({ name, plain: plainText(name), count })),
    )
  }
  return { brand: namesOf('brand'), category: namesOf('category'), has_more: total > most }
}

type Known = { stamp: string | null; names: Promise<Names>; until: number }

/** Looking is cheap on an ordinary table; only what costs more than this is spared, in milliseconds. */
const cheapMs = 50

/**
 * Suggests values by the newest deals in the database, reading their names once per revision, however many ask. `stamp`: what
 * the deals are as of; null while nobody can tell.
 */
export function suggestByNewest(
  pool: pg.Pool,
  stamp: () => string | null,
): (field: SuggestedField, prefix: string) => Promise<Suggestions> {
  let known: Known | undefined
  const current = (): Known => {
    const now = stamp()
    if (known && now !== null && (known.stamp === now || known.until > performance.now())) return known
    const began = performance.now()
    const entry: Known = { stamp: now, names: readNames(pool, mostLookedAt), until: 0 }
    known = entry
    entry.names.then(
      () => {
        const cost = performance.now() - began
        if (cost > cheapMs) entry.until = began + timesRead * cost
      },
      () => {
        if (known === entry) known = undefined
      },
    )
    return entry
  }
  return async (field, prefix) => {
    const { has_more, ...byField } = await current().names
    return { values: byField[field].suggest(prefix), has_more }
  }
}

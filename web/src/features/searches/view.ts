import type { FeedKind, SavedSearch } from '@dealdeck/contract/searches'

/** A search with the number that is known of it. */
export type CountedSearch = SavedSearch & {
  /** Whether it couldn't be counted in time, so that the number is the one of before, if any. */
  is_late?: boolean
}

/** What the feed's address asks for, where it leads to a search: the same deals, whoever opens it. */
export function textOf({ q, sort }: Pick<SavedSearch, 'q' | 'sort'>): string {
  // Where nothing is said of a price, the feed would add the reader's own highest one.
  const price = asksFor(q, 'price:') ? '' : 'price:any'
  return [price, q, sort !== null && sort !== 'newest' && `sort:${sort}`].filter(Boolean).join(' ')
}

/**
 * The searches that the text on screen asks for, as it is typed or else as the `whole` one it stands for. One's own and one of the group
 * may ask the same.
 */
export function askedFor(
  searches: readonly SavedSearch[],
  typed: string,
  whole: string | undefined,
): SavedSearch[] {
  const found = searches.filter((search) => textOf(search) === typed)
  return found.length > 0 ? found : searches.filter((search) => textOf(search) === whole)
}

/**
 * Whether a term of a question begins with what a regular expression matches, within quotes nothing does. Enough for the one form
 * that questions are saved in; the language itself comes later than the row.
 */
function asksFor(q: string, beginning: string): boolean {
  const unquoted = q.replace(/(^|[ (:,=-])"(?:[^"\\]|\\.)*"/g, '$1')
  return new RegExp(`(?:^| )[(-]*${beginning}`).test(unquoted)
}

/** How many deals are new in a search, in as few signs as can be and in words; undefined where there are none, or nobody knows. */
export function newsOf({
  new_count,
  has_more_new,
}: SavedSearch): { short: string; whole: string } | undefined {
  // More came than are looked at, and none of those that were is of this kind.
  if (!new_count) return new_count === 0 && has_more_new ? { short: 'new?', whole: 'maybe new' } : undefined
  const short = `${new_count}${has_more_new ? '+' : ''}`
  return { short, whole: `${short} new` }
}

/** A list in which one stands at another position, which is held within the list. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const others = items.filter((_, at) => at !== from)
  const [item] = items.slice(from, from + 1)
  const at = Math.min(Math.max(to, 0), others.length)
  return item === undefined ? [...items] : [...others.slice(0, at), item, ...others.slice(at)]
}

/** A name for a question, which none of the others has: its words, or else all of it, or else a number behind. */
export function nameFor(text: string, others: readonly string[]): string {
  const words = text.replace(/\S*:\S*|-\S+|["()]|\bOR\b/g, ' ').trim()
  const [short = '', ...more] = [words || text, text].map((name) =>
    shortened(name.replace(/\s+/g, ' ').trim()),
  )
  const numbered = others.map((_, at) => `${short} ${at + 2}`)
  const isFree = (name: string) => !others.some((other) => isSameName(name, other))
  return [short, ...more, ...numbered].find(isFree) ?? short
}

/** At most 40 characters, ending with a whole word where there is one that says something by itself. */
function shortened(name: string): string {
  const words = name.length > 40 ? name.slice(0, 41).replace(/\s\S*$/, '') : name
  return words
    .slice(0, 40)
    .replace(
      /(?:[\s,;\ud800-\udbff]|(?<=\s)(?:not|no|or|and|but|without|under|over|at|least|most|[<>=-]))+$/i,
      '',
    )
}

/** Whether two names are the same to a reader. */
export const isSameName = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()

/** A member's searches as the device saw them last; undefined when there are none, or they are somebody else's. */
export function readCopy(stored: unknown, userId: number): SavedSearch[] | undefined {
  if (!isRecord(stored) || stored.user_id !== userId || !Array.isArray(stored.items)) return undefined
  return stored.items.filter(isSearch)
}

// As much as is needed to show one; the rest comes with the answer.
function isSearch(item: unknown): item is SavedSearch {
  return (
    isRecord(item) &&
    typeof item.id === 'number' &&
    [item.name, item.q].every((text) => typeof text === 'string')
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** A search as an answer has it; where it couldn't be counted in time, with the number that is known of the same question. */
export function withKnownCount(search: SavedSearch, known: readonly SavedSearch[] = []): CountedSearch {
  // Hidden deals are never counted.
  if (search.new_count !== null || asksFor(search.q, 'is:(?:sample,)*hidden')) return search
  const { new_count, has_more_new } = known.find(({ id, q }) => id === search.id && q === search.q) ?? search
  return { ...search, new_count, has_more_new, is_late: true }
}

/** What the server takes; the contract's own constant would bring the schema library, and a test holds the two together. */
export const longestSearchName = 80

/** The orders to choose from. */
export const sortChoices: readonly { value: string; sort: SavedSearch['sort']; label: string }[] = [
  { value: '', sort: null, label: 'Newest first' },
  { value: 'updated', sort: 'updated', label: 'Last changed' },
  { value: 'best', sort: 'best', label: 'Under typical' },
  { value: 'discount', sort: 'discount', label: 'Biggest discount' },
  { value: 'price', sort: 'price', label: 'Lowest price' },
  { value: 'discord', sort: 'discord', label: 'Last posted to Discord' },
]

/** What a feed tells of, and how one is asked for. */
export const feedKinds: readonly { kind: FeedKind; label: string; make: string }[] = [
  { kind: 'deals', label: 'New deals', make: 'Address for new deals' },
  { kind: 'events', label: 'Lowest prices', make: 'Address for lowest prices' },
]

export const feedFormats = [
  { ending: 'atom', label: 'Atom' },
  { ending: 'rss', label: 'RSS' },
  { ending: 'json', label: 'JSON Feed' },
] as const

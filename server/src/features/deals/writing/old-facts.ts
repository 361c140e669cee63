/** What questions ask of a deal beside what is recorded anyway, as far as imports state it. */
const importedColumns = [
  ...(['title', 'brand', 'category', 'condition', 'rating', 'review_count', 'prime_eligible'] as const),
  ...(['first_seen', 'ends_at'] as const),
] as const
/** The same that its prices say. */
const verdictColumnNames = ['verdict_kind', 'under_typical', 'low_days', 'price_drop', 'dropped_at'] as const
/** What differs after each import that changes a deal. */
const sightColumns = ['observed_at', 'last_updated'] as const

type Column = (typeof importedColumns | typeof verdictColumnNames | typeof sightColumns)[number]

/** Some columns of a deal as they were before a change, times in ISO 8601; all that differed are among them. */
export type OldFacts = Partial<{
  title: string
  brand: string | null
  category: string | null
  condition: string | null
  rating: number | null
  review_count: number | null
  prime_eligible: boolean
  first_seen: string
  ends_at: string | null
  observed_at: string
  last_updated: string
  verdict_kind: string | null
  under_typical: number | null
  low_days: number | null
  price_drop: number | null
  dropped_at: string | null
}>

/** Nothing that questions ask for differs but the recorded fields, or nobody saw the deal before or sees it after. */
export const noFacts = 'null::jsonb'

const built = (names: readonly Column[], old: (column: Column) => string) =>
  `jsonb_build_object(${names.map((name) => `'${name}', ${old(name)}`).join(', ')})`

/** What an import changes of a deal, in SQL: each column by the expression of what it was, and of what it is. */
export function importedFacts(old: (column: Column) => string, current: (column: Column) => string): string {
  const row = (of: (column: Column) => string) => `(${importedColumns.map(of).join(', ')})`
  // Most imports change prices alone: then a short object is all that is made.
  return `case when ${row(current)} is distinct from ${row(old)} then ${built([...importedColumns, ...sightColumns], old)}
    else ${built(sightColumns, old)} end`
}

/** The same for who changes a verdict. */
export const verdictFacts = (old: (column: Column) => string): string => built(verdictColumnNames, old)
/** The same for who changes nothing of this but when the deal was changed last. */
export const updatedFacts = (old: (column: Column) => string): string => built(['last_updated'], old)

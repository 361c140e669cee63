import type { NameCounts, SuggestedField } from '../searching/suggestions.ts'
import type { DealColumns } from './deal-columns.ts'

/** How many of some rows have each name of a field, as it is spelled. */
export function countNames(columns: DealColumns, field: SuggestedField, rows: Uint32Array): NameCounts {
  const { spelled, texts } = field === 'brand' ? columns.brands : columns.categories
  const codes = columns[field]
  const counts = new Uint32Array(spelled.length)
  // What has no name has the code -1, which is no place in the list.
  for (const row of rows) {
    const code = codes[row] ?? -1
    if (code >= 0) counts[code] = (counts[code] ?? 0) + 1
  }
  return spelled
    .map((name, code) => ({ name, plain: texts[code] ?? name, count: counts[code] ?? 0 }))
    .filter(({ count }) => count > 0)
}

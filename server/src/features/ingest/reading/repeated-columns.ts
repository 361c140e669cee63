import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import type { Column } from './cells.ts'
import type { Mapping } from './columns.ts'
import type { RowResult } from './deal-row.ts'
import type { RawRow } from './raw-row.ts'
import { cellText } from './text.ts'

/** Where one column of several with the same name can't simply be taken: another one may tell another deal. */
const decisive = new Set<ImportField>([
  'asin',
  'price',
  'original_price',
  'currency',
  'marketplace',
  'availability',
  'ends_at',
  'deal_state',
])
/** Of amounts even an empty cell makes a difference: one may be what it costs only for some. */
const amounts = new Set<ImportField>(['price', 'original_price'])

type Repeated = { field: ImportField; column: Column; others: Column[] }

/** The columns of a CSV that fill a field and share their name with others; of fields that somebody has `settled` none. */
export function repeatedColumns(
  columns: readonly Column[],
  { fields }: Mapping,
  settled: ReadonlySet<ImportField>,
): Repeated[] {
  return importFieldSchema.options.flatMap((field) => {
    const column = fields[field]
    if (!column?.heading || settled.has(field)) return []
    const others = columns.filter((other) => other !== column && other.heading === column.heading)
    return others.length > 0 ? [{ field, column, others }] : []
  })
}

/** A row as it was read, unless columns of one name say different things of what decides on a deal: that is refused. */
export function unlessContradicted(result: RowResult, raw: RawRow, repeated: readonly Repeated[]): RowResult {
  if (!result.deal) return result
  for (const { field, column, others } of repeated) {
    if (!decisive.has(field)) continue
    const own = cellText(column.read(raw))
    const differing = others.find((other) => {
      const text = cellText(other.read(raw))
      return text !== own && (amounts.has(field) || (text !== '' && own !== ''))
    })
    if (!differing) continue
    const name = String(column.heading).slice(0, 60)
    const [one, other] = [column, differing].map((each) => `map=${field}=${each.name.slice(0, 60)}`)
    const reason = `columns called ${name} differ: say which counts, ${one} or ${other}`
    return { refusal: { asin: result.deal.asin, reason }, isElsewhere: false }
  }
  return result
}

/** A sentence on each of them. */
export function repeatedNotes(repeated: readonly Repeated[]): string[] {
  return repeated.map(({ field, column, others }) => {
    const other = others[0]?.name
    return `${others.length + 1} columns are called ${column.heading}: ${field} is taken from ${column.name}. To take another, say so with map=${field}=${other}.`
  })
}

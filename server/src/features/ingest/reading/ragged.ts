import { importFieldSchema } from '@dealdeck/contract/ingest'
import type { Column } from './cells.ts'
import type { Mapping } from './columns.ts'
import type { Format } from './format.ts'
import type { RawRow } from './raw-row.ts'
import { fitOf } from './value-fit.ts'

/**
 * A record with more cells than the header: most often a title whose delimiters nobody quoted, which moves everything
 * behind it into the wrong column. It is put together again when the other cells then fit their columns better.
 */
export function realigned(row: RawRow, columns: readonly Column[], mapping: Mapping): RawRow {
  const { title } = mapping.fields
  const extra = (row.cells?.length ?? 0) - columns.length
  if (!row.cells || !title || extra <= 0) return row
  if (row.cells.slice(columns.length).every((cell) => cell.trim() === '')) return row
  const at = columns.indexOf(title)
  if (at < 0) return row
  const whole = row.cells.slice(at, at + extra + 1).join(', ')
  const joined: RawRow = { cells: [...row.cells.slice(0, at), whole, ...row.cells.slice(at + extra + 1)] }
  return fitting(joined, mapping) > fitting(row, mapping) ? joined : row
}

const cutPrice: RawRow = { problem: 'a comma in a price stands without quotation marks' }

/** Such a record as far as it is known which cells belong together: two of them may be one amount (`12,99`, `1,299.00`). */
export function rejoined(
  row: RawRow,
  format: Format | undefined,
  columns: readonly Column[],
  mapping: Mapping,
): RawRow {
  const { cells = [] } = row
  const isWhole = cells.slice(columns.length).every((cell) => cell.trim() === '')
  if (isWhole || format?.kind !== 'csv' || format.delimiter !== ',') return realigned(row, columns, mapping)
  const isCut = [mapping.fields.price, mapping.fields.original_price].some((column) => {
    const at = column ? columns.indexOf(column) : -1
    return at >= 0 && beforeComma.test(cells[at] ?? '') && behindComma.test(cells[at + 1] ?? '')
  })
  return isCut ? cutPrice : realigned(row, columns, mapping)
}

const beforeComma = /^\s*(?:\p{Sc}|[A-Z]{3})?\s?\d{1,3}$/u
const behindComma = /^(?:\d\d|\d{3}(?:\.\d\d?)?)\s*(?:\p{Sc}|[A-Z]{3})?\s*$/u

/** How many of a row's cells are what their columns hold. */
function fitting(row: RawRow, mapping: Mapping): number {
  return importFieldSchema.options.reduce((sum, field) => {
    const column = mapping.fields[field]
    const cell = column?.read(row)
    return sum + (column && cell !== undefined && cell !== '' ? fitOf(field, [cell]) : 0)
  }, 0)
}

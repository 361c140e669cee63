import { importFieldSchema } from '@dealdeck/contract/ingest'
import type { Column } from './cells.ts'
import type { Mapping } from './columns.ts'
import type { Format } from './format.ts'
import type { RawRow } from './raw-row.ts'
import { cellText } from './text.ts'
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

/**
 * A CSV record as far as it is known which cells belong together: of a price whose decimal comma nobody quoted the beginning
 * would end a title, or its two halves stand in two columns (`12,99`, `1,299.00`). Such a record is a problem.
 */
export function rejoined(
  row: RawRow,
  format: Format | undefined,
  columns: readonly Column[],
  mapping: Mapping,
): RawRow {
  const { cells = [] } = row
  if (format?.kind !== 'csv' || format.delimiter !== ',') return realigned(row, columns, mapping)
  const isLong = cells.slice(columns.length).some((cell) => cell.trim() !== '')
  const isCut = [mapping.fields.price, mapping.fields.original_price].some((column) => {
    const at = column ? columns.indexOf(column) : -1
    if (at < 0 || !cutAmount.test(`${cells[at]},${cells[at + 1] ?? ''}`)) return false
    return isLong || fitsAsOneAmount(cells, at, columns, mapping)
  })
  if (isCut) return cutPrice
  const whole = realigned(row, columns, mapping)
  return whole !== row && bareAmount.test(cellText(mapping.fields.title?.read(whole))) ? cutPrice : whole
}

/** An amount with a comma before two decimals or a group of three digits. */
const cutAmount =
  /^[\s-]*(?:\p{Sc}|[A-Z]{3})?[\s-]*(?:\d+,\d\d|\d{1,3},\d{3}(?:\.\d\d?)?)\s*(?:\p{Sc}|[A-Z]{3})?\s*$/u
/** What unites cells, and an amount behind it at the end. */
const bareAmount = /, [\s-]*(?:\p{Sc}|[A-Z]{3})?[\s-]*\d[\d.\s]*(?:\p{Sc}|[A-Z]{3})?\s*$/u

/** Whether the cell behind an amount is none of its own column's, and the row is no worse with both cells as one. */
function fitsAsOneAmount(
  cells: readonly string[],
  at: number,
  columns: readonly Column[],
  mapping: Mapping,
): boolean {
  const field = importFieldSchema.options.find((name) => mapping.fields[name] === columns[at + 1])
  if (!field || fitOf(field, [cells[at + 1]]) > 0) return false
  const joined = cells.toSpliced(at, 2, `${cells[at]},${cells[at + 1]}`)
  return fitting({ cells: joined }, mapping) >= fitting({ cells }, mapping)
}

/** How many of a row's cells are what their columns hold. */
function fitting(row: RawRow, mapping: Mapping): number {
  return importFieldSchema.options.reduce((sum, field) => {
    const column = mapping.fields[field]
    const cell = column?.read(row)
    return sum + (column && cell !== undefined && cell !== '' ? fitOf(field, [cell]) : 0)
  }, 0)
}

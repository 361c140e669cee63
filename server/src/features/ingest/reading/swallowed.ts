import type { ImportField } from '@dealdeck/contract/ingest'
import { isAsin } from '@dealdeck/marketplace/asin'
import { CsvRows } from '../../../platform/csv-rows.ts'
import type { Column } from './cells.ts'
import type { Mapping } from './columns.ts'
import type { Format } from './format.ts'
import { bestReading } from './ragged.ts'
import type { RawRow } from './raw-row.ts'
import { cellText } from './text.ts'
import { fitOf } from './value-fit.ts'

type CsvFormat = Extract<Format, { kind: 'csv' }>

/** So many lines of a record are looked at for rows: a cell may have any number, and each takes as long as a row. */
const looked = 500

const swallowing = 'a quotation mark in it is closed in a later row'

/**
 * The rows of a CSV record with several lines. Where two of the lines are rows by themselves, one of them opens a quotation
 * mark that another closes, and the record mixes both: then the first is refused, and each other line is read on its own.
 */
export function unswallowed(
  row: RawRow,
  format: CsvFormat,
  columns: readonly Column[],
  mapping: Mapping,
): RawRow[] {
  if (row.text === undefined) return [row]
  const lines = row.text.split(format.newline)
  let readable = 0
  for (const line of lines.slice(0, looked)) {
    if (isRow(line, format, columns, mapping)) readable += 1
    if (readable === 2)
      return [{ problem: swallowing }, ...lines.slice(1).flatMap((one) => read(one, format))]
  }
  return [row]
}

/** Whether a line of a header holds an item: then its columns are mixed with a row. */
export function holdsItem(text: string, { delimiter, newline }: CsvFormat): boolean {
  const cells = text
    .split(newline)
    .slice(1)
    .flatMap((line) => line.split(delimiter))
  return cells.some((cell) => isAsin(unquoted(cell)))
}

function read(line: string, { delimiter, newline }: CsvFormat): RawRow[] {
  const reader = new CsvRows(delimiter, newline)
  return [...reader.push(line), ...reader.end()]
}

/** Whether a line names an item and its price, or one of both in as many cells as the header has. */
function isRow(line: string, format: CsvFormat, columns: readonly Column[], mapping: Mapping): boolean {
  const [found] = read(line, format)
  const cells = found?.cells ?? line.split(format.delimiter).map(unquoted)
  const row = { cells: bestReading(cells, format, columns, mapping) }
  const has = (field: ImportField) => {
    const value = mapping.fields[field]?.read(row)
    return cellText(value) !== '' && fitOf(field, [value]) > 0
  }
  const isWhole = cells.length >= columns.length
  const [isItem, isPriced] = [has('asin') || has('product_url'), has('price')]
  return isItem ? isPriced || isWhole : isPriced && isWhole && has('title')
}

const unquoted = (cell: string) => cell.trim().replace(/^"|"$/g, '')

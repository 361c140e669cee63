import { CsvRows } from '../../../platform/csv-rows.ts'
import { type Bytes, textOf } from './bytes.ts'
import { type Format, formatOf } from './format.ts'
import { JsonRows } from './json-rows.ts'
import type { RowLimits } from './limits.ts'
import { NdjsonRows } from './ndjson-rows.ts'
import type { RawRow, RowReader } from './raw-row.ts'
import type { Step } from './row-location.ts'

/** The rows of one piece of the body, in order. The first batch also has the format. */
export type Batch = { format: Format; rows: RawRow[] }

/**
 * Reads a body of any accepted format as batches of rows, holding one piece of it at a time. CSV headers are still
 * among the rows. Throws an AppError when the body is none of the formats, is damaged or broken off, or passes a limit.
 */
export async function* readRows(
  source: Bytes,
  limits: RowLimits,
  { listPath, ...packing }: Parameters<typeof textOf>[1] & { listPath?: readonly Step[] | undefined } = {},
): AsyncGenerator<Batch> {
  let head: string[] = []
  let length = 0
  let asked = 0
  let format: Format | undefined
  let reader: RowReader | undefined
  const within = (characters: number, rows: RawRow[]) => {
    limits.read(characters, rows)
    return rows
  }
  for await (const text of textOf(source, packing)) {
    if (reader && format) {
      const rows = within(text.length, reader.push(text))
      if (rows.length > 0) yield { format, rows }
      continue
    }
    head.push(text)
    length += text.length
    // Looked at again only when it has grown well, or a slow sender would make this quadratic.
    if (length < asked * 2) continue
    asked = length
    format = formatOf(head.join(''), false, listPath)
    if (!format) continue
    reader = readerOf(format)
    const rows = within(length, reader.push(withoutMark(head.join(''))))
    head = []
    yield { format, rows }
  }
  if (!reader || !format) {
    const text = withoutMark(head.join(''))
    // Only now is it known that nothing more comes.
    format = formatOf(text, true, listPath) ?? { kind: 'json', location: 'top' }
    reader = readerOf(format)
    yield { format, rows: within(length, reader.push(text)) }
  }
  yield { format, rows: within(0, reader.end()) }
}

function readerOf(format: Format): RowReader {
  if (format.kind === 'ndjson') return new NdjsonRows()
  if (format.kind === 'csv') return new CsvRows(format.delimiter, format.newline)
  return new JsonRows(format.location, format.form)
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

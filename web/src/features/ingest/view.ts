import { importFields } from '@dealdeck/contract/import-fields'
import type { ImportField, ImportPreview, ImportReject } from '@dealdeck/contract/ingest'

export type Mapping = Partial<Record<ImportField, string>>

/** How much of a file the preview reads, in bytes. */
export const previewBytes = 256 * 1024

/** The beginning of a file without the line that was cut off in its middle; as it is where lines can't be told, as in packed ones. */
export function wholeLines(beginning: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [isPacked, isUtf16] = [beginning[0] === 0x1f && beginning[1] === 0x8b, beginning.includes(0)]
  const end = isPacked || isUtf16 ? 0 : beginning.lastIndexOf(0x0a) + 1
  return end > 0 ? beginning.subarray(0, end) : beginning
}

/** What is suggested for rows of a file that says nothing about availability. */
export const suggestedAvailability = 'In stock'

/** The `map` parameter for corrections: `price=colname,title=other`, in no particular order. */
export function mapParameter(corrections: Mapping): string {
  return Object.entries(corrections)
    .map(([field, column]) => `${field}=${column}`)
    .join(',')
}

/** Which of the fields that every row needs are not filled; the ASIN may also come from the product's address. */
export function missingFields(mapping: Mapping): string[] {
  const missing: string[] = []
  if (!mapping.asin && !mapping.product_url) missing.push('ASIN or Product address')
  if (!mapping.title) missing.push('Title')
  if (!mapping.price) missing.push('Price')
  return missing
}

/** Up to `count` different values of a column among the previewed rows. */
export function exampleValues(preview: ImportPreview, column: string, count = 3): string[] {
  const values = preview.rows.map((row) => row.cells[column]?.trim() ?? '').filter((value) => value !== '')
  return [...new Set(values)].slice(0, count)
}

/** The fields that any of these rows fills, long addresses last. */
export function previewFields(rows: ImportPreview['rows']): ImportField[] {
  const filled = importFields.filter((field) => rows.some((row) => (row.deal?.[field] ?? null) !== null))
  const isAddress = (field: ImportField) => field.endsWith('_url')
  return [...filled.filter((field) => !isAddress(field)), ...filled.filter(isAddress)]
}

/** What a refused row is about, so that it can be told from others: its title, else its address or ID, as the file has it. */
export function nameOf({ mapping }: ImportPreview, { cells }: ImportPreview['rows'][number]): string {
  const fields = [mapping.title, mapping.product_url, mapping.asin]
  return (
    fields.map((column) => (column === undefined ? '' : (cells[column]?.trim() ?? ''))).find(Boolean) ?? ''
  )
}

/** The columns that fill nothing, in the file's order. */
export function unusedColumns(preview: ImportPreview): string[] {
  const used = new Set(Object.values(preview.mapping))
  return preview.columns.filter((column) => !used.has(column))
}

/** The media type of a file by its name; undefined when the name is not one of a kind that can be imported. */
export function mediaType(fileName: string): string | undefined {
  const name = fileName.toLowerCase().replace(/\.gz$/, '')
  if (/\.(ndjson|jsonl)$/.test(name)) return 'application/x-ndjson'
  if (/\.json$/.test(name)) return 'application/json'
  if (/\.(csv|tsv|txt)$/.test(name)) return 'text/csv'
  return undefined
}

/** 1536 → '1.5 KB' */
export function fileSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  const amount = bytes / 1024 ** power
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`
}

/** The refused rows as CSV for a spreadsheet: with a BOM, and no cell that would be taken for a formula. */
export function rejectsCsv(rejects: readonly ImportReject[]): string {
  const lines = rejects.map(({ row, asin, reason }) => [String(row), asin ?? '', reason])
  return `\uFEFF${[['row', 'asin', 'reason'], ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')}`
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n\0＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** What files are saved in beside UTF-8, by the names that the server knows. */
export const encodings = [
  { value: '', label: 'Recognise it' },
  { value: 'windows-1252', label: 'Western European (Windows-1252)' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)' },
  { value: 'windows-1253', label: 'Greek (Windows-1253)' },
  { value: 'windows-1254', label: 'Turkish (Windows-1254)' },
  { value: 'windows-1255', label: 'Hebrew (Windows-1255)' },
  { value: 'windows-1256', label: 'Arabic (Windows-1256)' },
  { value: 'shift_jis', label: 'Japanese (Shift_JIS)' },
  { value: 'euc-jp', label: 'Japanese (EUC-JP)' },
  { value: 'gb18030', label: 'Chinese, simplified (GB18030)' },
  { value: 'big5', label: 'Chinese, traditional (Big5)' },
  { value: 'euc-kr', label: 'Korean (EUC-KR)' },
]

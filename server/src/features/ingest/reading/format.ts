import { CsvRows, type Delimiter, delimiters } from '../../../platform/csv-rows.ts'
import { AppError } from '../../../platform/errors.ts'
import { columnRows } from './by-column.ts'
import { beginningOf } from './json-beginning.ts'
import { formAt, noSuchList } from './json-lists.ts'
import { JsonRows } from './json-rows.ts'
import { isObject, type JsonObject, parseJson, type RawRow } from './raw-row.ts'
import type { RowsForm, RowsLocation, Step } from './row-location.ts'
import { Shapes } from './shapes.ts'

export type Format =
  | { kind: 'json'; location: RowsLocation; form?: RowsForm | undefined }
  | { kind: 'ndjson' }
  | { kind: 'csv'; delimiter: Delimiter; newline: '\n' | '\r' }

/** Characters within which a body must show what it is. */
const headLength = 1_000_000

export const accepted =
  'Accepted are a JSON array of objects (also inside an object), NDJSON with one object a line, and CSV with a header line, each also packed with gzip.'

/**
 * What a body is, from its beginning; `undefined` asks for more of it. `isWhole` says that nothing more comes.
 * With `listPath`, its rows are those of the list there. Throws INVALID_INPUT when it is empty or has no such list, or
 * UNSUPPORTED_MEDIA_TYPE when it is none of the accepted formats.
 */
export function formatOf(head: string, isWhole: boolean, listPath?: readonly Step[]): Format | undefined {
  const text = head.trimStart()
  if (text === '') {
    if (!isWhole && head.length < headLength) return undefined
    throw new AppError('INVALID_INPUT', `The body is empty. ${accepted}`)
  }
  const isEnough = isWhole || head.length >= headLength
  if (/^[[{]/.test(text)) refusePython(text)
  if (listPath) return formatAt(text, isEnough, isWhole, listPath)
  if (text.startsWith('[')) return formatOfArray(text, isEnough)
  if (text.startsWith('{')) return formatOfObjects(text, isEnough, isWhole)
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)*<(?:rss|feed|rdf:RDF)\b/i.test(text))
    throw unsupported('This is a feed. As a source of the kind Feed it can be read.')
  if (/^<(!doctype|html|\?xml|rss|feed|[a-z]+[\s>])/i.test(text))
    throw unsupported('This is a web page or XML.')
  if (text.slice(0, 4000).includes('\0')) throw unsupported('This is not a text.')
  if (!isWhole && head.length < 64_000) return undefined
  return { kind: 'csv', ...csvForm(text, isWhole) }
}

/** A document of which somebody has said where its list lies; what its beginning doesn't reach is looked for on the way. */
function formatAt(
  text: string,
  isEnough: boolean,
  isWhole: boolean,
  path: readonly Step[],
): Format | undefined {
  if (!/^[[{]/.test(text)) throw noSuchList(path, [])
  const form = formAt(beginningOf(text), path, { isEnough, isWhole })
  if (!form && !isEnough) return undefined
  return { kind: 'json', location: path, form: { ...form, isNamed: true } }
}

/** An array of rows, or of pages; decided on its first elements that are whole, or on what there is of the first. */
function formatOfArray(text: string, isEnough: boolean): Format | undefined {
  const isPages = /^\[\s*\[\s*\{/.test(text)
  const whole = isPages ? [] : new JsonRows([]).push(text).slice(0, 20)
  if (whole.length === 0 && !isPages && !isEnough) return undefined
  const beginning = whole.length > 0 ? whole.map(({ object }) => object) : beginningOf(text)
  const { path, form, products } = new Shapes().ofArray(Array.isArray(beginning) ? beginning : [])
  if (form?.isByColumn) throw byColumn()
  if (isPages && products === 0 && !isEnough) return undefined
  return products > 0 ? { kind: 'json', location: path, form } : { kind: 'json', location: [] }
}

function formatOfObjects(text: string, isEnough: boolean, isWhole: boolean): Format | undefined {
  const lineEnd = text.indexOf('\n')
  if (lineEnd < 0 && !isEnough) return undefined
  const firstLine = parseObject(lineEnd < 0 ? text : text.slice(0, lineEnd))
  if (firstLine) return formatOfDocument(firstLine) ?? { kind: 'ndjson' }
  // A broken first line among good ones spoils only itself.
  const others = text.slice(0, 64_000).split('\n').slice(1, 6)
  if (others.some((line) => parseObject(line.trim()) !== undefined)) return { kind: 'ndjson' }
  const first = firstValue(text)
  if (first) return formatOfDocument(first) ?? { kind: 'json', location: 'top' }
  if (!isEnough) return undefined
  // One line that isn't JSON at all is a row to refuse, not a list broken off.
  if (isWhole && !/[[{]/.test(text.slice(1))) return { kind: 'json', location: 'top' }
  const beginning = beginningOf(text)
  const found = isObject(beginning) ? formatOfDocument(beginning, 1) : undefined
  return found ?? { kind: 'json', location: 'first' }
}

/** Where the rows of a document stand that is not a row itself; at least so many of them are products. */
function formatOfDocument(document: JsonObject, fewest = 0): Format | undefined {
  if (columnRows(document, true) > 0) throw byColumn()
  const shapes = new Shapes()
  if (shapes.isRow(document)) return undefined
  const rows = shapes.bestOf(document)
  if (rows?.form?.isByColumn) throw byColumn()
  return rows && rows.products >= fewest ? { kind: 'json', location: rows.path, form: rows.form } : undefined
}

const byColumn = () =>
  unsupported(
    "This is JSON by column, as pandas writes it unless told otherwise. Write it with to_json(orient='records').",
  )

/** Python's own notation, which print() writes: names in single quotes, None, True. */
function refusePython(text: string): void {
  const beginning = text.slice(0, 64_000)
  if (!/^(?:\[\s*)*\{\s*u?'/.test(beginning) || /\{\s*"/.test(beginning)) return
  throw unsupported(
    'This is a Python literal and not JSON. Write it with json.dumps instead of print or str.',
  )
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith('{') || !text.trimEnd().endsWith('}')) return undefined
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** The first whole object of a text. */
function firstValue(text: string): JsonObject | undefined {
  return new JsonRows('top').push(text)[0]?.object
}

/** The delimiter that cuts the first records most evenly, as the header has it. */
function csvForm(text: string, isWhole: boolean): { delimiter: Delimiter; newline: '\n' | '\r' } {
  const newline = /\r(?!\n)|\n/.exec(text)?.[0] === '\r' ? '\r' : '\n'
  const told = /^sep=([,;|\t])\r?[\n\r]/i.exec(text)?.[1]
  const stated = delimiters.find((delimiter) => delimiter === told)
  if (stated) return { delimiter: stated, newline }
  const sample = text.slice(0, 200_000)
  let best: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of delimiters) {
    const widths = widthsOf(sample, delimiter, newline, isWhole && sample.length === text.length)
    const header = widths[0] ?? 1
    const even = widths.filter((width) => width === header).length / Math.max(1, widths.length)
    const score = header < 2 ? 0 : Math.log2(header) * (0.3 + even)
    if (score > best.score) best = { delimiter, score }
  }
  return { delimiter: best.delimiter, newline }
}

function widthsOf(sample: string, delimiter: Delimiter, newline: '\n' | '\r', isWhole: boolean): number[] {
  const reader = new CsvRows(delimiter, newline)
  let rows: RawRow[] = []
  try {
    rows = reader.push(sample)
    // The last record of a cut sample is usually cut as well.
    if (isWhole || rows.length === 0) rows = [...rows, ...reader.end()]
  } catch {
    return []
  }
  return rows.slice(0, 100).flatMap((row) => (row.cells ? [row.cells.length] : []))
}

function unsupported(what: string): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', `${what} ${accepted}`)
}

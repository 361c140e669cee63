import { asinOf } from '@dealdeck/marketplace/asin'
import { AppError } from '../../../platform/errors.ts'
import { CsvRows, type Delimiter, delimiters } from './csv-rows.ts'
import { JsonRows, type RowsPlace } from './json-rows.ts'
import { isObject, type JsonObject, type RawRow } from './raw-row.ts'

export type Format =
  | { kind: 'json'; place: RowsPlace }
  | { kind: 'ndjson' }
  | { kind: 'csv'; delimiter: Delimiter; newline: '\n' | '\r' }

/** Characters within which a body must show what it is. */
const headLength = 1_000_000

export const accepted =
  'Accepted are a JSON array of objects (also inside an object), NDJSON with one object a line, and CSV with a header line, each also packed with gzip.'

/**
 * What a body is, from its beginning; `undefined` asks for more of it. `isWhole` says that nothing more comes.
 * Throws INVALID_INPUT when it is empty or UNSUPPORTED_MEDIA_TYPE when it is none of the accepted formats.
 */
export function formatOf(head: string, isWhole: boolean): Format | undefined {
  const text = head.trimStart()
  if (text === '') {
    if (!isWhole && head.length < headLength) return undefined
    throw new AppError('INVALID_INPUT', `The body is empty. ${accepted}`)
  }
  if (text.startsWith('[')) return { kind: 'json', place: [] }
  if (text.startsWith('{')) return formatOfObjects(text, isWhole || head.length >= headLength, isWhole)
  if (/^<(!doctype|html|\?xml|rss|feed|[a-z]+[\s>])/i.test(text))
    throw unsupported('This is a web page or XML.')
  if (text.slice(0, 4000).includes('\0')) throw unsupported('This is not a text.')
  if (!isWhole && head.length < 64_000) return undefined
  return { kind: 'csv', ...csvForm(text, isWhole) }
}

function formatOfObjects(text: string, isEnough: boolean, isWhole: boolean): Format | undefined {
  const lineEnd = text.indexOf('\n')
  if (lineEnd < 0 && !isEnough) return undefined
  const firstLine = parseObject(lineEnd < 0 ? text : text.slice(0, lineEnd))
  if (firstLine) {
    const place = isProduct(firstLine) ? undefined : longestList(firstLine)
    return place ? { kind: 'json', place } : { kind: 'ndjson' }
  }
  // A broken first line among good ones spoils only itself.
  const others = text.slice(0, 64_000).split('\n').slice(1, 6)
  if (others.some((line) => parseObject(line.trim()) !== undefined)) return { kind: 'ndjson' }
  const first = firstValue(text)
  if (first) {
    const place = isProduct(first) ? undefined : longestList(first)
    return { kind: 'json', place: place ?? 'top' }
  }
  if (!isEnough) return undefined
  // One line that isn't JSON at all is a row to refuse, not a list broken off.
  return isWhole && !/[[{]/.test(text.slice(1))
    ? { kind: 'json', place: 'top' }
    : { kind: 'json', place: 'first' }
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith('{') || !text.trimEnd().endsWith('}')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The first whole object of a text. */
function firstValue(text: string): JsonObject | undefined {
  return new JsonRows('top').push(text)[0]?.object
}

/** Whether an object is itself a row rather than the wrapping of some: one of its own texts names an item. */
function isProduct(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([key, value]) =>
      typeof value === 'string' && !/request|query|search/i.test(key) && asinOf(value) !== null,
  )
}

/** The keys to the longest array of objects inside objects. */
function longestList(object: JsonObject): string[] | undefined {
  let best: { path: string[]; length: number } | undefined
  const visit = (value: JsonObject, path: string[]) => {
    for (const [key, inner] of Object.entries(value)) {
      if (Array.isArray(inner)) {
        const length = inner.filter(isObject).length
        if (length > (best?.length ?? 0) || (!best && inner.length === 0 && listNames.test(key)))
          best = { path: [...path, key], length }
      } else if (isObject(inner) && path.length < 6) visit(inner, [...path, key])
    }
  }
  visit(object, [])
  return best?.path
}

/** An empty list of such a name is a list of no deals, not a row. */
const listNames = /^(deals|products|items|results|rows|data|offers|listings)$/i

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

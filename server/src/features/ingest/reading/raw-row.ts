import { isAsin } from '@dealdeck/marketplace/asin'
import { recordLimit, tooLongProblem } from '../../../platform/csv-rows.ts'
import { repeatedName } from '../../../platform/json-names.ts'
import type { RowsForm } from './row-location.ts'

/** A row as it stands in the body: cells by position (CSV; with its text where it has several lines), an object (JSON), or what is wrong with it. */
export type RawRow =
  | { cells: readonly string[]; text?: string; object?: undefined; problem?: undefined }
  | { object: JsonObject; cells?: undefined; text?: undefined; problem?: undefined }
  | { problem: string; cells?: undefined; text?: undefined; object?: undefined }

export type JsonObject = Record<string, unknown>

/** Takes a body piece by piece, however it is cut, and gives back the rows that are complete so far. */
export type RowReader = {
  push(text: string): RawRow[]
  /** The last row, when nothing more comes. Throws INVALID_INPUT when the body is broken off. */
  end(): RawRow[]
}

/** Characters of one row at most, of any format. */
export const rowLimit = recordLimit

export const tooLong: RawRow = { problem: tooLongProblem }

/** The row of one JSON text, of this form and, in a dictionary, with this key. */
export function parseRow(text: string, form?: RowsForm, key = ''): RawRow {
  const value = parseJson(text)
  if (value === undefined) return { problem: 'the row is not valid JSON' }
  if (form?.columns && Array.isArray(value))
    return { object: Object.fromEntries(form.columns.map((name, at) => [name, value[at]])) }
  if (!isObject(value)) return { problem: 'the row is not an object with named fields' }
  const repeated = repeatedName(text, value)
  if (repeated) return { problem: `${repeated.name.slice(0, 40)} stands twice in one object` }
  return { object: key !== '' && value.asin === undefined && isAsin(key) ? { asin: key, ...value } : value }
}

/** The value of a JSON text, in which Python may have written NaN and Infinity; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    if (!text.includes('NaN') && !text.includes('Infinity')) return undefined
  }
  try {
    return JSON.parse(withoutNaN(text))
  } catch {
    return undefined
  }
}

/** The text with null for every NaN and Infinity outside its strings. */
function withoutNaN(text: string): string {
  let clean = ''
  let at = 0
  while (at < text.length) {
    const opening = text.indexOf('"', at)
    const end = opening < 0 ? text.length : opening
    clean += text.slice(at, end).replace(/-?\b(?:NaN|Infinity)\b/g, 'null')
    if (opening < 0) break
    at = opening + 1
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at += 1
    clean += text.slice(opening, at)
  }
  return clean
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

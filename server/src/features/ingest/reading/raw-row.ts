/** A row as it stands in the body: cells by position (CSV), an object (JSON), or what is wrong with it. */
export type RawRow =
  | { cells: readonly string[]; object?: undefined; problem?: undefined }
  | { object: JsonObject; cells?: undefined; problem?: undefined }
  | { problem: string; cells?: undefined; object?: undefined }

export type JsonObject = Record<string, unknown>

/** Takes a body piece by piece, however it is cut, and gives back the rows that are complete so far. */
export type RowReader = {
  push(text: string): RawRow[]
  /** The last row, when nothing more comes. Throws INVALID_INPUT when the body is broken off. */
  end(): RawRow[]
}

/** Characters of one row at most; no product needs more, and no row can exhaust the memory. */
export const rowLimit = 1_000_000

export const tooLong: RawRow = {
  problem: `the row is longer than ${rowLimit.toLocaleString('en')} characters`,
}

/** The row of one JSON text. */
export function parseRow(text: string): RawRow {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'the row is not valid JSON' }
  }
  return isObject(value) ? { object: value } : { problem: 'the row is not an object with named fields' }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import {
  type FilterInput,
  type FilterRecord,
  filterInputSchema,
  longestFilterCode,
  maximumFilters,
} from '@dealdeck/contract/filters'
import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import { foldText } from '@dealdeck/query/folding'
import { CsvRows } from '../../platform/csv-rows.ts'
import { AppError } from '../../platform/errors.ts'
import { repeatedName } from '../../platform/json-names.ts'
import { TimeSlice } from '../../platform/time-slice.ts'

/** Far above any name; only names made of letters that stand for whole phrases get here, and no index holds them. */
const longestFoldedBytes = 1_000

/**
 * A name as two names are compared. 'Apple', 'APPLE' and one with an invisible joiner in it look alike on a screen and
 * are asked for by name, so they are one. Throws INVALID_INPUT for a name that is too long when folded.
 */
export function foldName(name: string): string {
  const folded = foldText(name).replace(/\p{Cf}/gu, '')
  if (Buffer.byteLength(folded) <= longestFoldedBytes) return folded
  throw refusal('name', 'Name is too long')
}

/** A typed or pasted code in normal form. Throws INVALID_INPUT with what is wrong, in plain words. */
export function readCode(text: string): string {
  const read = normaliseFilterCode(text)
  if ('problem' in read) throw refusal('code', read.problem)
  if (read.code.length <= longestFilterCode) return read.code
  throw refusal('code', `Code must be at most ${longestFilterCode} characters long`)
}

function refusal(field: 'name' | 'code', message: string): AppError {
  return new AppError('INVALID_INPUT', message, { fields: { [field]: message } })
}

/** A filter of a file, checked and in normal form. */
export type FilterFileRow = FilterInput & { name_folded: string }

type Present = Pick<FilterRecord, 'id' | 'category' | 'name' | 'code'>

/** What an import comes to. */
export type ImportPlan = {
  added: FilterFileRow[]
  changed: { before: Present; after: FilterFileRow }[]
  removed: Present[]
  unchanged: number
}

/**
 * What has to be written so that everything in a file is there, and with `replace` nothing else. A filter is known by
 * its category and name. Throws CONFLICT when that would be too many.
 */
export function planImport(
  present: readonly Present[],
  incoming: readonly FilterFileRow[],
  replace: boolean,
): ImportPlan {
  const known = new Map(present.map((row) => [keyOf(row.category, foldName(row.name)), row]))
  const plan: ImportPlan = { added: [], changed: [], removed: [], unchanged: 0 }
  for (const row of incoming) {
    const key = keyOf(row.category, row.name_folded)
    const before = known.get(key)
    known.delete(key)
    if (!before) plan.added.push(row)
    else if (before.name === row.name && before.code === row.code) plan.unchanged += 1
    else plan.changed.push({ before, after: row })
  }
  if (replace) plan.removed = [...known.values()]
  if (present.length - plan.removed.length + plan.added.length <= maximumFilters) return plan
  throw new AppError('CONFLICT', `That would be more than ${maximumFilters} filters. Nothing was changed.`)
}

const keyOf = (category: string, folded: string) => `${category}\n${folded}`

type FileLine = { line: number; values: unknown }
type Problem = { line: number; problem: string }

/** So many of the wrong lines are reported at once. */
const toldProblems = 20

/**
 * The filters of a file: JSON, a list of objects with `category`, `name` and `code`, or CSV with such columns.
 * Throws INVALID_INPUT with the line and what is wrong there, each line also in `fields`. Others have their turn of the event loop
 * between the lines: a long code takes milliseconds, and a file may have thousands.
 */
export async function readFilterFile(text: string): Promise<FilterFileRow[]> {
  const content = text.replace(/^\uFEFF/, '')
  const lines = /^\s*[[{]/.test(content) ? readJsonLines(content) : await readCsvLines(content)
  const seen = new Map<string, number>()
  const rows: FilterFileRow[] = []
  const problems: Problem[] = []
  const slice = new TimeSlice()
  for (const { line, values } of lines) {
    await slice.pause()
    const read = readFileRow(values)
    if ('problem' in read) {
      problems.push({ line, problem: read.problem })
      continue
    }
    const key = keyOf(read.category, read.name_folded)
    const earlier = seen.get(key)
    if (earlier === undefined) rows.push(read)
    else problems.push({ line, problem: `'${read.name}' stands in line ${earlier} already` })
    seen.set(key, earlier ?? line)
  }
  if (problems.length > 0) throw brokenFile(problems)
  if (rows.length === 0) throw new AppError('INVALID_INPUT', 'There is no filter in this file.')
  return rows
}

function readFileRow(values: unknown): FilterFileRow | { problem: string } {
  const parsed = filterInputSchema.safeParse(values)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const [column] = issue?.path ?? []
    if (!issue || column === undefined)
      return { problem: 'a filter must be an object with category, name and code' }
    return { problem: column === 'category' ? `category ${issue.message}` : issue.message }
  }
  try {
    const { category, name, code } = parsed.data
    // What a file of another encoding becomes on its way here: a name of it would be nobody's.
    const damaged = [name, code].find((text) => text.includes('\uFFFD'))
    if (damaged !== undefined)
      return { problem: `a sign in '${damaged}' can't be read. Save the file as UTF-8` }
    return { category, name, name_folded: foldName(name), code: readCode(code) }
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message }
    throw error
  }
}

function brokenFile(problems: Problem[]): AppError {
  const told = problems.slice(0, toldProblems)
  const [first] = told
  const others = problems.length - 1
  const more =
    others === 0 ? '' : others === 1 ? ' One more line is wrong.' : ` ${others} more lines are wrong.`
  const fields = Object.fromEntries(told.map(({ line, problem }) => [`line ${line}`, problem]))
  const where = `Line ${first?.line ?? 1}: ${first?.problem ?? ''}`
  return new AppError('INVALID_INPUT', `${where.replace(/\.?$/, '.')}${more} Nothing was changed.`, {
    fields,
  })
}

/** Said before anything of it is checked: that would take the whole process seconds, and gigabytes for what is wrong. */
function tooManyInFile(): AppError {
  return new AppError(
    'INVALID_INPUT',
    `There are more than ${maximumFilters} lines in this file, and no list of filters is longer. Nothing was changed.`,
  )
}

function readJsonLines(text: string): FileLine[] {
  let values: unknown
  try {
    values = JSON.parse(text.trimEnd())
  } catch (error) {
    const line = /line (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    const at = line === undefined ? text.trimEnd().split('\n').length : Number(line)
    throw brokenFile([{ line: at, problem: 'this is not readable as JSON' }])
  }
  if (!Array.isArray(values)) throw brokenFile([{ line: 1, problem: 'a list of filters must start with [' }])
  if (values.length > maximumFilters) throw tooManyInFile()
  const repeated = repeatedName(text, values)
  if (repeated) {
    const line = text.slice(0, repeated.at).split('\n').length
    throw brokenFile([{ line, problem: `'${repeated.name}' stands twice in one filter` }])
  }
  const starts = startLines(text)
  return values.map((value: unknown, index) => ({ line: starts[index] ?? 1, values: value }))
}

/** The line on which each entry of a readable JSON list starts. */
function startLines(text: string): number[] {
  const starts: number[] = []
  let line = 1
  let depth = 0
  let isNext = false
  // A whole string at a time, so that nothing inside one counts.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[^\s]|\n/g)) {
    if (token === '\n') {
      line += 1
      continue
    }
    if (isNext && token !== ']') {
      starts.push(line)
      isNext = false
    }
    if (token === '[' || token === '{') depth += 1
    if (token === ']' || token === '}') depth -= 1
    if (depth === 1 && (token === ',' || (token === '[' && starts.length === 0))) isNext = true
  }
  return starts
}

const fileColumns = ['category', 'name', 'code']

async function readCsvLines(text: string): Promise<FileLine[]> {
  const [first = '', ...others] = text.split('\n')
  // Twice as many, because a cell may go over several lines.
  if (others.filter(isWritten).length > 2 * maximumFilters) throw tooManyInFile()
  const separators = [';', '\t'] as const
  const separator = separators.find((sign) => first.includes(sign)) ?? ','
  const reader = new CsvRows(separator)
  const [header, ...records] = [...reader.push(text.replaceAll('\r\n', '\n')), ...reader.end()].map(
    (record) => {
      if (record.cells) return record
      throw brokenFile([record])
    },
  )
  if (records.length > maximumFilters) throw tooManyInFile()
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const missing = fileColumns.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw brokenFile([
      { line: 1, problem: `the first line must name the columns; ${missing.join(', ')} is missing` },
    ])
  const valuesOf = (cells: readonly string[]) =>
    Object.fromEntries(fileColumns.map((name) => [name, withoutGuard(cells[names.lastIndexOf(name)] ?? '')]))
  const swallowing: FileLine[] = []
  const slice = new TimeSlice()
  for (const { line, text: lines } of records) {
    const parts = lines?.split('\n').filter(isWritten) ?? []
    let readable = 0
    for (const part of parts) {
      await slice.pause()
      if (!('problem' in readFileRow(valuesOf(part.split(separator).map(unquoted))))) readable += 1
    }
    if (readable > 1) swallowing.push({ line, values: undefined })
  }
  if (swallowing.length > 0)
    throw brokenFile(
      swallowing.map(({ line }) => ({ line, problem: 'a quotation mark in it is closed in a later line' })),
    )
  return records.map(({ line, cells }) => ({ line, values: valuesOf(cells) }))
}

const isWritten = (line: string) => line.trim() !== ''
const unquoted = (cell: string) => cell.trim().replace(/^"|"$/g, '')

// A spreadsheet takes a cell that begins like this for a formula; an apostrophe before it says that it is text. Cells
// that begin with apostrophes of their own get one more, so that taking one away gives back what was written.
const needsGuard = /^'*[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/

function withGuard(text: string): string {
  return needsGuard.test(text) ? `'${text}` : text
}

function withoutGuard(text: string): string {
  return text.startsWith("'") && needsGuard.test(text) ? text.slice(1) : text
}

/** All filters as such a file: a line each, in their order. No cell of a CSV is a formula to a spreadsheet. */
export function writeFilterFile(filters: readonly FilterInput[], format: 'json' | 'csv'): string {
  const rows = filters.map(({ category, name, code }) => ({ category, name, code }))
  if (format === 'json') {
    return rows.length === 0 ? '[]\n' : `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`
  }
  const quoted = (text: string) =>
    /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const lines = rows.map(({ category, name, code }) =>
    [category, name, code].map((cell) => quoted(withGuard(cell))).join(','),
  )
  return ['category,name,code', ...lines, ''].join('\r\n')
}

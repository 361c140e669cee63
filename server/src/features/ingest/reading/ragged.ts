import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import type { Column } from './cells.ts'
import type { Mapping } from './columns.ts'
import type { Format } from './format.ts'
import { readMoney } from './money.ts'
import type { RawRow } from './raw-row.ts'
import { fitOf } from './value-fit.ts'

type CsvFormat = Extract<Format, { kind: 'csv' }>
type Cells = readonly string[]

const cutPrice: RawRow = { problem: 'a comma in a price stands without quotation marks' }
const severalReadings: RawRow = {
  problem: 'a delimiter stands without quotation marks, and where its price begins can’t be told',
}
const missingCell: RawRow = {
  problem: 'a cell is missing, and what stands as its price may be another number',
}

/** An amount with a comma before two decimals or a group of three digits. */
const cutAmount =
  /^[\s-]*(?:\p{Sc}|[A-Z]{3})?[\s-]*(?:\d+,\d\d|\d{1,3},\d{3}(?:\.\d\d?)?)\s*(?:\p{Sc}|[A-Z]{3})?\s*$/u
/** Nothing but an amount. */
const bareAmount = /^[\s-]*(?:\p{Sc}|[A-Z]{3})?[\s-]*\d[\d.\s]*(?:\p{Sc}|[A-Z]{3})?\s*$/u
/** Zeros before other digits, as the end of a number begins that was cut in two. */
const rest = /^\D*0\d/

/**
 * A CSV record as far as it is known which cells belong together. One with more cells than the header most often has a title
 * whose delimiters nobody quoted: it is put together in the way in which its cells fit their columns best. Where several ways
 * do and have other prices, also because the comma may be one of a price (`12,99`, `1,299.00`), or where a cell is missing, it is
 * a problem. `areMostLonger`: rows of this body hold more than its header has names for.
 */
export function rejoined(
  row: RawRow,
  format: CsvFormat,
  columns: readonly Column[],
  mapping: Mapping,
  areMostLonger: boolean,
): RawRow {
  const { cells = [] } = row
  if (cells.length < columns.length && isLacking(cells, columns, mapping)) return missingCell
  if (isLonger(cells, columns)) return longRow(row, format, columns, mapping, areMostLonger)
  return format.delimiter === ',' && isCut(cells, columns, mapping) ? cutPrice : row
}

/** Whether a record has something beyond the last column. */
export function isLonger(cells: Cells, columns: readonly Column[]): boolean {
  for (let at = columns.length; at < cells.length; at++) if (cells[at]?.trim()) return true
  return false
}

/** The record in the way in which its cells fit their columns best. */
export function bestReading(
  cells: Cells,
  format: CsvFormat,
  columns: readonly Column[],
  mapping: Mapping,
): Cells {
  return isLonger(cells, columns) ? (readingsOf(cells, format, columns, mapping)[0]?.cells ?? cells) : cells
}

/** How a record may be meant: how many cells belong to each column that can hold delimiters, and what speaks against that. */
type Reading = { cells: Cells; faults: number; isWhole: boolean; hasJoinedAmount: boolean }

function longRow(
  row: RawRow,
  format: CsvFormat,
  columns: readonly Column[],
  mapping: Mapping,
  areMostLonger: boolean,
): RawRow {
  const readings = readingsOf(row.cells ?? [], format, columns, mapping).map((reading) => ({
    ...reading,
    faults: reading.faults + (reading.isWhole || areMostLonger ? 0 : 1),
  }))
  const least = Math.min(...readings.map(({ faults }) => faults))
  const [best, ...others] = readings.filter(({ faults }) => faults === least)
  if (!best) return row
  if (best.hasJoinedAmount || others.some(({ hasJoinedAmount }) => hasJoinedAmount)) return cutPrice
  const pricesOf = ({ cells }: Reading) => placesOf(prices, columns, mapping.fields).map((at) => cells[at])
  const told = pricesOf(best).join('\n')
  return others.some((other) => pricesOf(other).join('\n') !== told) ? severalReadings : { cells: best.cells }
}

/** All readings of a record that is too long, the best first, of equal ones those with the longest title. */
function readingsOf(
  cells: Cells,
  { delimiter }: CsvFormat,
  columns: readonly Column[],
  { fields }: Mapping,
): Reading[] {
  const title = fields.title ? columns.indexOf(fields.title) : -1
  const amounts = placesOf(prices, columns, fields)
  const cut = delimiter === ',' ? [...amounts, ...placesOf(['review_count'], columns, fields)] : []
  const extra = cells.findLastIndex((cell) => cell.trim() !== '') + 1 - columns.length
  const readings: Reading[] = []
  const add = (longer: ReadonlyMap<number, number>, isWhole: boolean) => {
    let from = 0
    let faults = 0
    const joined = columns.map((_, at) => {
      const pieces = cells.slice(from, from + 1 + (longer.get(at) ?? 0))
      from += pieces.length
      if (at === title)
        faults += pieces.some((piece, to) => to > 0 && !isInWords(pieces[to - 1], piece)) ? 1 : 0
      return pieces.join(delimiter)
    })
    faults += faultsOf(joined, columns, fields)
    readings.push({ cells: joined, faults, isWhole, hasJoinedAmount: amounts.some((at) => longer.has(at)) })
  }
  for (let chosen = 0; chosen < 2 ** cut.length; chosen++) {
    const halved = cut.filter((_, at) => (chosen >> at) % 2 === 1)
    const left = extra - halved.length
    if (left < 0 || (left > 0 && title < 0)) continue
    const longer = new Map(halved.map((at) => [at, 1]))
    add(left > 0 ? longer.set(title, left) : longer, true)
  }
  add(new Map(), false)
  return readings.sort((one, other) => one.faults - other.faults)
}

/** Whether a comma between two pieces of a title is written as within words (`Mug, 12 oz`) or a number (`15,6`), not as between cells. */
function isInWords(before = '', piece: string): boolean {
  return /^\s/.test(piece) || !bareAmount.test(piece) || (/\d$/.test(before) && /^\d/.test(piece))
}

const prices = ['price', 'original_price'] as const

/** Where the columns of some fields stand, of those that have one. */
function placesOf(
  names: readonly ImportField[],
  columns: readonly Column[],
  fields: Mapping['fields'],
): number[] {
  return names.flatMap((name) => {
    const column = fields[name]
    return column ? [columns.indexOf(column)] : []
  })
}

/** How many of a record's cells are not what their columns hold. */
function faultsOf(cells: Cells, columns: readonly Column[], fields: Mapping['fields']): number {
  return importFieldSchema.options.filter((field) => {
    const column = fields[field]
    const cell = column && cells[columns.indexOf(column)]
    if (column === undefined || cell === undefined || cell.trim() === '') return false
    if (field !== 'price' && field !== 'original_price') return fitOf(field, [cell]) === 0
    const money = rest.test(cell) ? null : readMoney(cell, '.')
    return money === null || money === 'unclear' || money.amount === 0
  }).length
}

/** Whether a short record fits better with an empty cell put in before its last price, which makes that another number. */
function isLacking(cells: Cells, columns: readonly Column[], mapping: Mapping): boolean {
  const faults = faultsOf(cells, columns, mapping.fields)
  if (faults === 0) return false
  const last = Math.min(Math.max(-1, ...placesOf(prices, columns, mapping.fields)), cells.length - 1)
  for (let at = 0; at <= last; at++)
    if (faultsOf(cells.toSpliced(at, 0, ''), columns, mapping.fields) < faults) return true
  return false
}

/** Whether an amount stands in two columns in a record that is as long as its header. */
function isCut(cells: Cells, columns: readonly Column[], mapping: Mapping): boolean {
  return placesOf(prices, columns, mapping.fields).some(
    (at) =>
      cutAmount.test(`${cells[at]},${cells[at + 1] ?? ''}`) && fitsAsOneAmount(cells, at, columns, mapping),
  )
}

/** Whether the cell behind an amount is none of its own column's, and the row is better with both cells as one. */
function fitsAsOneAmount(cells: Cells, at: number, columns: readonly Column[], mapping: Mapping): boolean {
  const field = importFieldSchema.options.find((name) => mapping.fields[name] === columns[at + 1])
  if (!field || fitOf(field, [cells[at + 1]]) > 0) return false
  const joined = cells.toSpliced(at, 2, `${cells[at]},${cells[at + 1]}`)
  return faultsOf(joined, columns, mapping.fields) < faultsOf(cells, columns, mapping.fields)
}

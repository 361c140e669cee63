import type { ImportField } from '@dealdeck/contract/ingest'
import { asinOf, isAsin } from '@dealdeck/marketplace/asin'
import { nameScore } from './column-names.ts'
import { isObject, type JsonObject } from './raw-row.ts'

/** So many columns are looked at for items; many more are rows. */
const looked = 200

const means = (field: ImportField) => (name: string) => nameScore(field, name) > 0
const namesItems = (name: string) => means('asin')(name) || means('product_url')(name)
const isOfDeals = (name: string) => namesItems(name) || means('title')(name) || means('price')(name)
const isCell = (value: unknown) => typeof value !== 'object' || value === null

/** Whether a key is that of a row, by its number, its time or its item, and no name of a field. */
export function isRowLabel(key: string): boolean {
  return /^\d+$/.test(key) || /^\d{4}-\d\d-\d\d(?:[T ]|$)/.test(key) || isAsin(key)
}

/**
 * How many rows an object holds by column: each column a dictionary by row, or a list. 0 where it is none of these. Within a
 * document some column has to be one of deals; the document itself may be cut off behind any of its columns.
 */
export function columnRows(object: JsonObject, isDocument = false): number {
  const members = Object.entries(object)
  const columns = members.filter(([, value]) => !isCell(value))
  if (columns.length === 0) return 0
  const areAll = columns.length === members.length
  const dictionaries = columns.flatMap(([name, value]) => (isObject(value) ? [{ name, value }] : []))
  const rows =
    dictionaries.length === columns.length
      ? rowsOfDictionaries(dictionaries, isDocument && areAll)
      : rowsOfLists(columns, areAll)
  // Asked last, as names take long to read.
  return rows > 0 && !members.some(([name, value]) => isCell(value) && isOwn(name, value)) ? rows : 0
}

type NamedObject = { name: string; value: JsonObject }

function rowsOfDictionaries(columns: readonly NamedObject[], areAll: boolean): number {
  const rows = columns.reduce((most, { value }) => Math.max(most, Object.keys(value).length), 0)
  const areLabelled = columns.every(({ value }) => {
    const keys = Object.keys(value)
    return keys.length > 0 && keys.every(isRowLabel) && !Object.values(value).some(isObject)
  })
  if (areLabelled) return (areAll && rows > 1) || columns.some(({ name }) => isOfDeals(name)) ? rows : 0
  const isOfItems = ({ name, value }: NamedObject) => items(Object.values(value)) > 1 && namesItems(name)
  return columns.slice(0, looked).some(isOfItems) ? rows : 0
}

/** Whether a member is a row's own: an item, or its price. */
function isOwn(name: string, value: unknown): boolean {
  return (
    (typeof value === 'string' && !/request|query|search/i.test(name) && asinOf(value) !== null) ||
    (value !== null && means('price')(name))
  )
}

/** Rows of columns that are lists of cells, all equally long, where one holds items, or all are lists and one has titles. */
function rowsOfLists(columns: ReadonlyArray<[string, unknown]>, areAllColumns: boolean): number {
  const lists = columns.flatMap(([name, value]) => {
    const cells: unknown[] = Array.isArray(value) ? value : []
    return cells.length > 1 && cells.every(isCell) ? [{ name, cells }] : []
  })
  const [first] = lists
  if (!first || lists.length < 2) return 0
  const rows = first.cells.length
  const areAll = areAllColumns && lists.length === columns.length
  const areEven = lists.every(({ cells }) => cells.length === rows)
  const areItems = areEven && lists.some(({ name, cells }) => items(cells) > 1 && namesItems(name))
  return areItems || (areAll && lists.some(({ name }) => isOfDeals(name))) ? rows : 0
}

/** How many different items cells name. */
function items(cells: readonly unknown[]): number {
  return new Set(cells.flatMap((cell) => (typeof cell === 'string' ? (asinOf(cell) ?? []) : []))).size
}

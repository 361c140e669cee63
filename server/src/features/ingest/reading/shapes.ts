import { asinOf, isAsin } from '@dealdeck/marketplace/asin'
import { columnRows, isRowLabel } from './by-column.ts'
import { nameScore, plainName } from './column-names.ts'
import { foreignParts } from './fields.ts'
import { isObject, type JsonObject } from './raw-row.ts'
import { each, type RowsForm, type Step } from './row-location.ts'

/** Where rows stand in a document, and how many of them, at least, are products. */
export type Rows = { path: readonly Step[]; form?: RowsForm; length: number; products: number }

/** Rows lie in few containers, one in another; deeper ones belong to a product. */
const deepest = 6
/** So many elements of a list show what it holds. */
const looked = 200

/** An empty list of such a name is a list of no deals, not a row. */
const listNames = /^(deals|products|items|results|rows|data|offers|listings)$/i
const askedFor = /request|query|search|param|input|filter/i

/** Looks into the beginning of one body: what was found out of an object is cached, so that depth makes it neither slow nor endless. */
export class Shapes {
  readonly #rows = new Map<unknown, boolean>()
  readonly #best = new Map<unknown, Rows | undefined>()

  #depth = 0

  /** The list, or dictionary, with the most products in an object; of those without any the longest. */
  bestOf(object: JsonObject): Rows | undefined {
    if (!this.#best.has(object)) {
      if (this.#depth >= deepest) return undefined
      this.#depth += 1
      this.#best.set(object, splitOf(object) ?? this.#find(object, []))
      this.#depth -= 1
    }
    return this.#best.get(object)
  }

  /** Where the rows of an array stand: in itself, or where its elements are pages, in each of these. */
  ofArray(array: readonly unknown[]): Rows {
    return this.#ofArray(array, [])
  }

  /** Whether an object is itself a row rather than the wrapping of some. */
  isRow(object: JsonObject): boolean {
    let isRow = this.#rows.get(object)
    if (isRow !== undefined) return isRow
    isRow = namesItem(object, false)
    if (!isRow) {
      const best = this.bestOf(object)
      const isWrapping = best !== undefined && best.products > 0 && !isForeign(best.path)
      isRow = namesItem(object, true) ? !isWrapping || isNamed(object) : !isWrapping && holdsItem(object, 0)
    }
    this.#rows.set(object, isRow)
    return isRow
  }

  #find(value: JsonObject, path: readonly Step[]): Rows | undefined {
    const rows = columnRows(value)
    if (rows > 0) return { path, form: { isByColumn: true }, length: rows, products: rows }
    const entries = Object.entries(value)
    if (isDictionary(entries))
      return { path, form: { isKeyed: true }, length: entries.length, products: entries.length }
    let best: Rows | undefined
    for (const [key, inner] of entries) {
      let found: Rows | undefined
      if (Array.isArray(inner)) {
        found = this.#ofArray(inner, [...path, key])
        if (found.length === 0 && (best || inner.length > 0 || !listNames.test(key))) continue
      } else if (isObject(inner) && path.length < deepest && !(key === 'schema' && Array.isArray(value.data)))
        found = this.#find(inner, [...path, key])
      if (found && (!best || isMore(found, best))) best = found
    }
    return best
  }

  #ofArray(array: readonly unknown[], path: readonly Step[]): Rows {
    const objects = array.filter(isObject)
    const products = objects.slice(0, looked).filter((object) => this.isRow(object)).length
    const own: Rows = { path, length: objects.length, products }
    if (products > 0 || path.length >= deepest) return own
    const inner = array.slice(0, looked).flatMap((element) => this.#ofPage(element, path) ?? [])
    return inner.reduce((best, found) => (isMore(found, best) ? found : best), own)
  }

  /** Where products stand in an element of an array: only where they have titles, or it is a row with offers inside. */
  #ofPage(element: unknown, path: readonly Step[]): Rows | undefined {
    if (Array.isArray(element)) {
      const found = this.#ofArray(element, [...path, each])
      return found.products > 0 ? found : undefined
    }
    const found = isObject(element) ? this.bestOf(element) : undefined
    if (!found || found.products === 0 || found.form?.columns) return undefined
    if (!found.form && !listAt(element, found.path).some((row) => isObject(row) && isNamed(row)))
      return undefined
    return { ...found, path: [...path, each, ...found.path] }
  }
}

function isMore(one: Rows, other: Rows): boolean {
  return one.products === other.products ? one.length > other.length : one.products > other.products
}

/** Whether a text of an object's own names an item: an ASIN, or only an address of one. */
function namesItem(object: JsonObject, byAddress: boolean): boolean {
  return Object.entries(object).some(
    ([key, value]) =>
      typeof value === 'string' &&
      (byAddress || value.trim().length === 10) &&
      !/request|query|search/i.test(key) &&
      asinOf(value) !== null,
  )
}

/** Whether an object without lists of products has one product inside. */
function holdsItem(object: JsonObject, depth: number): boolean {
  return Object.entries(object).some(
    ([key, inner]) =>
      isObject(inner) &&
      !askedFor.test(key) &&
      !isForeign([key]) &&
      (namesItem(inner, true) || (depth < deepest && holdsItem(inner, depth + 1))),
  )
}

function isNamed(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([key, value]) =>
      (typeof value === 'string' && nameScore('title', key) > 0) || (isObject(value) && nestedTitle(value)),
  )
}

const nestedTitle = (object: JsonObject) => Object.keys(object).some((key) => nameScore('title', key) > 0)

/** Products of another kind than the document's own. */
function isForeign(path: readonly Step[]): boolean {
  return path.some(
    (key) =>
      typeof key === 'string' &&
      plainName(key)
        .split(' ')
        .some((word) => foreignParts.has(word)),
  )
}

function listAt(value: unknown, path: readonly Step[]): readonly unknown[] {
  let inner: unknown = value
  for (const step of path)
    inner =
      step === each
        ? Array.isArray(inner)
          ? inner[0]
          : undefined
        : isObject(inner)
          ? inner[step]
          : undefined
  return Array.isArray(inner) ? inner.slice(0, looked) : []
}

/** Products by their ASINs, by numbers or times of their rows, or by anything where each is a whole one; some may be empty. */
function isDictionary(entries: ReadonlyArray<[string, unknown]>): boolean {
  const objects = entries.flatMap(([, value]) => (isObject(value) ? [value] : []))
  if (objects.length === 0 || entries.some(([, value]) => value !== null && !isObject(value))) return false
  if (entries.every(([key]) => isAsin(key))) return true
  if (entries.every(([key]) => isRowLabel(key))) return objects.some((object) => namesItem(object, true))
  return objects.length > 1 && !isForeign(entries.map(([key]) => key)) && objects.every(isWholeProduct)
}

function isWholeProduct(object: JsonObject): boolean {
  return (
    namesItem(object, true) &&
    isNamed(object) &&
    Object.keys(object).some((key) => nameScore('price', key) > 0)
  )
}

/** Rows as lists of cells, with the names of the columns before them. */
function splitOf({ columns, index, data }: JsonObject): Rows | undefined {
  if (!Array.isArray(columns) || columns.length === 0) return undefined
  const names = columns.filter((name) => typeof name === 'string')
  const isSplit = Array.isArray(data) ? data.every(Array.isArray) : data === undefined && Array.isArray(index)
  if (names.length !== columns.length || !isSplit) return undefined
  return { path: ['data'], form: { columns: names }, length: 1, products: 1 }
}

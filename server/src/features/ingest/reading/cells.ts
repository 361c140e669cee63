import { meansFormerPrice, nameScore } from './column-names.ts'
import { isObject, type JsonObject, type RawRow } from './raw-row.ts'
import { unwrap, wrapping } from './wrapped-values.ts'

/** A column of the body: its name as people see it, and how to take its cell from a row. */
export type Column = { name: string; read(row: RawRow): unknown }

/** A column with its cells in the first rows. */
export type SampledColumn = { column: Column; values: readonly unknown[] }

/** More columns than this are not looked at. */
const columnLimit = 500
const depthLimit = 8

const currencyKeys = ['currency', 'Currency', 'currencyCode', 'CurrencyCode', 'currency_code']

/** The columns of a CSV's header; nameless ones get a number, repeated names as well. */
export function csvColumns(header: readonly string[]): Column[] {
  const seen = new Map<string, number>()
  return header.slice(0, columnLimit).map((raw, at) => {
    const name =
      raw
        .replace(/^\ufeff/, '')
        .replace(/\s+/g, ' ')
        .trim() || `column ${at + 1}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return { name: times === 1 ? name : `${name} (${times})`, read: (row) => row.cells?.[at] }
  })
}

/** Finds the columns of JSON rows as they come; nested ones get dotted names (`price.currency`, `offers.0.price`). */
export class JsonColumns {
  readonly columns = new Map<string, Column>()
  private readonly keys = new Set<string>()

  /** Takes in a row; true when it brought a key no row before it had. */
  learn(object: JsonObject): boolean {
    let isNew = false
    for (const key in object) {
      if (this.keys.has(key)) continue
      isNew = true
      if (this.keys.size < columnLimit) this.keys.add(key)
    }
    return isNew && this.columns.size < columnLimit
  }

  /** Looks into a row for columns, the nested ones too. */
  explore(object: JsonObject): void {
    this.visit(object, [])
  }

  private visit(object: JsonObject, path: readonly string[]): void {
    for (const [key, value] of Object.entries(object)) this.put(value, [...path, key])
  }

  private put(value: unknown, path: readonly string[]): void {
    if (Array.isArray(value)) {
      const named = value.filter(isNamed)
      if (arePrices(path)) {
        this.placePrices(value, path)
        return
      }
      if (named.length > 1 && named.length === value.length && path.length < depthLimit) {
        for (const item of named.slice(0, 10)) this.put(item, [...path, String(item.name)])
      } else if (isObject(value[0]) && wrapping(value[0]) === undefined && path.length < depthLimit)
        this.visit(value[0], [...path, '0'])
      else this.add(path)
      return
    }
    if (!isObject(value)) {
      this.add(path)
      return
    }
    const wrapper = wrapping(value)
    if (wrapper === undefined) {
      if (path.length < depthLimit) this.visit(value, path)
      return
    }
    this.add(path)
    const currency = currencyKeys.find((key) => typeof value[key] === 'string')
    if (currency) this.add([...path, currency])
  }

  /** Entries of prices by their names; where none of them is named as a price, the one that is taken for it as well. */
  private placePrices(items: readonly unknown[], path: readonly string[]): void {
    const names = items.slice(0, 10).map(priceLabel)
    for (const [at, name] of names.entries()) if (name !== undefined) this.put(items[at], [...path, name])
    if (names.some((name) => name !== undefined && nameScore('price', `prices.${name}`) > 0)) return
    const current = currentPrice(items)
    if (current !== undefined) this.put(current, [...path, currentStep])
  }

  private add(path: readonly string[]): void {
    const name = path.join('.')
    if (this.columns.has(name) || this.columns.size >= columnLimit) return
    this.columns.set(name, { name, read: readerOf(path) })
  }
}

type NamedItem = JsonObject & { name: string }

function isNamed(item: unknown): item is NamedItem {
  return isObject(item) && typeof item.name === 'string'
}

const arePrices = (path: readonly string[]) =>
  path.at(-1)?.toLowerCase() === 'prices' && path.length < depthLimit

/** The step to what among prices is taken for the price. */
const currentStep = 'price'

const labelKeys = ['name', 'label', 'type', 'kind', 'title', 'key']

/** What an entry of prices is called, under whichever key; undefined where it has no name. */
function priceLabel(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  for (const key of labelKeys) {
    const label = item[key]
    if (typeof label === 'string') return label
  }
  return undefined
}

/** Of several prices the first without a name, else the first whose name is known for one of now. */
function currentPrice(items: readonly unknown[]): unknown {
  const unnamed = items.find((item) => priceLabel(item) === undefined)
  return unnamed ?? items.find((item) => namesPrice(priceLabel(item) ?? ''))
}

function namesPrice(label: string): boolean {
  return nameScore('price', `${label} price`) > 0 && !meansFormerPrice(label)
}

function readerOf(path: readonly string[]): (row: RawRow) => unknown {
  const [first = '', ...rest] = path
  if (rest.length === 0) return (row) => unwrap(row.object?.[first])
  return (row) => {
    let value: unknown = row.object?.[first]
    for (const step of rest) value = stepInto(value, step)
    return unwrap(value)
  }
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value
    if (/^\d+$/.test(step)) return items[Number(step)]
    const named = items.find((item) => priceLabel(item) === step)
    return named === undefined && step === currentStep ? currentPrice(items) : named
  }
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

import { AppError } from '../../../platform/errors.ts'
import type { NumberText } from '../../../platform/numbers.ts'
import { meansField, meansFormerPrice, nameScore } from './column-names.ts'
import { isObject, type JsonObject, type RawRow } from './raw-row.ts'
import { unwrap, wraps } from './wrapped-values.ts'

/** A column of the body: its name as people see it, how to take its cell from a row, and what a CSV calls it, maybe as others. */
export type Column = { name: string; heading?: string; read(row: RawRow): unknown }

/** A column with its cells in the first rows. */
export type SampledColumn = { column: Column; values: readonly unknown[] }

/** Beyond so many columns, those of JSON are only looked at whose names mean a field; beyond so many of these, none. */
const columnLimit = 500
const meaningLimit = 1_000
/** An object with more different keys in all rows is a dictionary: of further ones only those count that may decide on a deal. */
const dictionaryLimit = 300
const decisive = /curren|market|domain|stat|expir|end|activ|over|live|until|valid/i
/** No list of deals has so many different keys. */
const stepLimit = 20_000
/** CSV with more is refused: its columns are known by their positions. */
const csvColumnLimit = 1_000
const depthLimit = 8

const currencyKeys = ['currency', 'Currency', 'currencyCode', 'CurrencyCode', 'currency_code']

/** The columns of a CSV's header; nameless ones get a number, repeated names as well. Throws INVALID_INPUT for more than can be read. */
export function csvColumns(header: readonly string[], number: NumberText): Column[] {
  if (header.length > csvColumnLimit) {
    const [count, most] = [header.length, csvColumnLimit].map(number)
    throw new AppError(
      'INVALID_INPUT',
      `This CSV has ${count} columns, and ${most} can be read. Nothing was imported; leave out what deals don’t need.`,
    )
  }
  const seen = new Map<string, number>()
  return header.map((raw, at) => {
    const name =
      raw
        .replace(/^\ufeff/, '')
        .replace(/\s+/g, ' ')
        .trim() || `column ${at + 1}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return {
      name: times === 1 ? name : `${name} (${times})`,
      heading: name,
      read: (row) => row.cells?.[at],
    }
  })
}

/** Finds the columns of JSON rows as they come; nested ones get dotted names (`price.currency`, `offers.0.price`). */
export class JsonColumns {
  readonly columns = new Map<string, Column>()
  private readonly root = new Step([])
  private steps = 0
  private readonly number: NumberText

  constructor(number: NumberText) {
    this.number = number
  }

  /**
   * Takes in a row with all that is nested in it: what appears late in a body counts like what its first rows have. Throws
   * INVALID_INPUT where that has no end.
   */
  learn(object: JsonObject): void {
    this.visit(object, this.root)
  }

  private visit(object: JsonObject, step: Step): void {
    const { last } = step
    let at = 0
    for (const key in object) {
      const value = object[key]
      const before = last[at]
      const inner = before?.key === key ? before : (step.inner.get(key) ?? this.open(step, key))
      if (!inner) continue
      if (inner !== before) last[at] = inner
      at += 1
      if (typeof value === 'object' && value !== null) this.put(value, inner)
      else if (!inner.isColumn) this.add(inner)
    }
  }

  private put(value: object, step: Step): void {
    if (Array.isArray(value)) {
      const items: unknown[] = value
      this.putList(items, step)
      return
    }
    // What is an object and no array; isObject would look for that once more.
    const object = value as JsonObject
    if (!wraps(object)) {
      if (step.path.length < depthLimit) this.visit(object, step)
      return
    }
    this.add(step)
    const currency = currencyKeys.find((key) => typeof object[key] === 'string')
    if (currency) this.putInner(object[currency], step, currency)
  }

  private putList(items: readonly unknown[], step: Step): void {
    if (step.arePrices) {
      this.placePrices(items, step)
      return
    }
    const first = items[0]
    if (!isObject(first) || step.path.length >= depthLimit) this.add(step)
    else if (items.length > 1 && items.every(isNamed)) this.putNamed(items, step)
    else if (!wraps(first)) this.putInner(first, step, '0')
    else this.add(step)
  }

  /** Entries of prices by their names; where none of them is named as a price, the one that is taken for it as well. */
  private placePrices(items: readonly unknown[], step: Step): void {
    const names = items.slice(0, 10).map(priceLabel)
    for (const [at, name] of names.entries()) if (name !== undefined) this.putInner(items[at], step, name)
    if (names.some((name) => name !== undefined && nameScore('price', `prices.${name}`) > 0)) return
    const current = currentPrice(items)
    if (current !== undefined) this.putInner(current, step, currentStep)
  }

  private putNamed(items: readonly NamedItem[], step: Step): void {
    for (const item of items.slice(0, 10)) this.putInner(item, step, item.name)
  }

  private putInner(value: unknown, step: Step, key: string): void {
    const inner = step.inner.get(key) ?? this.open(step, key)
    if (!inner) return
    if (typeof value === 'object' && value !== null) this.put(value, inner)
    else this.add(inner)
  }

  private open(step: Step, key: string): Step | undefined {
    if (step.inner.size >= dictionaryLimit && !decisive.test(key)) return undefined
    if (this.steps >= stepLimit) throw this.endless(stepLimit)
    this.steps += 1
    const inner = new Step([...step.path, key])
    step.inner.set(key, inner)
    return inner
  }

  private add(step: Step): void {
    if (step.isColumn) return
    step.isColumn = true
    const name = step.path.join('.')
    if (this.columns.has(name)) return
    if (this.columns.size >= columnLimit && !meansField(name)) return
    if (this.columns.size < meaningLimit) this.columns.set(name, { name, read: readerOf(step.path) })
    else if (decisive.test(name)) throw this.endless(meaningLimit)
  }

  private endless(most: number): AppError {
    return new AppError(
      'INVALID_INPUT',
      `These rows have more than ${this.number(most)} different keys, as no list of deals has. Nothing was imported.`,
    )
  }
}

/** One key on the way to cells, of all rows so far. */
class Step {
  readonly path: readonly string[]
  readonly key: string
  readonly inner = new Map<string, Step>()
  /** Those of the last row, in its order, which is most often that of the next. */
  readonly last: Step[] = []
  readonly arePrices: boolean
  isColumn = false

  constructor(path: readonly string[]) {
    this.path = path
    this.key = path.at(-1) ?? ''
    this.arePrices = this.key.toLowerCase() === 'prices' && path.length < depthLimit
  }
}

type NamedItem = JsonObject & { name: string }

function isNamed(item: unknown): item is NamedItem {
  return isObject(item) && typeof item.name === 'string'
}

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

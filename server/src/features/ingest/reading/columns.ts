import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import { asinOf, asinOfAddress } from '@dealdeck/marketplace/asin'
import type { Column, SampledColumn } from './cells.ts'
import { nameScore, plainName } from './column-names.ts'
import { isCurrencySign } from './currencies.ts'
import { choosingOrder } from './fields.ts'
import { readRating } from './figures.ts'
import { readMoney } from './money.ts'
import {
  choosePrice,
  inCurrency,
  otherPricesNote,
  type PriceChoice,
  type PriceSource,
  priceNote,
} from './price-column.ts'
import { cellText } from './text.ts'
import { fitOf } from './value-fit.ts'

export type Mapping = {
  /** Which column fills which field. */
  fields: Partial<Record<ImportField, Column>>
  /** A yes/no beside the availability text. */
  availableFlag: Column | undefined
  /** Where the price stands for rows that aren't discounted: an empty 'discount price' means just that. */
  priceFallback: Column | undefined
  /** What made the price's column the price; undefined where there is none. */
  priceSource?: PriceSource | undefined
  /** What is to be said about a price that stands in no column named so, or beside prices of something else. */
  priceNote?: string | undefined
  /** Where a row says how much off it is. */
  statedDiscount?: Column | undefined
}

/** The user's word on some fields: a column, or null to leave the field unfilled. */
export type Corrections = Partial<Record<ImportField, Column | null>>

/** Names of a price that only discounted rows have. */
const reducedPrice = /^(?:discount(?:ed)?|sale|special|promo(?:tional)?|reduced) price$/
const discountNames =
  /^(?:(?:deal|product|item|price|stated|total) )?(?:discount|off|rabatt|remise|descuento|desconto|sconto|korting)(?: (?:percent|percentage|pct|rate|text|label|badge|off))?$|(?:percent|percentage|pct) off$|savings? (?:percent|percentage|pct)$/
const flagNames = /^(?:is |in |has )*(?:available|availability|stock|in stock|available flag)$/

/** Decides by names and by the cells of the first rows which column fills which field. `currency` is that of the prices. */
export function mapColumns(
  sample: readonly SampledColumn[],
  corrections: Corrections,
  currency: string,
): Mapping {
  const fields: Partial<Record<ImportField, Column>> = {}
  const used = new Set<Column>()
  const ignored = new Set<ImportField>()
  for (const field of importFieldSchema.options) {
    const column = corrections[field]
    if (column === null) ignored.add(field)
    if (!column) continue
    fields[field] = column
    used.add(column)
  }
  let price: PriceChoice | undefined
  for (const field of choosingOrder) {
    if (fields[field] || ignored.has(field)) continue
    const left = sample.filter(({ column }) => !used.has(column))
    const free =
      field === 'original_price'
        ? inCurrency(left, currency).filter(({ column }) => !isNamesake(column, fields.price))
        : left
    if (field === 'price') price = choosePrice(free, currency, (columns) => bestByName('price', columns))
    const chosen = field === 'price' ? price?.sampled : (bestByName(field, free) ?? bestByValues(field, free))
    if (!chosen || (field === 'original_price' && !isAbove(chosen, sample, fields.price))) continue
    fields[field] = chosen.column
    used.add(chosen.column)
  }
  const unused = sample.filter(({ column }) => !used.has(column))
  const flag = unused.find(
    ({ column, values }) =>
      flagNames.test(plainName(column.name)) && fitOf('posted_to_discord', values) > 0.9,
  )
  const isReduced = fields.price !== undefined && reducedPrice.test(plainName(fields.price.name))
  return {
    fields,
    availableFlag: ignored.has('availability') ? undefined : flag?.column,
    priceFallback: isReduced ? fields.original_price : undefined,
    priceSource: price?.source ?? (fields.price && 'name'),
    priceNote:
      corrections.price === undefined
        ? (priceNote(price, unused) ?? otherPricesNote(fields.price, fields.original_price, unused))
        : undefined,
    statedDiscount: unused.find(({ column }) => discountNames.test(plainName(column.name)))?.column,
  }
}

const bestByName = (field: ImportField, free: readonly SampledColumn[]) => namedFor(field, free)[0]

/** The columns whose names and cells speak for a field, the best first. */
export function namedFor(field: ImportField, free: readonly SampledColumn[]): SampledColumn[] {
  const found: Array<{ score: number; sampled: SampledColumn }> = []
  for (const sampled of free) {
    const name = nameScore(field, sampled.column.name)
    if (name === 0) continue
    const values = fitOf(field, sampled.values)
    const filled = sampled.values.filter((value) => cellText(value) !== '').length
    if (values < leastFit(field, name, filled)) continue
    const share = filled / Math.max(1, sampled.values.length)
    const score = name + values * 20 + share * 40 - (filled === 0 ? 300 : 0)
    if (score > 0) found.push({ score, sampled })
  }
  return found.sort((one, other) => other.score - one.score).map(({ sampled }) => sampled)
}

/** Whether a CSV calls two columns the same. */
const isNamesake = (one: Column, other: Column | undefined) =>
  one.heading !== undefined && one.heading === other?.heading

/** A fitting name over cells of another kind is a coincidence, unless it is the plainest of names over a few odd cells. */
function leastFit(field: ImportField, name: number, filledCells: number): number {
  if (name >= 900 && filledCells < 5) return 0
  return field === 'product_url' ? 0.1 : name >= 900 ? 0.2 : 0.4
}

/** For files in another language or with no names at all: what the cells themselves say beyond doubt. */
function bestByValues(field: ImportField, free: readonly SampledColumn[]): SampledColumn | undefined {
  const candidates = free.filter(({ column }) => !/parent|variation|related|input/i.test(column.name))
  const texts = ({ values }: SampledColumn) => values.map(cellText).filter((text) => text !== '')
  const mostly = (test: (text: string) => boolean) =>
    candidates.find((sampled) => {
      const filled = texts(sampled)
      return filled.length > 0 && filled.filter(test).length >= filled.length * 0.8
    })
  if (field === 'asin')
    return mostly((text) => text.length === 10 && /^(?:B0|\d{9})/.test(text) && asinOf(text) !== null)
  if (field === 'product_url') return mostly((text) => text.includes('/') && asinOfAddress(text) !== null)
  if (field === 'image_url')
    return mostly((text) => /^(?:https?:)?\/\/\S+(?:\.(?:jpe?g|png|webp|gif)(?:\?|$)|\/images\/)/i.test(text))
  if (field === 'currency') return mostly(isCurrencySign)
  if (field === 'rating')
    return mostly((text) => /\d\D{1,14}5\b|5\D{1,6}\d[.,]\d/.test(text) && readRating(text) !== null)
  if (field !== 'title') return undefined
  const average = (sampled: SampledColumn) => {
    const filled = texts(sampled).filter(
      (text) => / /.test(text) && /\p{L}{2}/u.test(text) && !/^https?:/.test(text),
    )
    const total = texts(sampled)
    return filled.length < total.length * 0.6
      ? 0
      : new Set(filled).size < filled.length * 0.5
        ? 0
        : filled.reduce((sum, text) => sum + text.length, 0) / Math.max(1, filled.length)
  }
  const best = candidates
    .filter(({ column }) => !/desc|feature|detail|review|delivery|availab/i.test(column.name))
    .map((sampled) => ({ sampled, length: average(sampled) }))
    .filter(({ length }) => length >= 12)
    .sort((a, b) => b.length - a.length)[0]
  return best?.sampled
}

/** Whether a column really holds what things cost before: where both are given it is mostly not below the price. */
function isAbove(
  chosen: SampledColumn,
  sample: readonly SampledColumn[],
  price: Column | undefined,
): boolean {
  const prices = sample.find(({ column }) => column === price)
  if (!prices)
    return nameScore('original_price', chosen.column.name) > 0 && plainName(chosen.column.name) !== 'price'
  let both = 0
  let below = 0
  for (const [at, value] of chosen.values.entries()) {
    const amount = amountOf(value)
    const now = amountOf(prices.values[at])
    if (amount <= 0 || now <= 0) continue
    both += 1
    if (amount < now) below += 1
  }
  return below <= both / 2
}

function amountOf(value: unknown): number {
  const money = readMoney(value, '.')
  return money === null || money === 'unclear' ? 0 : money.amount
}

import type { DealFacts } from '@dealdeck/query/facts'
import { type ChoiceField, type DurationField, fields, type NumberField } from '@dealdeck/query/fields'
import { plainText } from '@dealdeck/query/folding'
import { type Moment, matcherOf } from '@dealdeck/query/matching'
import type { Comparison, DurationTest, FieldCondition } from '@dealdeck/query/question'
import { allFlags, type DealColumns, type Names, none, tenths } from './deal-columns.ts'
import { addAll, bitsFor, countBits, type RowBits, type RowTest } from './row-bits.ts'
import type { TimeLimit } from './time-limit.ts'

type Column = Float64Array | Int32Array | Int16Array | Uint8Array
/** From the one number to the other, with both. */
type Range = { least: number; most: number }

/**
 * What a single column says of a deal: its number lies in one of some ranges, or its code is one of those that `isMet` has a 1 for, at
 * the place behind the code since 'none' is -1.
 */
export type ColumnTest = { column: Column; ranges: readonly Range[] } | { column: Column; isMet: Uint8Array }

/** A condition of one field as a test of its column; undefined for the title. */
export function columnTest(
  condition: FieldCondition,
  moment: Moment,
  columns: DealColumns,
): ColumnTest | undefined {
  switch (condition.kind) {
    case 'number': {
      const scale = condition.field === 'rating' ? tenths : (value: number) => value
      // What is not known is below 0.
      const ranges = condition.tests.map((test) => rangeOf(test, scale, 0))
      return { column: numberColumn(condition.field, columns), ranges }
    }
    case 'duration': {
      const { lies } = fields[condition.field]
      const ranges = condition.tests.map((test) => timeRange(test, lies, moment))
      return { column: timeColumn(condition.field, columns), ranges }
    }
    case 'code':
      return { column: columns.asin, ranges: condition.tests.map(codeRange) }
    case 'choice':
      return choiceTest(condition, moment, columns)
    case 'name': {
      const { field, tests } = condition
      if (field === 'title') return undefined
      const folded = tests.map(({ op, text }) => ({ op, text: plainText(text) }))
      const matches = (name: string) =>
        folded.some(({ op, text }) => (op === 'is' ? name === text : name.includes(text)))
      const { texts } = field === 'brand' ? columns.brands : columns.categories
      return { column: columns[field], isMet: Uint8Array.from([0, ...texts.map((name) => +matches(name))]) }
    }
  }
}

/** The same as a function of one row. */
export function rowTest(test: ColumnTest): RowTest {
  const { column } = test
  if ('isMet' in test) {
    const { isMet } = test
    return (row) => isMet[(column[row] ?? none) - none] === 1
  }
  const { ranges } = test
  return (row) => {
    const value = column[row] ?? none
    for (const { least, most } of ranges) if (value >= least && value <= most) return true
    return false
  }
}

/** The rows of a set that meet it: reading a column from its begin to its end takes a nanosecond or two a row. Throws TooLongError. */
export function rowsMeeting(test: ColumnTest, within: RowBits, limit: TimeLimit): RowBits {
  limit.check()
  if ('isMet' in test) return rowsWithCode(test.column, test.isMet, within)
  const [first = nowhere, ...others] = test.ranges
  const found = rowsInRange(test.column, first, within)
  for (const range of others) {
    limit.check()
    addAll(found, rowsInRange(test.column, range, within))
  }
  return found
}

const nowhere: Range = { least: 1, most: 0 }

/** So many rows, all over a column, say how many of them meet it. */
const sampled = 512

/** About the share of rows that meet it, from 0 to 1. */
export function shareMeeting(test: ColumnTest): number {
  const isMet = rowTest(test)
  const rows = Math.min(sampled, test.column.length)
  let met = 0
  for (let at = 0; at < rows; at++) if (isMet(Math.floor((at * test.column.length) / rows))) met++
  return met / Math.max(1, rows)
}

/** Fewer rows than this of 32 are looked at one by one: all of them together take as long as so many alone. */
const fewOf32 = 12

/** Of 32 rows the wanted ones that are met, as bits. */
function bitsMeeting(isMet: RowTest, first: number, wanted: number): number {
  let bits = 0
  for (let rest = wanted; rest !== 0; rest &= rest - 1) {
    const bit = 31 - Math.clz32(rest & -rest)
    if (isMet(first + bit)) bits |= 1 << bit
  }
  return bits
}

function rowsInRange(column: Column, range: Range, within: RowBits): RowBits {
  const { least, most } = range
  const isMet = rowTest({ column, ranges: [range] })
  const found = bitsFor(within.length * 32)
  for (let at = 0; at < within.length; at++) {
    const wanted = within[at] ?? 0
    if (wanted === 0) continue
    let bits = 0
    if (countBits(wanted) < fewOf32) bits = bitsMeeting(isMet, at * 32, wanted)
    else
      for (let bit = 0, row = at * 32; bit < 32; bit++, row++) {
        const value = column[row] ?? none
        if (value >= least && value <= most) bits |= 1 << bit
      }
    found[at] = bits & wanted
  }
  return found
}

function rowsWithCode(column: Column, isMet: Uint8Array, within: RowBits): RowBits {
  const test = rowTest({ column, isMet })
  const found = bitsFor(within.length * 32)
  for (let at = 0; at < within.length; at++) {
    const wanted = within[at] ?? 0
    if (wanted === 0) continue
    let bits = 0
    if (countBits(wanted) < fewOf32) bits = bitsMeeting(test, at * 32, wanted)
    else
      for (let bit = 0, row = at * 32; bit < 32; bit++, row++)
        if (isMet[(column[row] ?? none) - none] === 1) bits |= 1 << bit
    found[at] = bits & wanted
  }
  return found
}

function numberColumn(field: NumberField, columns: DealColumns): Column {
  switch (field) {
    case 'price':
      return columns.price
    case 'off':
      return columns.off
    case 'rating':
      return columns.rating
    case 'reviews':
      return columns.reviews
    case 'typical':
      return columns.underTypical
    case 'drop':
      return columns.drop
  }
}

function timeColumn(field: DurationField, columns: DealColumns): Column {
  switch (field) {
    case 'new':
      return columns.firstSeen
    case 'checked':
      return columns.lastChecked
    case 'updated':
      return columns.lastUpdated
    case 'ends':
      return columns.endsAt
    case 'dropped':
      return columns.droppedAt
  }
}

function rangeOf(test: Comparison, scale: (value: number) => number, from: number): Range {
  if (test.op === '..') return { least: Math.max(from, scale(test.from)), most: scale(test.to) }
  const value = scale(test.value)
  const isAbove = test.op === '>' || test.op === '>='
  const least = test.op === '>' ? nextTo(value, 1) : isAbove || test.op === '=' ? value : -Infinity
  const most = test.op === '<' ? nextTo(value, -1) : isAbove ? Infinity : value
  return { least: Math.max(from, least), most }
}

/** How long it is ago, or until then, in minutes, as times in whole microseconds. What is not known is no number, which lies nowhere. */
function timeRange(test: DurationTest, lies: 'behind' | 'ahead', { now, midnight }: Moment): Range {
  if (test.op === 'today') return { least: midnight * 1000, most: Infinity }
  const sign = lies === 'behind' ? -1 : 1
  const timeOf = (minutes: number) => (now + sign * minutes * 60_000) * 1000
  if (test.op === '..') {
    const [one, other] = [timeOf(test.from), timeOf(test.to)]
    return test.from > test.to ? nowhere : { least: Math.min(one, other), most: Math.max(one, other) }
  }
  const { op, value } = test
  const time = timeOf(value)
  const isStrict = op === '<' || op === '>'
  const isLater = (op === '>' || op === '>=') === (sign === 1)
  return isLater
    ? { least: isStrict ? Math.floor(time) + 1 : time, most: Infinity }
    : { least: -Infinity, most: isStrict ? Math.ceil(time) - 1 : time }
}

/** Codes that begin so, as numbers: making a text of each row's number would take a microsecond and more. */
function codeRange(beginning: string): Range {
  const size = 36 ** (10 - beginning.length)
  const least = Number.parseInt(beginning, 36) * size
  return { least, most: least + size - 1 }
}

type ChoiceCondition = Extract<FieldCondition, { kind: 'choice' }>

/** The language decides for each code that the column may have. */
function choiceTest(condition: ChoiceCondition, moment: Moment, columns: DealColumns): ColumnTest {
  const matches = matcherOf(condition)
  const isMetBy = (facts: Partial<DealFacts>) => +matches({ ...nothingKnown, ...facts }, moment)
  const ofNames = (names: Names, key: 'verdict' | 'condition') =>
    Uint8Array.from([null, ...names.spelled], (name) => isMetBy({ [key]: name }))
  const field: ChoiceField = condition.field
  switch (field) {
    case 'verdict':
      return { column: columns.verdict, isMet: ofNames(columns.verdicts, 'verdict') }
    case 'condition':
      return { column: columns.condition, isMet: ofNames(columns.conditions, 'condition') }
    case 'low': {
      const lowDays = [null, ...Array(longestLow + 1).keys()]
      return {
        column: columns.lowDays,
        isMet: Uint8Array.from(lowDays, (days) => isMetBy({ lowDays: days })),
      }
    }
    case 'prime':
    case 'list':
    case 'is':
      return { column: columns.flags, isMet: Uint8Array.from([0, ...allFlags.map(isMetBy)]) }
  }
}

/** A deal is at its low of 30, 90 or 365 days. */
const longestLow = 365

const nothingKnown: DealFacts = {
  ...{ title: '', asin: '', brand: null, category: null, condition: null, price: 0, off: null, rating: null },
  ...{ reviews: null, isPrime: false, hasListPrice: false, firstSeen: 0, lastChecked: 0, lastUpdated: 0 },
  ...{ endsAt: null, verdict: null, underTypical: null, lowDays: null, drop: null, droppedAt: null },
  ...{ isSample: false, isVisible: true },
}

const number = new Float64Array(1)
const asInteger = new BigInt64Array(number.buffer)

/** The number next to one that isn't below 0, above or below it. */
function nextTo(value: number, direction: 1 | -1): number {
  if (value <= 0) return direction * Number.MIN_VALUE
  number[0] = value
  asInteger[0] = (asInteger[0] ?? 0n) + BigInt(direction)
  return number[0] ?? value
}
